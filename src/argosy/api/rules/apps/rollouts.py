"""How many pods a rollout may take away or add: a number, or a percentage of all."""

from __future__ import annotations

from argosy.api.rules.names import is_percent
from argosy.api.rules.wording import NOT_NEGATIVE
from argosy.base.fielderrors import FieldError, invalid

IntOrString = int | str


def validate_int_or_percent(value: IntOrString, path: str) -> list[FieldError]:
    if isinstance(value, str):
        return [invalid(path, value, text) for text in is_percent(value)]
    return [invalid(path, value, NOT_NEGATIVE)] if value < 0 else []


def validate_percent_limit(value: IntOrString, path: str) -> list[FieldError]:
    if isinstance(value, str) and amount(value) > 100 and not is_percent(value):
        return [invalid(path, value, "must not be greater than 100%")]
    return []


def amount(value: IntOrString) -> int:
    """The bare number, whatever it is a number of; 0 where the text is no number."""
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%")
    return int(digits) if digits.isascii() and digits.isdigit() else 0
