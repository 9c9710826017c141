"""The hub's controllers, put together on one view of its objects."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.control.assemblies import Assembly
from argosy.placement.evictions.controllers import Evictions
from argosy.placement.membership.members import Membership
from argosy.placement.overriding.controllers import OverrideSnapshots
from argosy.placement.overriding.picking import Overriding
from argosy.placement.placements import Placements, Settings
from argosy.placement.rescheduling.controllers import Rescheduling
from argosy.placement.rescheduling.hearing import Hearing
from argosy.placement.reserving.promises import Ledger
from argosy.placement.rollouts.controllers import Rollouts
from argosy.placement.scheduling.controllers import Scheduling
from argosy.placement.selecting.terms import InvalidSelectors
from argosy.placement.snapshotting.resources import DEFAULT_DELAYS, Delays
from argosy.placement.statuses.wordings import RELEASES, Wording
from argosy.placement.updateruns.controllers import UpdateRuns
from argosy.placement.views import Views
from argosy.placement.working.controllers import Working


@dataclass(slots=True, frozen=True)
class PlacementSettings:
    """How a hub places. `reserves`: capacity promised to placements on their way counts as taken."""

    wording: Wording = RELEASES
    delays: Delays = DEFAULT_DELAYS
    reserves: bool = True


def add_placement(assembly: Assembly, settings: PlacementSettings) -> Views:
    """Have a cluster be the hub of a fleet."""
    views = Views(assembly)
    Membership(assembly, views)
    placements = Placements(
        assembly, views, Settings(delays=settings.delays, wording=settings.wording)
    )
    promises = Ledger(views) if settings.reserves else None
    hearing = Hearing(assembly, views)
    Scheduling(assembly, views, promises=promises, losses=hearing)
    OverrideSnapshots(assembly, views)
    overriding = Overriding(views)
    Rollouts(assembly, views, overriding.picked)
    Working(assembly, views)
    UpdateRuns(
        assembly,
        views,
        overriding.picked,
        placements.snapshots.ensure_latest,
        refusals=(InvalidSelectors,),
    )
    Evictions(assembly, views)
    Rescheduling(assembly, views, hearing, promises=promises)
    return views
