"""Holds definitions against upstream's schemas: every field, limit, default, rule, column and name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from argosy.base.types import Json, Object

# What the contract's files leave out and its text gives instead.
ELSEWHERE = ("deprecated", "deprecationWarning", "selectableFields")


def contract_differences(definition: Object, shared: Path) -> list[str]:
    """Where a definition is not what the contract's file of the same name says."""
    got = undescribed(definition["spec"])
    name = f"{got['group']}_{got['names']['plural']}.json"
    want = json.loads((shared / "contract" / "schemas" / name).read_text())
    for spec in (got, want):
        assert sum(each["storage"] for each in spec["versions"]) == 1
        spec["versions"] = {each["name"]: comparable(each) for each in spec["versions"]}
    return list(differences(got, undescribed(want)))


def undescribed(value: Json, *, fields: bool = False) -> Json:
    """Without descriptions, which are each project's own. `fields`: the keys are names of fields."""
    match value:
        case dict():
            return {
                key: undescribed(inner, fields=key == "properties" and not fields)
                for key, inner in value.items()
                if fields or key != "description"
            }
        case list():
            return [undescribed(inner) for inner in value]
        case _:
            return value


def comparable(version: Object) -> Object:
    out = {key: value for key, value in version.items() if key not in ELSEWHERE}
    schema = out["schema"]
    out["schema"] = schema.get("openAPIV3Schema", schema)
    return out | {
        "additionalPrinterColumns": out.get("additionalPrinterColumns") or [],
        "subresources": out.get("subresources"),
    }


def differences(got: Json, want: Json, path: str = "") -> Iterator[str]:
    if isinstance(got, dict) and isinstance(want, dict):
        for key in sorted(got.keys() | want.keys()):
            if key not in got or key not in want:
                yield f"{path}/{key}: {'not wanted' if key in got else 'missing'}"
            else:
                yield from differences(got[key], want[key], f"{path}/{key}")
    elif got != want:
        yield f"{path}: {got!r} instead of {want!r}"


def undescribed_fields(definition: Object) -> list[str]:
    """Fields of which `kubectl explain` would have nothing to say."""

    def silent(schema: Object, path: str) -> Iterator[str]:
        for name, field in schema.get("properties", {}).items():
            if path or name not in {"apiVersion", "kind", "metadata"}:
                if not field.get("description"):
                    yield f"{path}.{name}"
                yield from silent(field, f"{path}.{name}")
        for below in ("items", "additionalProperties"):
            if isinstance(schema.get(below), dict):
                yield from silent(schema[below], f"{path}[]")

    return [
        field
        for version in definition["spec"]["versions"]
        for field in silent(version["schema"]["openAPIV3Schema"], "")
    ]


def plain(value: Json) -> Json:
    """As it reads after a trip through JSON."""
    return json.loads(json.dumps(value))
