"""What upstream's webhook refuses of ResourceFlavors, beyond what the schema and its rules do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.rules.labels import validate_label_name, validate_labels
from argosy.api.rules.names import is_label_value
from argosy.api.rules.wording import in_order, printed
from argosy.base.fielderrors import FieldError, invalid
from argosy.base.types import Object

# The order of Go's struct, which prints a repeated taint.
_TAINT: Final = ("key", "value", "effect", "timeAdded")
_REPEATED: Final = "taints must be unique by key and effect pair"


def validate_resource_flavor(new: Object) -> list[FieldError]:
    spec = new.get("spec") or {}
    return [
        *validate_labels(spec.get("nodeLabels"), "spec.nodeLabels"),
        *_taint_errors(spec.get("nodeTaints") or (), "spec.nodeTaints"),
        *validate_toleration_keys(spec.get("tolerations") or (), "spec.tolerations"),
    ]


def validate_toleration_keys(tolerations: Sequence[Object], path: str) -> list[FieldError]:
    """The rest of a toleration is judged by rules of the schema."""
    return [
        error
        for index, toleration in enumerate(tolerations)
        if toleration.get("key")
        for error in validate_label_name(toleration["key"], f"{path}[{index}].key")
    ]


def _taint_errors(taints: Sequence[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        at, value = f"{path}[{index}]", taint.get("value") or ""
        errors += validate_label_name(taint["key"], f"{at}.key")
        if problems := is_label_value(value):
            errors.append(invalid(f"{at}.value", value, ";".join(problems)))
        pair = (taint["key"], taint["effect"])
        if pair in seen:
            shown = printed(in_order(taint, _TAINT))
            errors.append(FieldError("FieldValueDuplicate", at, shown, _REPEATED))
        seen.add(pair)
    return errors
