"""What is kept by deltas equals what is built anew from the objects, after any sequence of events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from hypothesis import given
from msgspec.structs import replace

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import ReclaimablePod, Workload
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.evicting import evict
from tests.support.plays import Play, Settings
from tests.support.queues import cluster_queue, cohort, key_of, local_queue
from tests.unit.queueing.laws import states
from tests.unit.queueing.laws.stages import (
    ANYTHING,
    in_all_modes,
    long,
    random_quotas,
    random_workload,
    randoms,
    stage,
)


@dataclass
class Chance:
    """Lets things happen to a play."""

    play: Play
    random: Random
    resources: list[str]
    flavors: list[str]
    gone: list[Settings]
    submitted: int = 0

    def happen(self) -> None:
        self.random.choice(EVENTS)(self)

    def pick(self, kind: type[Settings]) -> Settings | None:
        found = [one for one in self.play.settings.values() if isinstance(one, kind)]
        return self.random.choice(found) if found else None

    def pick_workload(self) -> Workload | None:
        found = list(self.play.workloads.values())
        return self.random.choice(found) if found else None

    def quotas(self) -> dict[str, dict[str, object]]:
        return random_quotas(self.random, ANYTHING, self.flavors, self.resources)

    # Workloads.

    def submit(self) -> None:
        self.submitted += 1
        name, age = f"v{self.submitted}", self.submitted
        queues = [f"q{number}" for number in range(4)]
        made = random_workload(name, self.random, ANYTHING, queues, self.resources, age)
        self.play.submit(made, seconds=self.random.choice([3.0, 1e9]))

    def delete(self) -> None:
        one = self.pick_workload()
        if one is not None:
            self.play.delete(key_of(one))

    def respecify(self) -> None:
        """Switch a workload off or on, or change its priority or its queue."""
        one = self.pick_workload()
        if one is None:
            return
        spec = replace(one.spec, priority=self.random.randint(0, 2))
        if self.random.randint(0, 1):
            spec = replace(spec, active=not one.spec.active)
        if not one.has_quota_reservation:
            spec = replace(spec, queue_name=f"q{self.random.randint(0, 3)}")
        meta = replace(one.metadata, generation=one.metadata.generation + 1)
        self.play.store(replace(one, metadata=meta, spec=spec))

    def reclaim(self) -> None:
        """Pods of a workload are done before the others."""
        one = self.pick_workload()
        if one is not None:
            status = replace(one.status, reclaimable_pods=(ReclaimablePod("main", 1),))
            self.play.store(replace(one, status=status))

    def evict(self) -> None:
        """Somebody else than the scheduler evicts a workload."""
        one = self.pick_workload()
        if one is not None and one.status.admission is not None and not one.is_evicted:
            draft = StatusDraft(one, datetime.fromtimestamp(self.play.now, UTC))
            evict(draft, "NodeFailures", "A node is gone")
            self.play.store(draft.workload)

    # Settings.

    def put_queue(self) -> None:
        """A new ClusterQueue, or one with other quotas in another place."""
        self.play.put(
            cluster_queue(
                f"q{self.random.randint(0, 3)}",
                self.quotas(),
                cohort=self.random.choice(["", "root", "org-a", "org-b", "inner"]),
                weight=self.random.choice(ANYTHING.weights),
                reclaim=self.random.choice(ANYTHING.reclaim),
                within=self.random.choice(ANYTHING.within),
                stopPolicy=self.random.choice(["None", "None", "Hold"]),
                queueingStrategy=self.random.choice(ANYTHING.strategies),
            )
        )

    def put_cohort(self) -> None:
        """A cohort with other quotas under another parent: perhaps its own child."""
        name = self.random.choice(["root", "org-a", "org-b", "inner"])
        parent = self.random.choice(["", "root", "org-a", "org-b", "inner"])
        quotas = self.quotas() if self.random.randint(0, 1) else {}
        self.play.put(cohort(name, quotas, parent=parent, weight=self.random.choice([None, 2])))

    def put_local_queue(self) -> None:
        name, target = f"q{self.random.randint(0, 3)}", f"q{self.random.randint(0, 3)}"
        self.play.put(local_queue(name, target, stop=self.random.choice(["None", "Hold"])))

    def drop(self) -> None:
        """Delete something; it may come back as it was."""
        kind = self.random.choice([ClusterQueue, Cohort, LocalQueue, ResourceFlavor])
        one = self.pick(kind)
        if one is not None:
            self.play.drop(one)
            self.gone.append(one)

    def bring_back(self) -> None:
        if self.gone:
            self.play.put(self.gone.pop())

    # Time.

    def pass_time(self) -> None:
        self.play.play(self.random.choice([0.0, 0.1, 1.0, 5.0]))


EVENTS: list[Callable[[Chance], None]] = [
    Chance.submit,
    Chance.submit,
    Chance.delete,
    Chance.respecify,
    Chance.reclaim,
    Chance.evict,
    Chance.put_queue,
    Chance.put_cohort,
    Chance.put_local_queue,
    Chance.drop,
    Chance.bring_back,
    Chance.pass_time,
    Chance.pass_time,
    Chance.pass_time,
]


def _state(engine: Engine) -> object:
    # Who waits for its victims is first in line only in the memory of the engine that preempted for it.
    waiting = {name: sorted(keys) for name, keys in states.waiting(engine).items()}
    by_local_queue = {
        f"ns/q{number}": (
            sorted(engine.queues.waiting(f"ns/q{number}")),
            sum(engine.queues.tally(f"ns/q{number}")),
            engine.queues.cluster_queue_of(f"ns/q{number}"),
        )
        for number in range(4)
    }
    return states.used(engine), waiting, by_local_queue


@in_all_modes
@long
@given(random=randoms)
def test_after_any_events_the_state_is_that_of_a_new_engine(
    fair: FairSharing | None, random: Random
) -> None:
    drawn = stage(random)
    play = drawn.play(fair, seconds=4.0)
    groups = drawn.queues[0].spec.resource_groups[0]
    chance = Chance(
        play, random, list(groups.covered_resources), [one.name for one in groups.flavors], []
    )
    for _ in range(random.randint(1, 15)):
        chance.happen()
    got = _state(play.engine)
    play.restart(random.shuffle)
    assert got == _state(play.engine)
