"""Values as Go prints them inside Kubernetes' error messages.

kube-apiserver builds several patch errors with fmt's %v, so users see `map[name:a ports:[80 443]]`. These are the
rules of %v and %T for the types a decoded JSON document can hold; nothing else is needed.
"""

from __future__ import annotations

from argosy.base.fielderrors import format_float
from argosy.base.types import Json


def print_plain(value: Json) -> str:
    """Go's %v: map keys sorted, no quotes, `<nil>` for null."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int():
            return str(value)
        case float():
            return format_float(value)
        case dict():
            return "map[" + " ".join(f"{k}:{print_plain(value[k])}" for k in sorted(value)) + "]"
        case _:
            return "[" + " ".join(print_plain(item) for item in value) + "]"


def type_name(value: Json) -> str:
    """Go's %T of a decoded JSON value."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "bool"
        case str():
            return "string"
        case int():
            return "int64"
        case float():
            return "float64"
        case dict():
            return "map[string]interface {}"
        case _:
            return "[]interface {}"


def json_kind(value: Json) -> str:
    """What encoding/json calls a value of the wrong type: `cannot unmarshal number into ...`."""
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case str():
            return "string"
        case int() | float():
            return "number"
        case dict():
            return "object"
        case _:
            return "array"
