"""Explain a workload on a picture of its cluster.

Finished, admitted and reserved workloads are told by their conditions. A pending one is told in the order in which it
would be stopped: deactivated or on hold, its queues, its gates, a back-off that is not over, what nomination refuses,
and only then quota. Pure: a picture in, an explanation out.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from argosy.api.objects.kueue.workloads import (
    ADMITTED,
    EVICTED,
    FINISHED,
    PODS_READY,
    PREEMPTED,
    QUOTA_RESERVED,
    REQUEUED,
    Workload,
)
from argosy.base.selectors.labels import nothing
from argosy.base.timestamps import format_time
from argosy.queueing.cache.clusterqueues import STRICT_FIFO
from argosy.queueing.cycles.entries import Entry
from argosy.queueing.explaining.explanations import (
    Explanation,
    Outlook,
    Position,
    Said,
    levels_of,
    said_by,
)
from argosy.queueing.explaining.holders import fewest_that_suffice, holders
from argosy.queueing.explaining.looks import looks
from argosy.queueing.explaining.pictures import Picture
from argosy.queueing.explaining.remedies import Remedy, for_quota
from argosy.queueing.explaining.unblocking import remedies_for
from argosy.queueing.flavors.assignments import Mode
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.explaining import Surroundings, queue_blocker
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.phases import Phase, gates, is_on_hold, phase

# More flavors than this are not explained one by one: remedies would drown the answer.
_FLAVORS_TOLD: Final = 4


def explain(
    workload: Workload, picture: Picture, *, now: datetime, position: Position | None = None
) -> Explanation:
    """`position` is where the workload waits by the scheduler's own word, where that could be asked."""
    name = picture.cluster_queue_of(workload)
    found = Explanation(workload, phase(workload), name)
    node = picture.cache.forest.cluster_queue(name) if name else None
    if node is not None:
        found.cohorts = tuple(level.name for level in node.path())[1:]
    if not picture.sees_queues:
        found.notes.append(
            "ClusterQueues cannot be seen with these rights: what is missing, and who holds it, cannot be told."
        )
    elif not picture.sees_all:
        found.notes.append(
            "Workloads of other namespaces cannot be seen with these rights; what they hold is known, not who they are."
        )
    _BY_PHASE[found.phase](found, picture, now)
    if found.phase is Phase.PENDING:
        found.position = position or _position(workload, picture, name)
    return found


def _position(workload: Workload, picture: Picture, name: str) -> Position | None:
    line = picture.line(name) if name else []
    keys = [info.key for info in line]
    key = f"{workload.metadata.namespace}/{workload.metadata.name}"
    if key not in keys:
        return None
    place = keys.index(key)
    return Position(place, len(keys), keys[place - 1] if place else "")


# Workloads that do not wait.


def _finished(found: Explanation, picture: Picture, now: datetime) -> None:
    found.said = said_by(found.workload.condition(FINISHED))


def _admitted(found: Explanation, picture: Picture, now: datetime) -> None:
    workload = found.workload
    found.said = said_by(workload.condition(ADMITTED))
    found.usage = dict(picture.info(workload).usage)
    _note_leaving(found)
    ready = workload.condition(PODS_READY)
    if ready is not None and ready.status != "True":
        found.notes.append(f"Its pods are not all ready: {ready.message}.")


def _reserved(found: Explanation, picture: Picture, now: datetime) -> None:
    workload = found.workload
    found.said = said_by(workload.condition(ADMITTED)) or said_by(
        workload.condition(QUOTA_RESERVED)
    )
    found.usage = dict(picture.info(workload).usage)
    _note_leaving(found)
    for check in workload.status.admission_checks:
        if check.state != reasons.CHECK_READY:
            told = f" ({check.message})" if check.message else ""
            found.notes.append(f"Admission check {check.name} is {check.state}{told}.")


def _note_leaving(found: Explanation) -> None:
    evicted = found.workload.condition(EVICTED)
    if evicted is not None and evicted.status == "True":
        found.notes.append(
            f"It is being evicted ({evicted.reason}): {evicted.message.rstrip('.')}."
        )


# Workloads that wait.


def _pending(found: Explanation, picture: Picture, now: datetime) -> None:
    workload = found.workload
    found.said = said_by(workload.condition(QUOTA_RESERVED))
    for kind in (PREEMPTED, EVICTED):
        past = workload.condition(kind)
        if past is not None and past.status == "True":
            found.notes.append(f"It was {kind.lower()} ({past.reason}): {past.message}")
            break
    if not picture.sees_queues:
        return
    blocker = _blocker(found, picture, now)
    if blocker is not None:
        _block(found, picture, blocker)
        return
    _backoff(found, now)
    _look(found, picture, now)


def _blocker(found: Explanation, picture: Picture, now: datetime) -> Said | None:
    """What keeps the workload out of any line."""
    workload = found.workload
    if not workload.spec.active:
        return Said(reasons.DEACTIVATED, "The workload is deactivated")
    if is_on_hold(workload):
        return found.said
    cache, key = picture.cache, (workload.metadata.namespace, workload.spec.queue_name)
    blocked = queue_blocker(
        workload,
        Surroundings(
            now=now,
            local_queue=picture.local_queues.get(key),
            cluster_queue_name=found.cluster_queue,
            cluster_queue=cache.objects.get(found.cluster_queue),
            is_active=cache.readiness(found.cluster_queue).is_active,
            namespaces=nothing(),
        ),
    )
    if blocked is not None:
        return Said(*blocked)
    gated = gates(workload)
    return Said(reasons.ADMISSION_GATED, f"Admission is gated by: {gated}") if gated else None


