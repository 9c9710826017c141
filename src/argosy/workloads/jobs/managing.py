"""How many pods a Job should have now, and which to delete or make.

Deleting goes before making: one look does one of the two. Surplus pods go in upstream's order: pods without an index of
their own first, then not scheduled, pending, not ready, ready most recently, restarted most often, youngest. Failed
pods are replaced after their back-off (see `backoffs`); the whole Job waits, or each index by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from argosy.api.objects import Pod, find_condition
from argosy.workloads.jobs.assessing import Situation, is_indexed, only_replaces_failed
from argosy.workloads.jobs.backoffs import remaining_of_index
from argosy.workloads.jobs.indexes import NONE, UNKNOWN, first_pending
from argosy.workloads.jobs.ledgers import Entry, Ledger
from argosy.workloads.pods.ranking import most_restarts, phase_rank

# Pods made or deleted in one look: enough for most Jobs, few enough that a Job that is changed meanwhile is heard.
MOST_PER_LOOK: Final = 5000


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do to a Job's pods. `create` holds the index of each pod to make, UNKNOWN for a NonIndexed Job's."""

    delete: tuple[Pod, ...] = ()
    create: tuple[int, ...] = ()
    # Pods would have to be made, but it is too early.
    wait_seconds: float | None = None


NOTHING: Final = Plan()


def plan(situation: Situation, ledger: Ledger) -> Plan:
    """Compare the pods there are with those there should be. Costs a walk over the active pods only if some have to go,
    or if indexes have to be found for new ones.
    """
    if situation.is_suspended:
        return Plan(delete=_surplus(situation, ledger, len(ledger.active)))
    active = len(ledger.active)
    wanted = _wanted(situation)
    surplus = max(0, active - wanted)
    if surplus or _has_strange_indexes(situation, ledger):
        return Plan(delete=_surplus(situation, ledger, surplus)[:MOST_PER_LOOK])
    terminating = situation.terminating if only_replaces_failed(situation.job) else 0
    missing = wanted - terminating - active
    return _create(situation, ledger, missing) if missing > 0 else NOTHING


def _wanted(situation: Situation) -> int:
    spec = situation.job.spec
    parallelism = spec.parallelism or 0
    if spec.completions is None:
        # Once a pod has succeeded, those that run are left alone and no more are made.
        return situation.active if situation.succeeded else parallelism
    return max(0, min(parallelism, spec.completions - situation.succeeded))


def _create(situation: Situation, ledger: Ledger, missing: int) -> Plan:
    job, now = situation.job, situation.now
    is_per_index = job.spec.backoff_limit_per_index is not None
    if not is_per_index and (wait := situation.backoff.remaining(now)) > 0:
        return Plan(wait_seconds=wait)
    count = min(missing, MOST_PER_LOOK)
    if not is_indexed(job):
        return Plan(create=(UNKNOWN,) * count)
    running: Iterable[int] = ledger.active_indexes
    if only_replaces_failed(job):
        running = {*ledger.active_indexes, *ledger.terminating_indexes}
    indexes = first_pending(
        count,
        job.spec.completions or 0,
        situation.succeeded_indexes,
        frozenset(running),
        situation.failed_indexes or NONE,
    )
    if not is_per_index:
        return Plan(create=tuple(indexes))
    waits = {index: remaining_of_index(situation.delayed.get(index), now) for index in indexes}
    due = tuple(index for index, wait in waits.items() if wait == 0)
    return Plan(create=due) if due or not waits else Plan(wait_seconds=min(waits.values()))


def _has_strange_indexes(situation: Situation, ledger: Ledger) -> bool:
    job = situation.job
    return is_indexed(job) and ledger.has_surplus_indexes(job.spec.completions or 0)


def _surplus(situation: Situation, ledger: Ledger, at_least: int) -> tuple[Pod, ...]:
    """The active pods to delete: all with strange indexes, and others until there are enough."""
    going: list[Pod] = []
    staying: list[Pod] = []
    if is_indexed(situation.job):
        _part(ledger.active.values(), situation.job.spec.completions or 0, going, staying)
    else:
        staying = [found.pod for found in ledger.active.values()]
    if len(going) < at_least:
        going += sorted(staying, key=_progress)[: at_least - len(going)]
    return tuple(going)


def _part(active: Iterable[Entry], completions: int, going: list[Pod], staying: list[Pod]) -> None:
    """Have one pod stay for each index of the Job: the one that got furthest."""
    by_index: dict[int, list[Pod]] = {}
    for found in sorted(active, key=lambda found: found.index):
        by_index.setdefault(found.index, []).append(found.pod)
    for index, pods in by_index.items():
        if UNKNOWN < index < completions:
            pods.sort(key=_progress)
            going += pods[:-1]
            staying.append(pods[-1])
        else:
            going += pods


def _progress(pod: Pod) -> tuple[bool, int, bool, float, int, int, float]:
    """What sorts pods by how little is lost with them, least first."""
    ready = find_condition(pod.status.conditions, "Ready")
    is_ready = ready is not None and ready.status == "True"
    regular, sidecars = most_restarts(pod)
    return (
        bool(pod.spec.node_name),
        phase_rank(pod),
        is_ready,
        _latest_first(ready.last_transition_time if ready is not None and is_ready else None),
        -regular,
        -sidecars,
        _latest_first(pod.metadata.creation_timestamp),
    )


def _latest_first(when: datetime | None) -> float:
    return -when.timestamp() if when is not None else float("-inf")
