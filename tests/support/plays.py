"""A play: the engine, the API it reads and writes, and the jobs behind the workloads, in virtual time and without I/O.

Objects are put, as a user would; what the engine decides is written; jobs of admitted workloads run for their seconds
and finish, those of evicted ones stop after a while and give their quota back. Everything that happens at once is done
before time passes, and time jumps to whatever happens next. A play is at rest when nothing will ever happen by itself.

`restart` throws the engine away and builds another one from the objects, as a new process does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from msgspec.structs import replace

from argosy.api.objects import Namespace, ObjectMeta
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cycles.decisions import Outcome
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.cycles.ordering import Classical, Fair
from argosy.queueing.cycles.scheduling import Scheduler
from argosy.queueing.cycles.writes import Kind, Write
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.rounds import LIMIT, Rounds
from argosy.queueing.queues.queues import Queues
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.quotas.shares import Share, share_of
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.finishing import finish
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.phases import holds_quota
from argosy.queueing.workloads.reserving import release_evicted
from tests.support.queues import key_of

START = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
# Cycles after which a play that should have come to rest counts as one that never does.
ENDLESS = 5000

Settings: TypeAlias = ResourceFlavor | Cohort | ClusterQueue | LocalQueue
# What an engine is told, at what time.
News: TypeAlias = Callable[[Engine, float], None]


def new_engine(fair: FairSharing | None = None, rounds: int | None = LIMIT) -> Engine:
    """An engine that knows nothing yet, in a cluster where every namespace is there."""
    cache = Cache()
    queues = Queues(cache.forest, lambda _: {})
    nominator = Nominator(
        Assigner(is_fair_sharing=fair is not None),
        Preemptor(fair, rounds=Rounds(rounds)),
        Surroundings(lambda name: Namespace(ObjectMeta(name=name)), lambda _: {}),
    )
    scheduler = Scheduler(nominator, Classical if fair is None else Fair)
    return Engine(cache, queues, scheduler, Infos())


@dataclass(slots=True)
class Job:
    """What a workload is for. It runs from its beginning whenever it is started."""

    seconds: float
    ends: float | None = None
    stops: float | None = None
    completions: int = 0

    @property
    def due(self) -> float | None:
        return self.ends if self.stops is None else self.stops


class Play:
    """One cluster. `fair` is fair sharing as it is configured, none for classical preemption; `rounds` is how often a
    workload may push out the same one while nothing comes from outside.
    """

    def __init__(
        self,
        *settings: Settings,
        fair: FairSharing | None = None,
        rounds: int | None = LIMIT,
        seconds_to_stop: float = 2.0,
    ) -> None:
        self.now = START
        self.fair = fair
        self.rounds = rounds
        self.seconds_to_stop = seconds_to_stop
        self.engine = new_engine(fair, rounds)
        self.settings: dict[tuple[type[Settings], str], Settings] = {}
        self.workloads: dict[str, Workload] = {}
        self.jobs: dict[str, Job] = {}
        self.revision = 0
        self.cycles = 0
        # Everything that was written by the engine, in order: what was done to whom.
        self.told: list[tuple[Kind, str]] = []
        # Called whenever the engine or the API changed.
        self.watch: Callable[[], None] = lambda: None
        self.put(*settings)

    # What users do.

    def put(self, *settings: Settings) -> None:
        """Create or change queues, cohorts and flavors."""
        for one in settings:
            self.settings[type(one), _key(one)] = one
            self.tell(_putting(one))

    def drop(self, *settings: Settings) -> None:
        """Delete them."""
        for one in settings:
            if self.settings.pop((type(one), _key(one)), None) is not None:
                self.tell(_dropping(one))

    def submit(self, *workloads: Workload, seconds: float = math.inf) -> None:
        """Create workloads whose jobs take this long."""
        for one in workloads:
            self.jobs[key_of(one)] = Job(seconds)
            self.store(one)

    def delete(self, key: str) -> None:
        """Delete a workload with its job."""
        if self.workloads.pop(key, None) is not None:
            del self.jobs[key]
            self.tell(lambda engine, now: engine.drop_workload(key, now))

    # What happens by itself.

    def step(self) -> bool:
        """Let the next thing happen; False if nothing will ever happen."""
        if self._work() or self._decide():
            return True
        due = self._next_time()
        if due is None:
            return False
        self.now = max(self.now, due)
        return True

    def rest(self, cycles: int = ENDLESS) -> int:
        """Play until nothing happens any more. Returns after how many cycles; too many fail."""
        before = self.cycles
        while self.step():
            assert self.cycles - before < cycles, f"no rest after {cycles} cycles"
        return self.cycles - before

    def play(self, seconds: float) -> None:
        """Let this much time pass."""
        end = self.now + seconds
        while self._work() or self._decide() or self._is_due(end):
            pass
        self.now = end

    def cycle(self) -> Outcome:
        """One cycle, its decisions on their way."""
        self.cycles += 1
        outcome, writes = self.engine.cycle(_datetime(self.now))
        for write in writes:
            self.send(write)
        self.watch()
        return outcome

    def restart(self, shuffle: Callable[[list[News]], None] = lambda _: None) -> None:
        """Go on with a new engine; `shuffle` may change the order in which it gets to know the objects."""
        self.engine = new_engine(self.fair, self.rounds)
        puts = [_putting(one) for one in (*self.settings.values(), *self.workloads.values())]
        shuffle(puts)
        for put in puts:
            put(self.engine, self.now)
        self.watch()

    # What can be seen.

    def admitted(self, queue: str = "") -> set[str]:
        """The names of workloads that hold quota and are not on their way out, of one ClusterQueue or of all."""
        return {
            one.metadata.name
            for one in self.holders()
            if not one.is_evicted and queue in ("", admitting_queue(one))
        }

    def holders(self) -> list[Workload]:
        """The workloads that hold quota, evicted ones included."""
        return [one for one in self.workloads.values() if holds_quota(one)]

    def node(self, name: str) -> Node:
        """A ClusterQueue's place in the quota tree, else that of the cohort of this name."""
        forest = self.engine.cache.forest
        node = forest.cluster_queue(name) or forest.cohort(name)
        assert node is not None, f"there is neither a ClusterQueue nor a cohort {name}"
        return node

    def usage(self, name: str, resource: str, flavor: str = "default") -> int:
        """How much of a flavor's resource a ClusterQueue or cohort uses."""
        node = self.node(name)
        return node.usage[node.position(FlavorResource(flavor, resource))]

    def share(self, name: str) -> Share:
        """The share of a ClusterQueue or cohort."""
        return share_of(self.node(name))

    # The way to the API and back, for plays where that takes time.

    def send(self, write: Write) -> None:
        """A decision leaves for the API."""
        self.arrive(write)

    def tell(self, news: News) -> None:
        """The engine hears of a change."""
        news(self.engine, self.now)

    def arrive(self, write: Write) -> None:
        """A decision is there: it is written if the workload is as it was when it was decided."""
        new = write.draft.workload
        key, old = key_of(new), self.workloads.get(key_of(new))
        if old is None or old.metadata.resource_version != new.metadata.resource_version:
            self.engine.failed(write, old, self.now)
            return
        self.told.append((write.kind, key))
        stored = self.store(new)
        self.engine.written(write, int(stored.metadata.resource_version), self.now)
        self.watch()

    def store(self, workload: Workload) -> Workload:
        """Write a workload to the API."""
        self.revision += 1
        meta = replace(workload.metadata, resource_version=str(self.revision))
        stored = self.workloads[key_of(workload)] = replace(workload, metadata=meta)
        self.tell(_putting(stored))
        return stored

    # Within.

    def _decide(self) -> bool:
        if not self.engine.has_work(self.now):
            return False
        self.cycle()
        return True

    def _work(self) -> bool:
        """Let jobs start, stop and end; whether any did."""
        done = [self._attend(one, self.jobs[key]) for key, one in sorted(self.workloads.items())]
        return any(done)

    def _attend(self, workload: Workload, job: Job) -> bool:
        if not holds_quota(workload):
            return False
        if workload.is_evicted:
            return self._stop(workload, job)
        if job.ends is None and workload.is_admitted:
            job.ends = self.now + job.seconds
            return True
        if job.ends is None or job.ends > self.now:
            return False
        job.ends = None
        job.completions += 1
        draft = StatusDraft(workload, _datetime(self.now))
        finish(draft, "Succeeded", "Job finished successfully")
        self.store(draft.workload)
        self.watch()
        return True

    def _stop(self, workload: Workload, job: Job) -> bool:
        """The pods of an evicted job go, and with the last of them its quota."""
        if job.ends is not None and job.stops is None:
            job.stops = self.now + self.seconds_to_stop
            return True
        if job.stops is not None and job.stops > self.now:
            return False
        job.ends = job.stops = None
        draft = StatusDraft(workload, _datetime(self.now))
        release_evicted(draft)
        self.store(draft.workload)
        self.watch()
        return True

    def _next_time(self) -> float | None:
        jobs = (self.jobs[key_of(one)] for one in self.holders())
        dues = [self.engine.queues.next_time, *(job.due for job in jobs)]
        return min((due for due in dues if due is not None and due < math.inf), default=None)

    def _is_due(self, end: float) -> bool:
        due = self._next_time()
        if due is None or due > end:
            return False
        self.now = max(self.now, due)
        return True


