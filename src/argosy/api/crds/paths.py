"""Paths into a CRD as Kubernetes prints them, and errors moved below one."""

from __future__ import annotations

from dataclasses import replace

from argosy.base.fielderrors import FieldError


def key(path: str, name: str) -> str:
    """A map's value: its key stands in brackets."""
    return f"{path}[{name}]"


def child(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def below(path: str, error: FieldError) -> FieldError:
    """The error with its path continued from another one."""
    field = error.field.removeprefix("<nil>")
    joined = f"{path}{field}" if field.startswith("[") or not field else f"{path}.{field}"
    return replace(error, field=joined)
