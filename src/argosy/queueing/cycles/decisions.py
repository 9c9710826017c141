"""What a cycle decided: who gets quota, who is preempted for whom, and who waits and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from argosy.api.objects.kueue.workloads import Admission
from argosy.queueing.cycles.entries import Entry
from argosy.queueing.preemption.targets import Target


@dataclass(slots=True, frozen=True)
class Admit:
    """A workload gets quota."""

    entry: Entry
    admission: Admission


@dataclass(slots=True, frozen=True)
class Preempt:
    """Workloads have to go for a workload. Its entry is among the requeued ones, too."""

    entry: Entry
    targets: tuple[Target, ...]


@dataclass(slots=True)
class Outcome:
    """The decisions of a cycle, in the order they were made. Everybody else is `requeued`."""

    admitted: list[Admit] = field(default_factory=list)
    preempted: list[Preempt] = field(default_factory=list)
    requeued: list[Entry] = field(default_factory=list)
    # Preemptions that came too late in this cycle, by ClusterQueue.
    skipped_preemptions: Counter[str] = field(default_factory=Counter)
    # How recomputing overlapping targets ended, by ClusterQueue and result.
    recomputations: Counter[tuple[str, str]] = field(default_factory=Counter)
    # A workload had to wait for the pods of others to get ready; nothing was admitted after it.
    is_blocked: bool = False
