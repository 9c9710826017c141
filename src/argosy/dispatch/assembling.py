"""The controllers of a hub's memory, put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from argosy.control.assemblies import Assembly
from argosy.dispatch.leaving import Leavers
from argosy.dispatch.ledgers import Ledger
from argosy.dispatch.measuring import Measures
from argosy.dispatch.pages import Limits
from argosy.dispatch.recording import Recording
from argosy.dispatch.sightings import Sightings
from argosy.dispatch.writing import Pages


@dataclass(slots=True, frozen=True)
class HistorySettings:
    """`keep_after_end`: how long Jobs and placements stay that do not say so themselves; None, for ever."""

    limits: Limits = field(default_factory=Limits)
    keep_after_end: timedelta | None = None


def add_history(assembly: Assembly, settings: HistorySettings) -> None:
    """Have a hub remember how its jobs ended, and let go of those that were kept long enough."""
    ledger, measures = Ledger(settings.limits), Measures(assembly.metrics)
    sightings = Sightings(assembly)
    pages = Pages(assembly, ledger, measures)
    leavers = Leavers(assembly, sightings, measures, settings.keep_after_end)
    Recording(assembly, sightings, ledger, pages, leavers)
