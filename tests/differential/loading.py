"""Read the theme files: requests written as data, in the order they are sent.

A theme is one YAML file with its own namespace. `objects` names templates (a collection's path and
a body); `cases` is the list of requests:

    - case: a sentence
      post: /api/v1/{ns}/configmaps     # get, put, patch, delete, watch, head, options; {ns} is the
      body: {…}                         #   theme's namespace as a path
    - case: a bad value
      create: job                       # POST the template `job`, under a fresh name,
      set: {spec.parallelism: -1}       #   with these fields replaced (null removes a field)

More keys of a case: `raw` (a body sent as it stands), `type` (the body's content type; `merge`,
`json`, `strategic` and `apply` are short for the patch types), `accept`, `headers`, `as` (the user
to impersonate), `token` (another bearer token; empty for none), `save` (variable: path into the
answer; `${variable}` stands for it in later requests), `until` (repeat until the answer has this
status code, or these values at these paths), `among` (which elements of a list count) and `wire` (compare the text itself). `${x*1000}` in any
text is a thousand times x, for bodies too large to write down.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import yaml

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None

THEMES = Path(__file__).parent / "themes"
METHODS = ("get", "post", "put", "patch", "delete", "watch", "head", "options")
CONTENT_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
ACCEPTS = {"table": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
KEYS = {*METHODS, "case", "create", "set", "name", "body", "raw", "type", "accept", "headers"}
KEYS |= {"as", "token", "save", "until", "among", "wire", "query"}
STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class CaseError(Exception):
    """A theme file says something that cannot be sent."""


@dataclass(slots=True, frozen=True)
class Among:
    """Compare only the elements of the list at `path` whose `key` is one of `values`."""

    path: str
    key: str
    values: tuple[Json, ...]


@dataclass(slots=True, frozen=True)
class Case:
    """One request, ready but for its variables."""

    theme: str
    name: str
    method: str
    path: str
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    token: str | None = None
    save: dict[str, str] = field(default_factory=dict)
    until: dict[str, Json] = field(default_factory=dict)
    among: Among | None = None
    wire: bool = False

    @property
    def title(self) -> str:
        return f"{self.theme}: {self.name}"

    @property
    def is_watch(self) -> bool:
        return self.method == "watch"


def themes(directory: Path = THEMES) -> list[str]:
    """Name all themes, in the order they are replayed."""
    return sorted(path.stem for path in directory.glob("*.yaml"))


def load(theme: str, directory: Path = THEMES) -> list[Case]:
    """Read one theme; its first cases create the namespace and wait for its service account."""
    path = directory / f"{theme}.yaml"
    content = yaml.load(path.read_text(), yaml.CSafeLoader)
    namespace = str(content.get("namespace", f"t-{theme}"))
    cases = [*_namespace(theme, namespace)] if namespace else []
    templates = content.get("objects", {})
    for number, written in enumerate(content["cases"], 1):
        cases.append(_case(theme, namespace, templates, written, number))
    names = [case.name for case in cases]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise CaseError(f"{theme}: these names are used twice: {sorted(repeated)}")
    return cases


def _namespace(theme: str, namespace: str) -> Iterator[Case]:
    body: Json = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    where = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
    headers = {"Content-Type": "application/json"}
    yield Case(
        theme, "the namespace", "post", "/api/v1/namespaces", json.dumps(body), headers=headers
    )
    yield Case(theme, "the default service account", "get", where, until={"code": 200})


def _case(
    theme: str, namespace: str, templates: dict[str, Json], written: dict[str, Json], number: int
) -> Case:
    name = str(written.get("case"))
    if unknown := written.keys() - KEYS:
        raise CaseError(f"{theme}: {name}: unknown keys {sorted(unknown)}")
    method, path, body = _request(templates, written, number)
    among = written.get("among")
    until = written.get("until")
    save = written.get("save") or {}
    token = written.get("token")
    assert isinstance(save, dict)
    return Case(
        theme=theme,
        name=name,
        method=method,
        path=path.replace("{ns}", f"namespaces/{namespace}"),
        body=None if body is None else body.replace("{namespace}", namespace),
        headers={
            key: value.replace("{namespace}", namespace)
            for key, value in _headers(written, method, body).items()
        },
        token=None if token is None else str(token),
        save={str(key): str(value) for key, value in save.items()},
        until=until if isinstance(until, dict) else {"code": until} if until else {},
        among=_among(among) if isinstance(among, dict) else None,
        wire=bool(written.get("wire")),
    )


def _request(
    templates: dict[str, Json], written: dict[str, Json], number: int
) -> tuple[str, str, str | None]:
    if "create" in written:
        template = templates[str(written["create"])]
        assert isinstance(template, dict)
        changed = json.loads(json.dumps(template["body"]))
        changed.setdefault("metadata", {})["name"] = written.get("name", f"case-{number}")
        changes = written.get("set") or {}
        assert isinstance(changes, dict)
        for where, value in changes.items():
            put(changed, where, value)
        query = f"?{written['query']}" if "query" in written else ""
        return "post", f"{template['path']}{query}", json.dumps(changed)
    method = next(method for method in METHODS if method in written)
    path = str(written[method])
    if "raw" in written:
        return method, path, str(written["raw"])
    return method, path, json.dumps(written["body"]) if "body" in written else None


def _headers(written: dict[str, Json], method: str, body: str | None) -> dict[str, str]:
    accept = str(written.get("accept", "application/json"))
    headers = {"Accept": ACCEPTS.get(accept, accept)}
    if body is not None:
        kind = str(written.get("type", "strategic" if method == "patch" else "application/json"))
        headers["Content-Type"] = CONTENT_TYPES.get(kind, kind)
    if "as" in written:
        headers["Impersonate-User"] = str(written["as"])
    more = written.get("headers") or {}
    assert isinstance(more, dict)
    return headers | {key: str(value) for key, value in more.items()}


def _among(written: dict[str, Json]) -> Among:
    values = written["values"]
    assert isinstance(values, list)
    return Among(str(written["path"]), str(written["key"]), tuple(values))


def steps(path: str) -> list[str | int]:
    """Split `spec.containers[0].image`; a dot inside a key is written `~`."""
    return [
        int(match[2]) if match[2] else match[1].replace("~", ".") for match in STEP.finditer(path)
    ]


def put(value: Json, path: str, new: Json) -> None:
    """Replace the field at `path`, making objects on the way; None removes it."""
    *way, last = steps(path)
    here: Json = value
    for step in way:
        if isinstance(here, list) and isinstance(step, int):
            here = here[step]
        elif isinstance(here, dict) and isinstance(step, str):
            here = here.setdefault(step, {})
        else:
            raise CaseError(f"{path}: nothing at {step!r}")
    if isinstance(here, list) and isinstance(last, int):
        here[last : last + 1] = [] if new is None else [new]
    elif isinstance(here, dict) and isinstance(last, str):
        if new is None:
            here.pop(last, None)
        else:
            here[last] = new
    else:
        raise CaseError(f"{path}: nothing at {last!r}")


def pick(value: Json, path: str) -> Json:
    """Return what is at `path`, or None where nothing is."""
    for step in steps(path):
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value
