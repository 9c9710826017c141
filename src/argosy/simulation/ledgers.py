"""What happened: a record per job, meters over time, and the log of events.

Moments are seconds since the beginning of the scenario. A meter adds up an amount over time into slots of equal width,
so its memory does not grow with what happens. All is kept in the order of being told: a seed gives the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

import msgspec

from argosy.base.types import Json
from argosy.simulation.arriving import Arrival

WAITING: Final = "waiting"
RUNNING: Final = "running"
COMPLETE: Final = "complete"
FAILED: Final = "failed"
SLOTS: Final = 336


@dataclass(slots=True)
class Record:
    """One job. `units`: what a pod has of the resource that the scenario counts by; `width`: on how many clusters it
    is meant to be at once.
    """

    name: str
    namespace: str
    kind: str
    team: str
    classed: str
    queue: str
    priority: str
    pods: int
    units: float
    seconds: float
    submitted: float
    cluster: str = ""
    placed: float | None = None
    admitted: float | None = None
    started: float | None = None
    ended: float | None = None
    outcome: str = WAITING
    attempts: int = 0
    preemptions: int = 0
    evictions: int = 0
    moves: int = 0
    pod_failures: int = 0
    used: float = 0.0
    wasted: float = 0.0
    cost: float = 0.0
    stream: str = ""
    width: int = 1
    # Running pods by cluster.
    running: dict[str, int] = field(default_factory=dict)
    # Where it has been, and where it has ended.
    places: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)

    @property
    def key(self) -> tuple[str, str]:
        return self.namespace, self.name

    def wait(self, now: float) -> float:
        """From being submitted to the first running pod, or until now."""
        return (now if self.started is None else self.started) - self.submitted


class Meter:
    """An amount over time."""

    __slots__ = ("_at", "_width", "amount", "slots", "total")

    def __init__(self, horizon: float, slots: int = SLOTS) -> None:
        self.amount = 0.0
        self.total = 0.0
        self.slots = [0.0] * slots
        self._width = horizon / slots
        self._at = 0.0

    def add(self, at: float, amount: float) -> None:
        """From now on there is so much more of it."""
        self.close(at)
        self.amount += amount

    def close(self, at: float) -> None:
        """Take in what there has been until now."""
        if at <= self._at:
            return
        if self.amount:
            self.total += self.amount * (at - self._at)
            self._spread(self._at, at)
        self._at = at

    def means(self) -> list[float]:
        """The mean amount of each slot."""
        return [each / self._width for each in self.slots]

    def _spread(self, since: float, until: float) -> None:
        """What is later than the horizon belongs to no slot."""
        width = self._width
        for slot in range(int(since / width), len(self.slots)):
            end = min(until, (slot + 1) * width)
            self.slots[slot] += self.amount * max(0.0, end - since)
            if end >= until:
                return
            since = end


class Sink(Protocol):
    """Where lines of the event log go."""

    def write(self, data: bytes, /) -> object: ...


class Ledger:
    """All of it. `clock` tells the moment."""

    def __init__(self, horizon: float, clock: Callable[[], float], sink: Sink) -> None:
        self.horizon: Final = horizon
        self.jobs: dict[tuple[str, str], Record] = {}
        self.meters: dict[tuple[str, str], Meter] = {}
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._sink = sink
        self._encode = msgspec.json.Encoder().encode

    @property
    def now(self) -> float:
        return self._clock()

    def note(self, event: str, **more: Json) -> None:
        """A line of the event log."""
        self.counts[event] += 1
        self._sink.write(self._encode({"t": round(self.now, 3), "event": event, **more}) + b"\n")

    def meter(self, what: str, whose: str) -> Meter:
        key = (what, whose)
        found = self.meters.get(key)
        if found is None:
            found = self.meters[key] = Meter(self.horizon)
        return found

    def add(self, what: str, whose: str, amount: float) -> None:
        self.meter(what, whose).add(self.now, amount)

    def of(self, what: str) -> dict[str, Meter]:
        """The meters of one thing, by whose they are."""
        return {whose: meter for (each, whose), meter in self.meters.items() if each == what}

    def close(self) -> None:
        for meter in self.meters.values():
            meter.close(self.now)

    # The life of a job.

    def submitted(self, arrival: Arrival, units: float) -> Record:
        stream = arrival.stream
        record = Record(
            name=arrival.name,
            namespace=stream.namespace,
            kind=stream.kind,
            team=stream.team,
            classed=stream.classed,
            queue=stream.queue,
            priority=stream.priority,
            pods=arrival.pods,
            units=units,
            seconds=arrival.seconds,
            submitted=self.now,
            stream=stream.name,
            width=stream.spread,
        )
        self.jobs[record.key] = record
        self.add("waiting", record.team, 1)
        self.note(
            "submitted",
            job=f"{record.namespace}/{record.name}",
            team=record.team,
            pods=record.pods,
            seconds=round(record.seconds, 3),
        )
        return record

    def placed(self, record: Record, cluster: str) -> None:
        if record.cluster != cluster and len(record.places) >= record.width:
            record.moves += 1
        record.places.add(cluster)
        record.cluster = cluster
        if record.placed is None:
            record.placed = self.now
        self._tell("placed", record, cluster)

    def admitted(self, record: Record, cluster: str, flavors: str) -> None:
        record.attempts += 1
        if record.admitted is None:
            record.admitted = self.now
        self._tell("admitted", record, cluster, flavors=flavors)

    def evicted(self, record: Record, cluster: str, reason: str) -> None:
        record.evictions += 1
        record.preemptions += reason == "Preempted"
        self._tell("evicted", record, cluster, reason=reason)

    def pod_began(self, record: Record, cluster: str) -> None:
        if cluster not in record.running and len(record.running) >= record.width:
            self._tell("overlapped", record, cluster)
        record.running[cluster] = record.running.get(cluster, 0) + 1
        self.add("used", cluster, record.units)
        self.add("held", record.team, record.units)
        if record.started is None:
            record.started = self.now
            record.outcome = RUNNING
            self.add("waiting", record.team, -1)
            self._tell("started", record, cluster)

    def pod_ended(
        self, record: Record, cluster: str, seconds: float, price: float, outcome: str
    ) -> None:
        """`outcome` is Succeeded, Failed or Gone: work that came to nothing is wasted."""
        record.running[cluster] -= 1
        if not record.running[cluster]:
            del record.running[cluster]
        work = record.units * seconds
        record.used += work
        record.cost += price * seconds / 3600.0
        if outcome != "Succeeded":
            record.wasted += work
            if outcome == "Failed":
                record.pod_failures += 1
                self._tell("pod-failed", record, cluster)
        self.add("used", cluster, -record.units)
        self.add("held", record.team, -record.units)

    def ended(self, record: Record, cluster: str, outcome: str) -> None:
        if record.ended is not None:
            self._tell("ended-again", record, cluster, outcome=outcome)
            return
        record.ends.add(cluster)
        if len(record.ends) < record.width and outcome == COMPLETE:
            return
        if record.started is None:
            # Its pods were never seen running: they were too short.
            record.started = self.now
            self.add("waiting", record.team, -1)
        record.ended, record.outcome = self.now, outcome
        self._tell("ended", record, cluster, outcome=outcome)

    def gone(self, record: Record, cluster: str) -> None:
        """The job was removed from a cluster before its end."""
        self._tell("removed", record, cluster)

    def _tell(self, event: str, record: Record, cluster: str, **more: Json) -> None:
        self.note(event, cluster=cluster, job=f"{record.namespace}/{record.name}", **more)
