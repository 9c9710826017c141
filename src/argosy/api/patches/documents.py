"""The document a patch has made, as the error prints it that refuses it.

Upstream patches bytes: what the patch did not touch still has the order of the Go struct, what it touched is sorted,
and what it brought is as it came. The order of a struct is taken from its protobuf numbers, which differ from it in a
few old types; nobody reads this text by order.
"""

from __future__ import annotations

from argosy.api.protobuf import field_order
from argosy.api.rules.wording import in_order, printed
from argosy.api.schema.structural import ANYTHING, Schema
from argosy.base.types import Json


def document_text(schema: Schema, before: Json, after: Json) -> str:
    """`after` as JSON. Parts it shares with `before` are taken for untouched."""
    return str(printed(_ordered(schema, before, after)))


def _ordered(schema: Schema, before: Json, after: Json) -> Json:
    if after is before:
        return _declared(schema, after)
    if isinstance(after, dict) and isinstance(before, dict):
        return {
            key: _ordered(schema.child(key) or ANYTHING, before.get(key), after[key])
            for key in sorted(after)
        }
    return after


def _declared(schema: Schema, value: Json) -> Json:
    """A value of a built-in type in the order of its declaration; custom ones are stored in theirs."""
    if isinstance(value, dict):
        ordered = in_order(value, field_order(schema.name)) if schema.name else value
        return {
            key: _declared(schema.child(key) or ANYTHING, item) for key, item in ordered.items()
        }
    if isinstance(value, list):
        return [_declared(schema.items or ANYTHING, item) for item in value]
    return value
