"""What to do about a JobSet now: a snapshot in, a decision out.

Mirrors upstream's reconcile (v0.10). A finished JobSet only loses the Jobs that still run, and itself when its time is
over. Otherwise Jobs of earlier attempts go, a failed Job brings the failure policy into play and nothing else, then
success is looked for, and last come Jobs to make, suspend or resume.

Deterministic: the same snapshot gives the same decision, in the order of the spec.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Final

from argosy.api.objects import Job
from argosy.api.objects.jobsets import JobSet, ReplicatedJob
from argosy.base.types import Object
from argosy.workloads.jobsets.children import Children, sort_children
from argosy.workloads.jobsets.making import child_job, headless_service, resumed_template
from argosy.workloads.jobsets.names import CONTROLLER_NAME, REPLICATED_JOB_NAME, job_name
from argosy.workloads.jobsets.policies import (
    apply_failure_policy,
    blocks_creation,
    is_successful,
)
from argosy.workloads.jobsets.starting import eligible, has_started, is_in_order
from argosy.workloads.jobsets.statuses import COMPLETED, FAILED, Draft, counted

# Jobs made in one look; their events bring the next. Two billion replicas are valid, and must not stop the cluster.
MOST_PER_LOOK: Final = 1000


@dataclass(slots=True, frozen=True)
class Resumption:
    """A Job to be resumed, and what becomes of its pod template."""

    job: Job
    template: Object


@dataclass(slots=True)
class Decision:
    """Writes in the order they are to be made; the status comes after them."""

    draft: Draft
    deletions: list[Job] = field(default_factory=list)
    # The service that has to be there.
    service: Object | None = None
    creations: list[Object] = field(default_factory=list)
    suspensions: list[Job] = field(default_factory=list)
    resumptions: list[Resumption] = field(default_factory=list)
    # The JobSet itself has outlived its ttlSecondsAfterFinished.
    is_expired: bool = False
    look_again_seconds: float | None = None


def is_ours(jobset: JobSet) -> bool:
    """Whether this controller is to do anything for the JobSet."""
    is_mine = jobset.spec.managed_by in {None, CONTROLLER_NAME}
    return is_mine and jobset.metadata.deletion_timestamp is None


def decide(jobset: JobSet, jobs: Iterable[Job], now: datetime) -> Decision:
    """`jobs` are all Jobs that the JobSet controls."""
    children = sort_children(jobset, jobs)
    draft = Draft(jobset.status, now)
    decision = Decision(draft)
    draft.count(counted(jobset, children))
    if jobset.is_finished:
        decision.deletions = _undeleted(children.active)
        _expire(jobset, decision)
        return decision
    decision.deletions = _undeleted(children.previous)
    if children.failed:
        apply_failure_policy(jobset, children, draft)
    elif children.succeeded and is_successful(jobset, children.succeeded):
        draft.complete()
    else:
        _keep_running(jobset, children, decision)
    return decision


def _keep_running(jobset: JobSet, children: Children, decision: Decision) -> None:
    if jobset.spec.network.enable_dns_hostnames:
        decision.service = headless_service(jobset)
    _create(jobset, children, decision)
    if jobset.spec.suspend:
        decision.suspensions = [job for job in children.active if not job.spec.suspend]
        decision.draft.suspend()
    else:
        _resume(jobset, children, decision)


def _create(jobset: JobSet, children: Children, decision: Decision) -> None:
    draft = decision.draft
    waits = is_in_order(jobset) and not jobset.spec.suspend
    for replicated in eligible(jobset, draft):
        if waits and has_started(replicated, draft):
            continue
        room = MOST_PER_LOOK - len(decision.creations)
        decision.creations += islice(_missing(jobset, replicated, children), room)
        if waits:
            draft.start_in_order()
            return
    if waits:
        draft.started_in_order()


def _missing(jobset: JobSet, replicated: ReplicatedJob, children: Children) -> Iterator[Object]:
    if blocks_creation(jobset, children):
        return
    taken = children.names
    name = jobset.metadata.name
    for index in range(replicated.replicas):
        if job_name(name, replicated.name, index) not in taken:
            yield child_job(jobset, replicated, index)


def _resume(jobset: JobSet, children: Children, decision: Decision) -> None:
    draft = decision.draft
    suspended = [job for job in children.active if job.spec.suspend]
    for replicated in eligible(jobset, draft):
        if is_in_order(jobset) and has_started(replicated, draft):
            continue
        decision.resumptions += [
            Resumption(job, resumed_template(job, replicated))
            for job in suspended
            if job.metadata.labels.get(REPLICATED_JOB_NAME) == replicated.name
        ]
        if is_in_order(jobset):
            draft.start_in_order()
            return
    draft.resume()


def _expire(jobset: JobSet, decision: Decision) -> None:
    keep = jobset.spec.ttl_seconds_after_finished
    if keep is None:
        return
    for condition in jobset.status.conditions:
        finished = condition.last_transition_time
        is_end = condition.type in {COMPLETED, FAILED} and condition.status == "True"
        if is_end and finished is not None:
            left = finished.timestamp() + keep - decision.draft.now.timestamp()
            decision.is_expired = left <= 0
            decision.look_again_seconds = left if left > 0 else None
            return


def _undeleted(jobs: list[Job]) -> list[Job]:
    return [job for job in jobs if job.metadata.deletion_timestamp is None]