def admitting_queue(workload: Workload) -> str:
    """The ClusterQueue whose quota a workload holds."""
    admission = workload.status.admission
    return admission.cluster_queue if admission is not None else ""


def _key(one: Settings) -> str:
    meta = one.metadata
    return f"{meta.namespace}/{meta.name}" if isinstance(one, LocalQueue) else meta.name


def _putting(one: Settings | Workload) -> News:
    match one:
        case Workload():
            return lambda engine, now: engine.put_workload(one, now)
        case ResourceFlavor():
            return lambda engine, now: engine.put_flavor(one, now)
        case Cohort():
            return lambda engine, now: engine.put_cohort(one, now)
        case ClusterQueue():
            return lambda engine, now: engine.put_cluster_queue(one, now)
        case LocalQueue():
            return lambda engine, now: engine.put_local_queue(one, now)


def _dropping(one: Settings) -> News:
    key = _key(one)
    match one:
        case ResourceFlavor():
            return lambda engine, now: engine.drop_flavor(key, now)
        case Cohort():
            return lambda engine, now: engine.drop_cohort(key, now)
        case ClusterQueue():
            return lambda engine, now: engine.drop_cluster_queue(key, now)
        case LocalQueue():
            return lambda engine, now: engine.drop_local_queue(key, now)


def _datetime(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)
