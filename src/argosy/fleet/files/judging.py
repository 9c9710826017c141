"""What is wrong with a fleet file beyond the types of its fields: names, labels, taints, and what one field says of
another. All of it is told at once; fields of a wrong type are passed over here, because the schema has told of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from argosy.api.cel.rules import validate_rules
from argosy.api.schema.defaulting import apply_defaults, copy_json
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from argosy.base.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_value,
    is_qualified_name,
)
from argosy.base.types import Json, Object
from argosy.fleet.files.schemas import pool_schema
from argosy.fleet.shapes import MOST_MEMBERS

# fleet-member-NAME is a namespace of the hub.
_NAME_CHARACTERS: Final = 50
# What a fleet's directory and its kubeconfig call something else.
_RESERVED: Final = frozenset({"hub", "kubeconfig"})
NUMBER: Final = re.compile(r"\{n(?::0?(\d))?\}")
_OWNED_BY_NODES: Final = ("minimum", "maximum")


def judge(document: Object) -> Iterator[FieldError]:
    """The errors of a document in which unknown fields are not any more."""
    defaults = _dict(document.get("defaults"))
    entries = document.get("members")
    entries = entries if isinstance(entries, list) else []
    yield from _entry(defaults, "defaults")
    for index, entry in enumerate(entries):
        if isinstance(entry, dict):
            path = f"members[{index}]"
            yield from _entry(entry, path)
            yield from _numbers(entry, path)
            if "nodePools" not in entry and "nodePools" not in defaults:
                detail = "a member needs machines: name at least one pool here, or in defaults"
                yield required(f"{path}.nodePools", detail)
    yield from _names([_dict(entry) for entry in entries])


def rules(pool: Object, path: str) -> Iterator[FieldError]:
    """What the rules of NodePools say of a pool whose fields are of the right type."""
    whole = copy_json(pool)
    apply_defaults(pool_schema(), whole)
    for error in validate_rules(pool_schema(), whole):
        field = error.field.removeprefix("<nil>").removeprefix(".")
        yield FieldError(
            error.reason, f"{path}.{field}" if field else path, error.value, error.detail
        )


def names_of(entry: Object) -> list[str]:
    """The names that an entry stands for."""
    first = entry.get("first", 1)
    if "count" not in entry:
        return [entry["name"]]
    return [_numbered(entry["name"], first + number) for number in range(entry["count"])]


def _numbered(pattern: str, number: int) -> str:
    return NUMBER.sub(lambda found: str(number).zfill(int(found[1] or 0)), pattern)


def _numbers(entry: Object, path: str) -> Iterator[FieldError]:
    name = entry.get("name")
    if not isinstance(name, str):
        return
    is_pattern = NUMBER.search(name) is not None
    if "count" in entry and not is_pattern:
        detail = "must contain {n}, the number of the member, where count is given: such as eu-{n} or eu-{n:02}"
        yield invalid(f"{path}.name", name, detail)
    if "count" not in entry and is_pattern:
        yield required(f"{path}.count", f"how many members {name} stands for")
    if "first" in entry and "count" not in entry:
        yield forbidden(f"{path}.first", "it numbers members, and needs a count")


def _names(entries: list[Object]) -> Iterator[FieldError]:
    """Every name of every member, once."""
    seen: dict[str, str] = {}
    total = 0
    for index, entry in enumerate(entries):
        path = f"members[{index}].name"
        for name in _written(entry):
            total += 1
            yield from (invalid(path, name, text) for text in _unnameable(name))
            if name in seen:
                yield invalid(path, name, f"{seen[name]} has that name already")
            seen[name] = path
    if total > MOST_MEMBERS:
        yield invalid("members", total, f"a fleet has at most {MOST_MEMBERS} members")


def _written(entry: Object) -> list[str]:
    """The names of an entry as far as it says any."""
    name, count, first = (entry.get(field, 1) for field in ("name", "count", "first"))
    if not isinstance(name, str) or not NUMBER.search(name):
        return [name] if isinstance(name, str) else []
    if not isinstance(count, int) or not isinstance(first, int) or not 1 <= count <= MOST_MEMBERS:
        return []
    return names_of({"name": name, "count": count, "first": first})


def _unnameable(name: str) -> Iterator[str]:
    if name in _RESERVED:
        yield "the fleet itself uses this name; choose another one"
    if problems := is_dns1123_label(name):
        yield from problems
    elif len(name) > _NAME_CHARACTERS:
        yield f"must be no more than {_NAME_CHARACTERS} characters, because fleet-member-NAME is a namespace"


def _entry(entry: Object, path: str) -> Iterator[FieldError]:
    for key, value in _dict(entry.get("labels")).items():
        at = f"{path}.labels.{key}"
        yield from (invalid(at, key, text) for text in is_qualified_name(key))
        if isinstance(value, str):
            yield from (invalid(at, value, text) for text in is_label_value(value))
    yield from _taints(_dicts(entry.get("taints")), f"{path}.taints")
    for index, pool in _dicts(entry.get("nodePools")):
        yield from _pool(pool, f"{path}.nodePools[{index}]")


def _taints(taints: list[tuple[int, Object]], path: str) -> Iterator[FieldError]:
    seen: list[Object] = []
    for index, taint in taints:
        for field, check in (("key", is_qualified_name), ("value", is_label_value)):
            value = taint.get(field)
            if isinstance(value, str):
                yield from (
                    invalid(f"{path}[{index}].{field}", value, text) for text in check(value)
                )
        if taint in seen:
            yield duplicate(f"{path}[{index}]", taint)
        seen.append(taint)


def _pool(pool: Object, path: str) -> Iterator[FieldError]:
    name = pool.get("name")
    if isinstance(name, str) and name:
        yield from (invalid(f"{path}.name", name, text) for text in is_dns1123_subdomain(name))
    if "nodes" in pool:
        detail = "nodes says both minimum and maximum: leave out one or the other"
        yield from (
            forbidden(f"{path}.{field}", detail) for field in _OWNED_BY_NODES if field in pool
        )
    if pool.get("runtime") == "process":
        # `argosy serve --allow-processes` is for those.
        yield not_supported(f"{path}.runtime", "process", ["simulated"])


def _dict(value: Json) -> Object:
    return value if isinstance(value, dict) else {}


def _dicts(value: Json) -> list[tuple[int, Object]]:
    items = value if isinstance(value, list) else []
    return [(index, item) for index, item in enumerate(items) if isinstance(item, dict)]
