"""How amounts, prices and durations read in tables: short, for people. Documents have plain numbers."""

from __future__ import annotations

import os
import sys
from typing import Final

from argosy.base.durations import human_duration

_UNITS: Final = ((1 << 40, "Ti"), (1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki"))
NONE: Final = "-"

_COLORS: Final = {"green": "32", "yellow": "33", "red": "31", "gray": "90", "bold": "1"}


def number(value: float | None) -> str:
    """Cores, GPUs: at most two digits after the point."""
    return NONE if value is None else f"{round(value, 2):.12g}"


def size(value: float | None) -> str:
    """Bytes, rounded down to a whole unit with at most three digits and a half."""
    if value is None:
        return NONE
    for unit, name in _UNITS:
        if abs(value) >= unit:
            scaled = value / unit
            return (
                f"{scaled:.1f}".removesuffix(".0") + name if scaled < 10 else f"{int(scaled)}{name}"
            )
    return f"{int(value)}"


def price(value: float | None) -> str:
    """In the fleet's currency: cents, and as many digits more as a small sum needs to be seen."""
    if value is None:
        return NONE
    if value == 0 or value >= 0.1:
        return f"{value:.2f}"
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def duration(seconds: float | None) -> str:
    return NONE if seconds is None else human_duration(seconds)


def is_colorful() -> bool:
    """Colors are for terminals, and for those who want them (https://no-color.org)."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def colored(text: str, color: str) -> str:
    return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if color else text
