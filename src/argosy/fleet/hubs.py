"""The hub of a fleet: no nodes, no pods; the kinds that are placed, and the controllers that place them.

Jobs created here are never run here: nobody on the hub makes pods. How they ended is remembered here, when they and
their placements are gone. Kueue's kinds are served so that queues can be
written once and placed; nobody on the hub queues.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

from argosy import capacity
from argosy.apiserver.access.identities import AUTHENTICATED, MASTERS, User
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import Clock
from argosy.base.ids import Ids
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.control.assemblies import UPKEEP, Assembly, Upkeep
from argosy.control.queues import RateLimit
from argosy.dispatch.assembling import HistorySettings, add_history
from argosy.dispatch.definitions import definitions as dispatch_definitions
from argosy.fleet.installing import install, shipped
from argosy.placement.admission import add_admission
from argosy.placement.assembling import PlacementSettings, add_placement
from argosy.placement.definitions import definitions as fleet_definitions
from argosy.queueing.conversion import add_versions
from argosy.queueing.definitions import definitions as queueing_definitions
from argosy.workloads import jobsets

_USER: Final = User("system:serviceaccount:fleet-system:hub-agent", groups=(MASTERS, AUTHENTICATED))
_AGENT: Final = "hub-agent"
# As upstream's agents have it: whoever could not be reached is asked again within a minute.
RETRIES: Final = RateLimit(most_seconds=60.0)


@dataclass(slots=True, frozen=True)
class HubSettings:
    """`checks`: refuse what upstream's webhooks refuse. `has_queues`: Kueue's kinds are there, to be placed."""

    placement: PlacementSettings = field(default_factory=PlacementSettings)
    checks: bool = True
    has_queues: bool = True
    history: HistorySettings = field(default_factory=HistorySettings)


async def assemble_hub(
    server: ClusterServer,
    *,
    clock: Clock,
    ids: Ids,
    settings: HubSettings,
    source: random.Random | None = None,
    upkeep: Upkeep = UPKEEP,
) -> Assembly:
    """All controllers of an embedded hub, ready to run."""
    if settings.has_queues:
        add_versions(server.cluster)
    if settings.checks:
        add_admission(server.cluster)
    client = LocalClient(server, _USER, agent=_AGENT)
    await install(client, shipped(hub_kinds(with_queues=settings.has_queues)))
    assembly = Assembly(
        client,
        clock=clock,
        ids=ids,
        source=source,
        metrics=server.metrics,
        limit=RETRIES,
        upkeep=upkeep,
    )
    add_placement(assembly, settings.placement)
    add_history(assembly, settings.history)
    return assembly


def hub_kinds(*, with_queues: bool = True) -> list[Object]:
    """The custom kinds of an embedded hub: its own, and those that are written there to be placed."""
    queues = queueing_definitions() if with_queues else []
    return [*own_kinds(), *queues, *jobsets.definitions(), *capacity.definitions()]


def own_kinds() -> list[Object]:
    """What the hub's controllers need, wherever they run."""
    return [*fleet_definitions(), *dispatch_definitions()]
