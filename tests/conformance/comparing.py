"""Hold what came out against what Kueue's test wants: a list of differences a person can read.

Go's empty values are alike (`null`, `[]`, `{}`, `""`, 0, false and an absent key), quantities are compared as amounts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from argosy.base.quantities import ParseError, parse


def is_empty(value: Any) -> bool:
    return value is None or value == "" or value == 0 or value is False or value in ({}, [])


def differences(want: Any, got: Any, path: str = "") -> list[str]:
    """Where `got` differs from `want`, one line each."""
    if is_empty(want) and is_empty(got):
        return []
    if isinstance(want, dict) and isinstance(got, dict):
        found = []
        for key in sorted(want.keys() | got.keys(), key=str):
            found += differences(want.get(key), got.get(key), f"{path}.{key}" if path else str(key))
        return found
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        found = []
        for index, (one, other) in enumerate(zip(want, got, strict=True)):
            found += differences(one, other, f"{path}[{index}]")
        return found
    if want == got or _same_quantity(want, got):
        return []
    return [f"{path}: want {_shown(want)}, got {_shown(got)}"]


def asserted(
    want: Mapping[str, Any], got: Mapping[str, Any], *, but: Collection[str] = ()
) -> list[str]:
    """Where what a test asserts differs, for tests that need not assert all of `got`.

    A key that nothing here works out is a difference, unless it is one of `but`: those are said not to be compared.
    """
    found = []
    for key, value in want.items():
        if key in got:
            found += differences(value, got[key], key)
        elif key not in but and not is_empty(value):
            found.append(f"{key}: want {_shown(value)}, and nothing here works this out")
    return found


def _same_quantity(want: Any, got: Any) -> bool:
    try:
        return isinstance(want, str | int) and parse(want) == parse(got)
    except (ParseError, TypeError, AttributeError):
        return False


def _shown(value: Any) -> str:
    return "nothing" if is_empty(value) else repr(value)
