"""Paths of files that a pod names: inside its volumes, on its host, in its profiles."""

from __future__ import annotations

from argosy.base.fielderrors import FieldError, invalid


def validate_no_backsteps(value: str, path: str) -> list[FieldError]:
    if ".." in value and ".." in value.split("/"):
        return [invalid(path, value, "must not contain '..'")]
    return []


def validate_descending(value: str, path: str) -> list[FieldError]:
    """A relative path that never leaves its root."""
    errors: list[FieldError] = []
    if value.startswith("/"):
        errors.append(invalid(path, value, "must be a relative path"))
    errors += validate_no_backsteps(value, path)
    return errors


def validate_not_reserved(value: str, path: str) -> list[FieldError]:
    """A descending path whose first part a kubelet does not use itself."""
    errors = validate_descending(value, path)
    if value.startswith("..") and not value.startswith("../"):
        errors.append(invalid(path, value, "must not start with '..'"))
    return errors
