"""A burst of jobs over a fleet in virtual time, and a watchman who sees every change of it.

He keeps two accounts. On each member: the quota that Workloads hold, which is never above nominal, whatever happens in
which order. On the hub: what each cluster was given and has not finished. Whenever a job is placed, the cluster it goes
to has room for it, unless none of the others had, as far as the hub could know: of what ended it hears with the next
report at the latest.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from argosy.api.objects.fleet import names
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_QUEUES,
    CLUSTER_RESOURCE_PLACEMENTS,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    RESOURCE_BINDINGS,
    RESOURCE_FLAVORS,
    RESOURCE_PLACEMENTS,
    WORKLOADS,
    Resource,
)
from tests.behaviour.fleet.voyages import events
from tests.behaviour.fleet.worlds import Fleet, Member
from tests.support import bursts, ledgers

# How long after an end the hub may not know of it: a heartbeat, and what it takes to write.
UNHEARD_SECONDS: Final = 18.0
_KINDS: Final = {
    each.kind: each
    for each in (
        NAMESPACES,
        RESOURCE_FLAVORS,
        CLUSTER_QUEUES,
        LOCAL_QUEUES,
        CLUSTER_RESOURCE_PLACEMENTS,
        RESOURCE_PLACEMENTS,
        JOBS,
    )
}


@dataclass(frozen=True, slots=True)
class Given:
    """A job that a cluster was given."""

    job: str
    cluster: str
    cpu: float


@dataclass
class Accounts:
    """What is held and given, at every moment."""

    fleet: Fleet
    # Cores of each cluster, and the quota of each.
    room: dict[str, float]
    quota: float
    wants: dict[str, float] = field(default_factory=dict)
    given: dict[str, Given] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    # Uids of the Jobs that members made, by name.
    made: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    most_held: Counter[str] = field(default_factory=Counter)
    complaints: list[str] = field(default_factory=list)
    _held: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))

    def begin(self) -> None:
        self.fleet.keep(self._watch_bindings())
        for member in self.fleet.members.values():
            self.fleet.keep(self._watch_workloads(member))
            self.fleet.keep(self._watch_jobs(member))

    async def _watch_bindings(self) -> None:
        async for change, obj in events(self.fleet.hub, RESOURCE_BINDINGS):
            job = obj["metadata"]["labels"][names.PARENT].removeprefix(f"{bursts.TEMPLATE}-")
            if change == "ADDED" and job in self.wants:
                self._place(Given(job, obj["spec"]["targetCluster"], self.wants[job]))

    def _place(self, given: Given) -> None:
        now = self.fleet.clock.time()
        if given.job in self.given:
            self.complaints.append(f"{given.job} was placed twice")
        self.given[given.job] = given
        if self.load(given.cluster, now) <= self.room[given.cluster]:
            return
        free = {
            name: self.room[name] - self.load(name, now - UNHEARD_SECONDS)
            for name in self.room
            if name != given.cluster
        }
        better = {name: cpu for name, cpu in free.items() if cpu >= given.cpu}
        if better:
            over = self.load(given.cluster, now) - self.room[given.cluster]
            self.complaints.append(
                f"{now:.1f} {given.job} ({given.cpu}) went to {given.cluster}, which has {over} too much now; "
                f"there was room on {better}"
            )

    def load(self, cluster: str, since: float) -> float:
        """What a cluster was given that had not ended at a time."""
        return sum(
            each.cpu
            for each in self.given.values()
            if each.cluster == cluster and self.ended.get(each.job, since + 1) > since
        )

    async def _watch_workloads(self, member: Member) -> None:
        held = self._held[member.name]
        async for change, obj in events(member, WORKLOADS):
            uid = obj["metadata"]["uid"]
            held.pop(uid, None)
            if change != "DELETED" and ledgers.holds(obj):
                held[uid] = ledgers.cores(obj)
            total = sum(held.values())
            self.most_held[member.name] = max(self.most_held[member.name], round(total))
            if total > self.quota:
                now = self.fleet.clock.time()
                self.complaints.append(f"{now:.1f} {member.name} holds {total} of {self.quota}")

    async def _watch_jobs(self, member: Member) -> None:
        async for _, obj in events(member, JOBS):
            meta = obj["metadata"]
            self.made[meta["name"]].add(meta["uid"])
            conditions = obj.get("status", {}).get("conditions", ())
            if any(each["type"] == "Complete" and each["status"] == "True" for each in conditions):
                self.ended.setdefault(meta["name"], self.fleet.clock.time())


async def create(fleet: Fleet, *bodies: Object) -> None:
    for body in bodies:
        kind = _KINDS[body["kind"]]
        group, _, version = body["apiVersion"].rpartition("/")
        resource = Resource(group, version, kind.plural, kind.kind, kind.namespaced)
        await fleet.hub.create(resource, body, body["metadata"].get("namespace", ""))


async def burst(
    fleet: Fleet, accounts: Accounts, seed: int, number: int, *, templated: bool
) -> None:
    """Jobs of all sizes, one after the other or many at once, as a seed says."""
    source = random.Random(seed)
    for each in range(number):
        pods, cpu = source.choice([(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (4, 1), (4, 2)])
        body = bursts.job(
            f"job-{each}",
            seconds=source.choice([3, 10, 30, 60]),
            pods=pods,
            cpu=str(cpu),
            memory=f"{cpu * source.choice([1, 2, 4])}Gi",
            ttl=source.choice([None, 0, 60]),
            templated=templated,
        )
        name = body["metadata"]["name"]
        accounts.wants[name] = pods * cpu
        await create(fleet, body, *([] if templated else [bursts.placement(name)]))
        await fleet.pass_time(source.choice([0, 0, 0, 0.2, 1, 5]))
