"""When the hub last heard of each cluster, by the hub's own clock.

Heard is any word of the agent in its InternalMemberCluster; what time the agent thinks it is does not matter. A hub
that starts has heard of everybody just now: it may count too little silence, and never too much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import InternalMemberCluster, MemberStatus
from argosy.api.objects.fleet.reschedules import SHORTEST_SECONDS
from argosy.client.objects import Key
from argosy.client.resources import INTERNAL_MEMBER_CLUSTERS
from argosy.control.assemblies import Assembly
from argosy.placement.rescheduling.wishes import after_of
from argosy.placement.views import Views


class Hearing:
    """Who is silent, and for how long. It is what the scheduler asks for, too."""

    def __init__(self, assembly: Assembly, views: Views) -> None:
        self._views = views
        self._clock = assembly.clock
        self._heard: dict[str, float] = {}
        self._returned: list[Callable[[str], None]] = []
        self.internals = assembly.informer(INTERNAL_MEMBER_CLUSTERS, InternalMemberCluster)
        self.internals.add_handler(self._changed)

    def internal(self, cluster: str) -> InternalMemberCluster | None:
        return self.internals.get(names.member_namespace(cluster), cluster)

    def silence(self, cluster: str) -> float:
        """In seconds; none of a cluster that was never heard of, which is no loss."""
        heard = self._heard.get(cluster)
        return 0.0 if heard is None else self._clock.monotonic() - heard

    def lost(self, placement: Key) -> Mapping[str, timedelta]:
        """The clusters that are lost to a placement, and how long they have been silent."""
        found = self._views.placement(placement)
        after = after_of(found) if found is not None else None
        if after is None:
            return {}
        silences = {cluster: self.silence(cluster) for cluster in self._heard}
        return {
            cluster: timedelta(seconds=silence)
            for cluster, silence in silences.items()
            if silence >= after
        }

    def on_return(self, tell: Callable[[str], None]) -> None:
        """Have `tell` called with each cluster that is heard again after it may have been lost to somebody."""
        self._returned.append(tell)

    def _changed(
        self, old: InternalMemberCluster | None, new: InternalMemberCluster | None
    ) -> None:
        internal = new or old
        if internal is None:
            return
        cluster = internal.metadata.name
        if new is None:
            self._heard.pop(cluster, None)
        elif old is None or old.metadata.uid != new.metadata.uid or old.status != new.status:
            silence = self.silence(cluster)
            self._heard[cluster] = self._clock.monotonic()
            if silence >= SHORTEST_SECONDS:
                for tell in self._returned:
                    tell(cluster)


def heartbeat_of(status: MemberStatus) -> datetime | None:
    agents = (each for each in status.agent_status if each.type == names.MEMBER_AGENT)
    agent = next(agents, None)
    return agent.last_received_heartbeat if agent is not None else None
