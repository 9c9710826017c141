"""Refusals name the object they are about; a new object has its name in the body, not in the path."""

from __future__ import annotations

from argosy.apiserver.calls import Call
from argosy.base import errors
from argosy.base.types import Object


def name_of(obj: Object) -> str:
    return str(obj["metadata"].get("name") or obj["metadata"].get("generateName", ""))


def forbidden(call: Call, obj: Object, why: str) -> errors.Forbidden:
    return errors.forbidden(call.kind.group, call.kind.plural, name_of(obj), why)
