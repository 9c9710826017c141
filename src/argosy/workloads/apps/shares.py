"""Limits of rolling updates: numbers, or percentages of the whole."""

from __future__ import annotations

import math

from argosy.api.objects.apps import IntOrPercent


def scaled(value: IntOrPercent | None, total: int, *, up: bool) -> int:
    """A number as it is, a percentage as its share of `total`, rounded up or down; None is none."""
    if value is None:
        return 0
    if isinstance(value, int):
        return value
    share = int(value.removesuffix("%")) * total / 100
    return math.ceil(share) if up else math.floor(share)
