"""Workloads the scheduler must look at again although they have their quota: to find places for their pods.

Two kinds: those whose places could only be sought after their admission checks were ready, and those with pods on a
node that is not healthy. They wait a second, then twice as long after every try that fails, at most half a minute, and
are handed out in order of their time. What is handed out is the newest version; one that needs no place any more is
dropped. A state machine: the caller has the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from argosy.api.objects.kueue.workloads import Workload
from argosy.api.wellknown import HOSTNAME
from argosy.queueing.conversion.topologies import unpacked
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.phases import are_checks_ready, is_on_hold, is_topology_pending

_FIRST_SECONDS: Final = 1.0
_MOST_SECONDS: Final = 30.0


def needs_second_pass(workload: Workload) -> bool:
    """Whether a workload with a reservation lacks places for its pods."""
    if (
        not workload.has_quota_reservation
        or workload.is_finished
        or workload.is_evicted
        or is_on_hold(workload)
    ):
        return False
    return _awaits_places(workload) or _has_unhealthy_node(workload)


def used_nodes(workload: Workload) -> list[str]:
    """The nodes an admitted workload was placed on, each once."""
    return sorted(set(_hosts(workload))) if workload.is_admitted else []


def delay_seconds(iteration: int) -> float:
    """How long to wait before the n-th try, counted from 1."""
    return min(_MOST_SECONDS, _FIRST_SECONDS * 2.0 ** (iteration - 1))


class _Waiting(NamedTuple):
    info: Info
    iteration: int
    due: float


class SecondPasses:
    """The workloads that wait for another look."""

    __slots__ = ("_tries", "_waiting")

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}
        # How often those were tried that are being looked at.
        self._tries: dict[str, int] = {}

    def offer(self, info: Info, now: float) -> bool:
        """A workload is there or changed. Whether it starts to wait; one that waits already keeps its time."""
        if not needs_second_pass(info.obj):
            self.discard(info.key)
            return False
        waiting = self._waiting.get(info.key)
        if waiting is not None:
            self._waiting[info.key] = waiting._replace(info=info)
            return False
        self._wait(info, 1, now)
        return True

    def retry(self, info: Info, now: float) -> bool:
        """A workload was looked at in vain. Whether it waits again, longer."""
        tries = self._tries.pop(info.key, 0)
        if not needs_second_pass(info.obj):
            self.discard(info.key)
            return False
        self._wait(info, tries + 1, now)
        return True

    def take_due(self, now: float) -> list[Info]:
        """Those whose time has come."""
        ready = [one for one in self._waiting.values() if one.due <= now]
        ready.sort(key=lambda one: (one.due, one.info.key))
        for one in ready:
            del self._waiting[one.info.key]
            self._tries[one.info.key] = one.iteration
        return [one.info for one in ready]

    def discard(self, key: str) -> None:
        """A workload needs no place any more."""
        self._waiting.pop(key, None)
        self._tries.pop(key, None)

    @property
    def next_time(self) -> float | None:
        """When there is something to take; none while nothing waits."""
        return min((one.due for one in self._waiting.values()), default=None)

    def _wait(self, info: Info, iteration: int, now: float) -> None:
        self._waiting[info.key] = _Waiting(info, iteration, now + delay_seconds(iteration))


def _awaits_places(workload: Workload) -> bool:
    return (
        not workload.is_admitted
        and bool(workload.status.admission_checks)
        and are_checks_ready(workload)
        and is_topology_pending(workload)
    )


def _has_unhealthy_node(workload: Workload) -> bool:
    unhealthy = {node.name for node in workload.status.unhealthy_nodes}
    return bool(unhealthy) and any(host in unhealthy for host in _hosts(workload))


def _hosts(workload: Workload) -> Iterator[str]:
    """The nodes of all topology assignments that reach down to nodes."""
    admission = workload.status.admission
    for one in admission.pod_set_assignments if admission else ():
        places = one.topology_assignment
        if places and (places.get("levels") or [""])[-1] == HOSTNAME:
            yield from (place.values[-1] for place in unpacked(places))
