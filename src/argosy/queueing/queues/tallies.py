"""Counts of workloads."""

from __future__ import annotations

from typing import NamedTuple


class Tally(NamedTuple):
    """How many are to be looked at, and how many are parked."""

    active: int
    inadmissible: int
