"""References to other objects by their kind and name."""

from __future__ import annotations

from collections.abc import Iterable

from argosy.api.rules.names import is_dns1123_subdomain, is_path_segment
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object


def validate_typed_reference(reference: Object, path: str) -> list[FieldError]:
    """`apiGroup`, `kind` and `name`, of which the group may be absent."""
    errors: list[FieldError] = []
    if (group := reference.get("apiGroup")) is not None:
        errors += [invalid(f"{path}.apiGroup", group, text) for text in is_dns1123_subdomain(group)]
    return errors + validate_segments(reference, ("kind", "name"), path)


def validate_segments(reference: Object, fields: Iterable[str], path: str) -> list[FieldError]:
    """Fields that must be there and fit into a URL."""
    errors: list[FieldError] = []
    for field in fields:
        if not (value := reference.get(field, "")):
            errors.append(required(f"{path}.{field}"))
        else:
            problems = is_path_segment(value)
            errors += [invalid(f"{path}.{field}", value, text) for text in problems]
    return errors
