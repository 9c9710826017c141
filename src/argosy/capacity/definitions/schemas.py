"""Pieces of OpenAPI schemas that both kinds are made of."""

from __future__ import annotations

from typing import Final

from argosy.base.types import Json, Object

# Few digits per term and few terms (the length below): the sum always fits Go's int64 of nanoseconds.
_DURATION: Final = (
    r"^([0-9]{1,5}(\.[0-9]{1,9})?h|[0-9]{1,7}(\.[0-9]{1,9})?(m|s|ms)|[0-9]{1,9}(us|µs|ns))+$"
)
_DURATION_CHARACTERS: Final = 32
_YEAR: Final = "8760h"
# A label or taint key: a name, perhaps after a DNS domain.
KEY: Final = (
    r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
)


def described(description: str, schema: Object) -> Object:
    return {"description": description, **schema}


def whole(
    description: str, least: int, default: int | None = None, most: int | None = None
) -> Object:
    """A whole number of at least `least`."""
    schema: Object = {"type": "integer", "format": "int32", "minimum": least}
    if most is not None:
        schema["maximum"] = most
    return _with_default(described(description, schema), default)


def text(
    description: str, default: str | None = None, *, longest: int = 253, **more: Json
) -> Object:
    schema: Object = {"type": "string", "maxLength": longest, **more}
    return _with_default(described(description, schema), default)


def duration(description: str, default: str) -> Object:
    """A Go duration such as 90s or 1h30m, of a year at most."""
    schema: Object = {
        "type": "string",
        "pattern": _DURATION,
        "maxLength": _DURATION_CHARACTERS,
        "x-kubernetes-validations": [
            {
                "rule": f"duration(self) <= duration('{_YEAR}')",
                "message": f"a duration must be at most {_YEAR}, which is a year",
            }
        ],
    }
    return _with_default(
        described(f"{description} A duration such as 90s or 1h30m.", schema), default
    )


def amount(
    description: str, name: str, most: str, default: str | None = None, *, is_whole: bool = False
) -> Object:
    """A quantity above zero, and small enough that a thousand machines can be summed."""
    kind = "whole number" if is_whole else "quantity"
    whole_rule = " && quantity(self).isInteger()" if is_whole else ""
    schema: Object = {
        "x-kubernetes-int-or-string": True,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "maxLength": 32,
        "x-kubernetes-validations": [
            {
                "rule": f"type(self) == int ? self > 0 && quantity(string(self)).compareTo(quantity('{most}')) <= 0 : "
                f"isQuantity(self) && quantity(self).isGreaterThan(quantity('0')) && "
                f"quantity(self).compareTo(quantity('{most}')) <= 0{whole_rule}",
                "message": f"{name} must be a {kind} above zero and at most {most}",
            }
        ],
    }
    return _with_default(described(description, schema), default)


def _with_default(schema: Object, default: Json) -> Object:
    return schema if default is None else {**schema, "default": default}


def time(description: str = "") -> Object:
    schema: Object = {"type": "string", "format": "date-time"}
    return described(description, schema) if description else schema


def conditions() -> Object:
    """metav1.Condition, one per type."""
    return {
        "description": "What holds for the object now, one entry per type.",
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["lastTransitionTime", "message", "reason", "status", "type"],
            "properties": {
                "lastTransitionTime": time("When the status last turned."),
                "message": text("A sentence for people.", longest=32768),
                "observedGeneration": {
                    "description": "The generation of the object that this was said of.",
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                },
                "reason": text(
                    "A word for programs.",
                    longest=1024,
                    minLength=1,
                    pattern=r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                ),
                "status": {
                    "description": "Whether it holds.",
                    "type": "string",
                    "enum": ["True", "False", "Unknown"],
                },
                "type": text("What this is about.", longest=316),
            },
        },
    }
