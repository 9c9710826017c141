"""Small clusters for tests of preemption: queues, cohorts and workloads as plain values, and a snapshot of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random

from hypothesis import strategies as st

from argosy.api.objects.kueue.quotas import (
    BorrowWithinCohort,
    ClusterQueuePreemption,
    FlavorFungibility,
)
from argosy.api.objects.kueue.workloads import (
    EVICTED,
    QUOTA_RESERVED,
    Admission,
    Workload,
    WorkloadSpec,
    WorkloadStatus,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.base.selectors.labels import nothing
from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assignments import (
    Assignment,
    FlavorAssignment,
    Mode,
    PodSetAssignment,
)
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.quotas.nodes import Quota
from argosy.queueing.workloads.infos import Info, PodSetResources

CPU = FlavorResource("default", "cpu")
GPU = FlavorResource("default", "gpu")
NOW = 1_000_000.0


@dataclass(frozen=True)
class Queue:
    cohort: str = ""
    quotas: Mapping[FlavorResource, Quota] = field(default_factory=lambda: {CPU: Quota(0)})
    within: str = "LowerPriority"
    reclaim: str = "Any"
    borrow: BorrowWithinCohort | None = None
    weight: float = 1.0


@dataclass(frozen=True)
class Cohort:
    parent: str = ""
    quotas: Mapping[FlavorResource, Quota] = field(default_factory=dict)
    weight: float = 1.0


@dataclass(frozen=True)
class Load:
    """A workload. `reserved` is when it got its quota, in seconds before now."""

    name: str
    queue: str
    requests: Mapping[str, int]
    priority: int = 0
    reserved: float = 100.0
    created: float = 1000.0
    is_evicted: bool = False
    local_queue: str = "main"


@dataclass(frozen=True)
class Scene:
    queues: Mapping[str, Queue]
    loads: tuple[Load, ...] = ()
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)

    def without(self, keys: Iterable[str]) -> Scene:
        gone = set(keys)
        return replace(self, loads=tuple(one for one in self.loads if f"ns/{one.name}" not in gone))

    def snapshot(self) -> Snapshot:
        trees = Forest()
        for name, cohort in self.cohorts.items():
            trees.put_cohort(name, cohort.quotas, parent=cohort.parent, weight=cohort.weight)
        for name, queue in self.queues.items():
            trees.put_cluster_queue(name, queue.quotas, cohort=queue.cohort, weight=queue.weight)
        queues = {name: _cached(name, queue, trees) for name, queue in self.queues.items()}
        found = Snapshot(queues, {})
        for one in self.loads:
            found.add(holding(one))
        return found


def _cached(name: str, queue: Queue, trees: Forest) -> CachedQueue:
    node = trees.cluster_queue(name)
    assert node is not None
    policies = ClusterQueuePreemption(queue.within, queue.reclaim, queue.borrow)
    return CachedQueue(name, (), policies, FlavorFungibility(), nothing(), "BestEffortFIFO", node)


def holding(one: Load) -> Info:
    """A workload that holds quota."""
    when = datetime.fromtimestamp(NOW - one.reserved, UTC)
    conditions = [Condition(QUOTA_RESERVED, "True", last_transition_time=when)]
    if one.is_evicted:
        conditions.append(Condition(EVICTED, "True", last_transition_time=when))
    status = WorkloadStatus(tuple(conditions), Admission(one.queue))
    flavors = dict.fromkeys(one.requests, "default")
    return _info(one, status, PodSetResources("main", 1, dict(one.requests), flavors))


def incoming(one: Load) -> Info:
    """A workload that waits."""
    return _info(one, WorkloadStatus(), PodSetResources("main", 1, dict(one.requests)))


def _info(one: Load, status: WorkloadStatus, requests: PodSetResources) -> Info:
    metadata = ObjectMeta(name=one.name, namespace="ns", uid=f"uid-{one.name}")
    spec = WorkloadSpec(queue_name=one.local_queue, priority=one.priority)
    return Info(
        Workload(metadata, spec, status),
        (requests,),
        cluster_queue=one.queue,
        priority=one.priority,
        order_time=NOW - one.created,
    )


def assigned(info: Info, *fitting: FlavorResource) -> Assignment:
    """All that a workload requests, of the one flavor; by preemption, but for what fits."""
    (requests,) = info.total_requests
    flavors = {
        resource: FlavorAssignment(
            "default",
            Mode.FIT if FlavorResource("default", resource) in fitting else Mode.PREEMPT,
        )
        for resource in requests.requests
    }
    usage = {FlavorResource("default", name): value for name, value in requests.requests.items()}
    return Assignment([PodSetAssignment("main", 1, requests.requests, flavors)], usage=usage)


def state(snapshot: Snapshot) -> object:
    """Every number of the trees and every workload, to be compared."""
    nodes = {
        (node.name, node.is_cohort): dict(
            zip(node.layout.flavor_resources, node.usage, strict=True)
        )
        for queue in snapshot.queues.values()
        for node in queue.node.path()
    }
    held = {name: dict(queue.workloads) for name, queue in snapshot.queues.items()}
    return nodes, held, set(snapshot.out)


# Random scenes. They are made from a seed and not drawn piece by piece: most scenes that are drawn have room left.

_POLICIES = ("Never", *("LowerPriority", "LowerOrNewerEqualPriority", "Any", "Any", "Any") * 2)
_WEIGHTS = (0.0, 0.5, 1.0, 1.0, 2.0)
_COHORTS = {"root": "", "left": "root", "right": "root", "deep": "left"}


def scenes() -> st.SearchStrategy[tuple[Scene, Load]]:
    """A tree of cohorts, and a workload that comes to ClusterQueue `a`, mostly more than there is room for."""
    return st.integers(0, 2**32 - 1).map(lambda seed: scene_of(Random(seed)))


def scene_of(chance: Random) -> tuple[Scene, Load]:
    limits = chance.random() / 2
    cohorts = {
        name: Cohort(parent, _quotas(chance, 3, limits), chance.choice(_WEIGHTS))
        for name, parent in _COHORTS.items()
    }
    queues = {
        name: Queue(
            chance.choice(("root", "left", "left", "right", "deep")),
            _quotas(chance, 5, limits),
            chance.choice(_POLICIES),
            chance.choice(_POLICIES),
            _borrow(chance),
            chance.choice(_WEIGHTS),
        )
        for name in "abcde"
    }
    if chance.random() < 0.1:
        queues["a"] = replace(queues["a"], cohort="")
    count = chance.randrange(10)
    loads = tuple(random_load(chance, f"w{n}", chance.choice("abcde")) for n in range(count))
    scene = Scene(queues, loads, cohorts)
    asking = replace(random_load(chance, "asking", "a"), is_evicted=False)
    if chance.random() < 0.8:
        room = scene.snapshot().queues["a"].node.available(CPU)
        requests = {**asking.requests, "cpu": room + chance.choice((1, 1, 2, 3, 5))}
        asking = replace(asking, requests=requests, priority=chance.randint(0, 4))
    return scene, asking


def _quotas(chance: Random, most: int, limits: float) -> dict[FlavorResource, Quota]:
    def limit() -> int | None:
        return chance.randint(0, 3) if chance.random() < limits else None

    return {fr: Quota(chance.randint(0, most), limit(), limit()) for fr in (CPU, GPU)}


def _borrow(chance: Random) -> BorrowWithinCohort | None:
    if chance.random() < 0.5:
        return None
    threshold = chance.choice((None, 0, 1, 2))
    return BorrowWithinCohort(chance.choice(("Never", "LowerPriority", "LowerPriority")), threshold)


def random_load(chance: Random, name: str, queue: str) -> Load:
    requests = {"cpu": chance.randint(1, 4)}
    if chance.random() < 0.3:
        requests["gpu"] = chance.randint(0, 3)
    return Load(
        name,
        queue,
        requests,
        priority=chance.randint(-1, 3),
        reserved=chance.choice((100.0, 200.0, 300.0)),
        created=chance.choice((1000.0, 2000.0)),
        is_evicted=chance.random() < 0.15,
        local_queue=chance.choice(("blue", "red")),
    )
