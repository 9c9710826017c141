"""From a method and a path to what is asked: verb, resource, namespace, name, subresource.

    /api/v1/namespaces/NS/pods/NAME/log         core group
    /apis/batch/v1/namespaces/NS/jobs/NAME      named groups
    /apis/batch/v1/watch/jobs                   the old way to watch
    /healthz, /openapi/v3, ...                  not a resource

Pure string work; whether the resource exists is asked later, after authorization, as Kubernetes does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_VERBS: Final = {
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "GET": "get",
    "HEAD": "get",
    "DELETE": "delete",
}
# Subresources of a namespace itself; any other word after a namespace's name is a resource in it.
_OF_NAMESPACES: Final = frozenset({"status", "finalize"})


@dataclass(slots=True, frozen=True)
class Route:
    """What a request is about. `is_resource` is False for health, discovery and other paths; then only `path` and
    `verb` count.
    """

    is_resource: bool
    path: str
    verb: str
    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""
    # What follows a subresource (proxy paths).
    rest: tuple[str, ...] = ()


def route(method: str, path: str, *, watch: bool = False, field_name: str = "") -> Route:
    """`field_name` is the name a `metadata.name=` field selector gives, for authorization of watches by name.

    `watch` counts for lists only: a get of one object stays a get, and only the old path watches one.
    """
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) >= 3:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) >= 4:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return Route(
            False, path, _VERBS.get(method, method.lower()) if method != "POST" else "post"
        )
    verb = _VERBS.get(method, method.lower())
    old_watch = rest[0] == "watch" and len(rest) > 1 and method == "GET"
    if old_watch:
        rest = rest[1:]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 1:
        if len(rest) > 2 and rest[2] not in _OF_NAMESPACES:
            namespace, rest = rest[1], rest[2:]
        else:
            namespace = rest[1]
    resource = rest[0]
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 else ""
    if verb == "get" and not subresource and (old_watch or not name):
        verb = "watch" if watch or old_watch else "list"
        name = name or field_name
    elif verb == "delete" and not name:
        verb = "deletecollection"
    return Route(
        True, path, verb, group, version, namespace, resource, name, subresource, tuple(rest[3:])
    )
