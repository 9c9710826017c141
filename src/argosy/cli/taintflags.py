"""`--node-taints` and `--tolerations` of a ResourceFlavor, by kueuectl's rules and words.

A taint is `KEY[=VALUE]:EFFECT`, a toleration `KEY[=VALUE][:EFFECT]` or `:EFFECT`. Effects are NoSchedule and NoExecute:
PreferNoSchedule means nothing to quota.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.base.names import is_label_value, is_qualified_name
from argosy.base.types import Object
from argosy.cli.connecting import CommandError
from argosy.cli.printing import split

_EFFECTS: Final = ("NoSchedule", "NoExecute")


def taints(given: Iterable[str]) -> list[Object]:
    found: list[Object] = []
    seen: set[tuple[str, str]] = set()
    for text in split(given):
        key, value, effect = _parts(text, "taint")
        if not effect:
            raise CommandError(f"invalid taint spec: {text}")
        _check_effect(effect)
        _check(text, key, value, "taint")
        if (key, effect) in seen:
            shown = f"{{{key} {value} {effect} <nil>}}"
            raise CommandError(f"duplicated taints with the same key and effect: {shown}")
        seen.add((key, effect))
        found.append(_filled(key=key, value=value, effect=effect))
    return found


def tolerations(given: Iterable[str]) -> list[Object]:
    found: list[Object] = []
    for text in split(given):
        key, value, effect = _parts(text, "toleration")
        if value and not key:
            raise CommandError(f"invalid toleration spec: {text}")
        if effect:
            _check_effect(effect)
        _check(text, key, value, "toleration")
        operator = "Equal" if key and value else "Exists"
        found.append(_filled(key=key, operator=operator, value=value, effect=effect))
    return found


def _parts(text: str, what: str) -> tuple[str, str, str]:
    """Key, value and effect."""
    pair, _, effect = text.partition(":")
    key, _, value = pair.partition("=")
    if ":" in effect or "=" in value:
        raise CommandError(f"invalid {what} spec: {text}")
    return key, value, effect


def _check_effect(effect: str) -> None:
    if effect not in _EFFECTS:
        raise CommandError(f"invalid taint effect: {effect}, unsupported taint effect")


def _check(text: str, key: str, value: str, what: str) -> None:
    problems = is_qualified_name(key) if key or what == "taint" else []
    problems = problems or (is_label_value(value) if value else [])
    if problems:
        raise CommandError(f"invalid {what} spec: {text}, {'; '.join(problems)}")


def _filled(**fields: str) -> Object:
    return {name: value for name, value in fields.items() if value}
