"""Kubernetes' inner form of core types, as it shows in error texts.

Upstream validates its internal structs, and prints a rejected struct as JSON of those: Go field names in the order of
declaration, every absent field as null or zero. `internals.json` holds that order as facts, one list per type of
`GoName kind [jsonName]`; `jsonName` is given where it is not GoName with a small first letter. Only rejected requests
come here, so the data are read on first use.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from argosy.api.rules.wording import Printed, in_order, printed
from argosy.base.types import Json, Object

# Fields of a v1 PodSpec that are fields of the security context inside.
_HOST_FIELDS: Final = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
_ZERO: Final = {"str": "", "int": 0, "bool": False, "quantity": "0"}

Field = tuple[str, str, str]


@cache
def _shapes() -> dict[str, list[Field]]:
    raw = files(__package__).joinpath("internals.json").read_bytes()
    rows = msgspec.json.decode(raw, type=dict[str, list[str]])
    return {name: [_field(row) for row in fields] for name, fields in rows.items()}


def _field(row: str) -> Field:
    name, kind, *given = row.split(" ")
    return name, kind, given[0] if given else name[:1].lower() + name[1:]


def internal(kind: str, value: Object) -> Object:
    """A v1 value of the named type as upstream's internal struct prints."""
    if kind == "PodSpec":
        context = dict(value.get("securityContext") or {})
        context.update({field: value[field] for field in _HOST_FIELDS if field in value})
        value = value | {"securityContext": context}
    made: Object = {}
    for name, shape, key in _shapes()[kind]:
        if shape == "meta":
            made.update(value.get("metadata") or {})
        else:
            made[name] = _inner(shape, value.get(key))
    return made


def _inner(shape: str, value: Json) -> Json:
    form, _, kind = shape.partition(":")
    if form == "struct":
        return internal(kind, value or {})
    if value is None:
        return _ZERO.get(form)
    match form:
        case "ptr":
            return internal(kind, value)
        case "list":
            # An empty list is stored as none.
            return [internal(kind, item) if kind else item for item in value] or None
        case "map":
            return dict(sorted(value.items())) or None
        case _:
            return in_order(value, ("matchLabels", "key")) if isinstance(value, dict) else value


def printed_internal(kind: str, value: Object) -> Printed:
    return printed(internal(kind, value))