def _block(found: Explanation, picture: Picture, blocker: Said) -> None:
    found.outlook = Outlook.BLOCKED
    _say(found, blocker)
    found.remedies += remedies_for(blocker, found.workload, found.cluster_queue, picture.cache)


def _say(found: Explanation, now: Said) -> None:
    said = found.said
    if said is None or (said.reason, said.message) != (now.reason, now.message):
        found.now = now


def _backoff(found: Explanation, now: datetime) -> None:
    state, requeued = found.workload.status.requeue_state, found.workload.condition(REQUEUED)
    at = state.requeue_at if state is not None else None
    if at is not None and at > now:
        found.notes.append(f"It was sent back and is not tried again before {format_time(at)}.")
    elif requeued is not None and requeued.status == "False":
        found.notes.append(f"It was sent back ({requeued.reason}) and is not tried again yet.")


def _look(found: Explanation, picture: Picture, now: datetime) -> None:
    """Nominate the workload as if it were first in line."""
    info = picture.info(found.workload)
    snapshot = picture.cache.snapshot()
    entry, takes_part = picture.nominator.nominate(info, snapshot, cycle=0, now=now.timestamp())
    if not takes_part:
        _block(found, picture, Said(entry.reason, entry.message))
        return
    queue = snapshot.queues[info.cluster_queue]
    found.is_strict = queue.strategy == STRICT_FIFO
    found.looks = looks(info, queue, entry.assignment)
    found.victims = entry.targets
    if entry.assignment.mode is Mode.FIT:
        found.outlook = Outlook.FITS
        _note_partial(found, entry, info)
        return
    found.outlook = Outlook.PREEMPTS if entry.targets else Outlook.WAITS
    reason = entry.assignment.no_fit_reason or reasons.WAITING_FOR_QUOTA
    if entry.targets:
        reason = reasons.WAITING_FOR_PREEMPTED_WORKLOADS
        _note_partial(found, entry, info)
    _say(found, Said(reason, entry.message))
    _account(found, picture, info)


def _note_partial(found: Explanation, entry: Entry, info: Info) -> None:
    """Where only some pods can be had."""
    full = {one.name: one.count for one in info.total_requests}
    for pod_set in entry.assignment.pod_sets:
        count = full[pod_set.name]
        if pod_set.count < count:
            found.notes.append(f"Of pod set {pod_set.name} {pod_set.count} of {count} pods fit.")


def _account(found: Explanation, picture: Picture, info: Info) -> None:
    """Say what is missing where, who holds it, and what would help."""
    node = picture.cache.snapshot().queues[info.cluster_queue].node
    short = [look for look in found.looks if look.missing]
    for look in short:
        for one in look.missing:
            found.levels += levels_of(node, one)
    missing = {one.where for look in short if not look.is_impossible for one in look.missing}
    found.holders = holders(picture.cache, node, missing)
    if found.outlook is Outlook.PREEMPTS:
        names = tuple(target.info.key for target in found.victims)
        found.remedies.append(
            Remedy(f"it makes room itself, by preempting {', '.join(names)}", workloads=names)
        )
        return
    _note_pods(found, info)
    _note_policies(found, picture)
    for look in short[:_FLAVORS_TOLD]:
        wanted = {one.where for one in look.missing}
        among = [one for one in found.holders if wanted & one.usage.keys()]
        waited_for = fewest_that_suffice(picture.cache, node, look.missing, among)
        found.remedies += for_quota(look, node, waited_for)
    mismatched = [look for look in found.looks if look.is_mismatch]
    if mismatched and not short:
        found.remedies += remedies_for(
            Said(reasons.NO_MATCHING_FLAVOR, ""), found.workload, found.cluster_queue, picture.cache
        )


def _note_pods(found: Explanation, info: Info) -> None:
    """How many pods would fit, where not all do."""
    counts = {one.name: one.count for one in info.total_requests}
    for look in found.looks:
        count = counts[look.pod_set]
        each = [one for one in look.needs if one.requested >= count > 1]
        if len(counts) > 1 or not each or len(each) < len(look.needs):
            continue
        fitting = min(max(0, one.free) * count // one.requested for one in each)
        if 0 < fitting < count:
            found.notes.append(
                f"{fitting} of its {count} pods would fit in flavor {look.flavor}:"
                " a job that may run with fewer pods could start with these."
            )


def _note_policies(found: Explanation, picture: Picture) -> None:
    """Why nobody has to go."""
    if any(look.mode is Mode.PREEMPT for look in found.looks):
        policies = picture.cache.objects[found.cluster_queue].spec.preemption
        found.notes.append(
            f"Nobody can be preempted for it: ClusterQueue {found.cluster_queue} has withinClusterQueue"
            f" {policies.within_cluster_queue} and reclaimWithinCohort {policies.reclaim_within_cohort}."
        )


_BY_PHASE: Final[dict[Phase, Callable[[Explanation, Picture, datetime], None]]] = {
    Phase.FINISHED: _finished,
    Phase.ADMITTED: _admitted,
    Phase.QUOTA_RESERVED: _reserved,
    Phase.PENDING: _pending,
}
