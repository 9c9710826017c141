"""One look at a job: what has to be done so that job and Workload follow each other. Pure.

The steps are upstream's, in upstream's order; each either ends the look or passes it on. A job gets one Workload that
mirrors it. It runs while that is admitted, and is suspended, with the templates it was made with, while it is not. When
the job ends the Workload is Finished; when the Workload is deleted, evicted or out of step, the job stops.

Nothing here waits: a job that still has pods after it was told to stop keeps its quota until it is found idle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.queueing.jobs import conditions, following, mirroring, names
from argosy.queueing.jobs.actions import Action, Change, DropFinalizer, PatchWorkload
from argosy.queueing.jobs.ancestry import TOO_DEEP, Lineage, NestingError, lineage, queue_name
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.looks import Look, is_held
from argosy.queueing.jobs.surroundings import Surroundings

_CHILD: Final = "Kueue managed child job suspended"


def decide(
    kind: JobKind, job: Object, workloads: Sequence[Workload], around: Surroundings
) -> list[Action]:
    """What to do now. `workloads` are those that a job of this name controls."""
    look = Look(kind, job, list(workloads), around)
    for step in STEPS:
        if step(look):
            break
    return look.actions


def decide_gone(workloads: Sequence[Workload], around: Surroundings) -> list[Action]:
    """What becomes of the Workloads of a job that is not there any more: they hold no quota, and go."""
    actions: list[Action] = []
    for workload in workloads:
        is_deleting = workload.metadata.deletion_timestamp is not None
        if not workload.is_finished and not is_deleting:
            status = conditions.finish(
                workload, "OwnerNotFound", conditions.OWNER_NOT_FOUND, around.now
            )
            actions.append(PatchWorkload(workload, {"status": status}, "status"))
        if is_held(workload):
            actions.append(DropFinalizer(workload))
    return actions


# The first steps: is this job ours at all? Each step returns whether the look is over.


def _leave_what_goes(look: Look) -> bool:
    """A job that is being deleted needs no quota beyond what its pods end with."""
    if not look.job["metadata"].get("deletionTimestamp"):
        return False
    for workload in look.workloads:
        if is_held(workload):
            look.actions.append(DropFinalizer(workload))
    return True


def _leave_what_is_skipped(look: Look) -> bool:
    if look.kind.is_skipped(look.job):
        return True
    return not look.around.is_managed_namespace(look.job["metadata"]["namespace"])


def _follow_ancestor(look: Look) -> bool:
    """A child of a managed job has no Workload of its own: it runs when the ancestor's is admitted."""
    rules = look.around.rules
    try:
        found = lineage(look.job, look.around.parent, manages_unnamed=rules.manages_unnamed)
    except NestingError:
        found = Lineage()
    if found.is_too_deep:
        look.event(names.JOB_NESTING_TOO_DEEP, TOO_DEEP, is_warning=True)
        return True
    if found.ancestor is None:
        return not queue_name(look.job) and not rules.manages_unnamed
    is_over = look.kind.finished(look.job) is not None
    if not is_over and not look.kind.is_suspended(look.job) and not _is_admitted(look, found):
        after = look.kind.suspended(look.job)
        look.actions.append(Change(look.kind.resource, look.job, after))
        look.event(names.SUSPENDED, _CHILD)
    return True


def _is_admitted(look: Look, found: Lineage) -> bool:
    assert found.ancestor is not None, "asked for jobs with an ancestor only"
    workloads = look.around.workloads_of(found.ancestor)
    return any(workload.is_admitted for workload in workloads)


STEPS: Final[tuple[Callable[[Look], bool], ...]] = (
    _leave_what_goes,
    _leave_what_is_skipped,
    _follow_ancestor,
    mirroring.find_prebuilt,
    mirroring.match,
    following.close_finished_workload,
    following.follow_deletion,
    following.hold,
    following.finish,
    mirroring.create,
    mirroring.follow_priority,
    following.reclaim,
    following.tell_pods_ready,
    following.follow_eviction,
    following.start,
    following.stop_unadmitted,
)
