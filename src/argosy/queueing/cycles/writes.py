"""What a cycle's decisions mean for the API: statuses to be written, and events to be told once they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import FINISHED, Workload
from argosy.queueing.cycles.decisions import Admit
from argosy.queueing.cycles.entries import Entry
from argosy.queueing.flavors.reasons import considered
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.checking import checks_for, has_all_checks
from argosy.queueing.workloads.drafts import Happening, StatusDraft, happening
from argosy.queueing.workloads.evicting import Eviction
from argosy.queueing.workloads.phases import JOB_UID
from argosy.queueing.workloads.requeuing import queued_since
from argosy.queueing.workloads.reserving import reserve, set_back, sync_admitted


class Kind(StrEnum):
    """What a write does to its workload."""

    ADMIT = "admit"
    PREEMPT = "preempt"
    REPLACE = "replace"
    WAIT = "wait"


@dataclass(slots=True, frozen=True)
class Write:
    """A status to be written. Events are told of the workload and, of a preemption, of its preemptor.

    `entry` is that of a workload that waits; `eviction` is that of one that was preempted, and `preempting_queue` the
    ClusterQueue it has to go for.
    """

    kind: Kind
    draft: StatusDraft
    events: tuple[tuple[Workload, Happening], ...] = ()
    entry: Entry | None = None
    eviction: Eviction | None = None
    preempting_queue: str = ""

    @property
    def key(self) -> str:
        meta = self.draft.workload.metadata
        return f"{meta.namespace}/{meta.name}"


def admitting(decision: Admit, queue: ClusterQueue, now: datetime) -> Write:
    """Reserve the quota; the workload is admitted with it unless there are checks to wait for."""
    workload = decision.entry.info.obj
    draft = StatusDraft(workload, now)
    reserve(draft, decision.admission)
    if has_all_checks(draft.workload, checks_for(draft.workload, queue)):
        sync_admitted(draft)
    name = decision.admission.cluster_queue
    since = queued_since(workload)
    waited = max(0, int((now - since).total_seconds())) if since else 0
    text = f"Quota reserved in ClusterQueue {name}, wait time since queued was {waited}s"
    looked_at = considered(decision.entry.assignment)
    if looked_at:
        text += f"; Flavors considered: {looked_at}"
    events = [(workload, happening("Normal", reasons.QUOTA_RESERVED, text))]
    if draft.workload.is_admitted:
        text = f"Admitted by ClusterQueue {name}, wait time since reservation was 0s"
        events.append((workload, happening("Normal", reasons.ADMITTED, text)))
    return Write(Kind.ADMIT, draft, tuple(events))


def replacing(old: Workload, new: Workload, now: datetime) -> Write:
    """Finish a slice whose place another has taken."""
    draft = StatusDraft(old, now)
    job = new.metadata.labels.get(JOB_UID, "")
    text = (
        f"Replaced to accommodate a workload (UID: {new.metadata.uid}, JobUID: {job})"
        " due to workload slice aggregation"
    )
    reason = reasons.WORKLOAD_SLICE_REPLACED
    draft.set_condition(FINISHED, "True", reason, text)
    return Write(Kind.REPLACE, draft, ((old, happening("Normal", reason, text)),))


def waiting(entry: Entry, workload: Workload, now: datetime) -> Write | None:
    """Say why a workload waits; None if that is what it says already."""
    draft = StatusDraft(workload, now)
    told = set_back(draft, entry.reason, entry.message, entry.info.total_requests)
    if not draft.is_changed:
        return None
    return Write(Kind.WAIT, draft, ((workload, told),), entry)
