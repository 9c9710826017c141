"""Which resource serves a kind on the member, and how its lists merge.

Built-in kinds are known; custom ones are read from the member's definitions as they come and go. A kind of an
aggregated API server is not found. Upstream asks discovery, which a client here has not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from argosy.api.builtin import builtin_kinds
from argosy.api.schema.structural import Schema
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, Resource
from argosy.control.arrivals import Definition
from argosy.control.assemblies import Assembly

# Go's clients have no types of these groups, so they are patched like custom kinds.
_UNTYPED: Final = frozenset({"apiextensions.k8s.io", "apiregistration.k8s.io"})

_Key = tuple[str, str, str]


class Catalog:
    """The kinds of one member. Tells `changed` when a custom kind comes or goes."""

    def __init__(self, member: Assembly, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._custom: dict[_Key, Resource] = {}
        member.informer(CUSTOM_RESOURCE_DEFINITIONS, Definition).add_handler(self._note)

    def find(self, group: str, version: str, kind: str) -> Resource | None:
        found = _builtin().get((group, version, kind))
        return found[0] if found is not None else self._custom.get((group, version, kind))

    def _note(self, old: Definition | None, new: Definition | None) -> None:
        before = served(old) if old is not None else {}
        after = served(new) if new is not None else {}
        if before == after and old is not None:
            return
        for key in before.keys() - after.keys():
            self._custom.pop(key, None)
        self._custom.update(after)
        self._changed()


def served(definition: Definition) -> dict[_Key, Resource]:
    """What a definition serves, by group, version and kind."""
    return {(each.group, each.version, each.kind): each for each in definition.resources}


def merging_schema(resource: Resource) -> Schema | None:
    """How an object's lists merge in a strategic patch; None for kinds that take no such patches."""
    found = _builtin().get((resource.group, resource.version, resource.kind))
    if found is None or resource.group in _UNTYPED:
        return None
    return found[1]


@cache
def _builtin() -> dict[_Key, tuple[Resource, Schema]]:
    return {
        (kind.group, name, kind.kind): (
            Resource(kind.group, name, kind.plural, kind.kind, kind.namespaced),
            version.schema,
        )
        for kind in builtin_kinds()
        if "get" in kind.verbs
        for name, version in kind.versions.items()
    }
