"""Where a Job stands: what has ended since, what is to be counted, and whether it is over.

`assess` takes the Job, its ledger and the time, and gives a `Situation`, on which `managing` (how many pods there
should be) and `tracking` (counting and letting go of ended ones) go on. The order of the questions is upstream's,
because more than one answer can be true: an earlier verdict stays; then the failure policy, the backoff limit, the
deadline, failed indexes; then the success policy. Reaching the completions is asked last, after pods were managed.

A Job that is over gets an interim condition first (FailureTarget, SuccessCriteriaMet) and its final one (Failed,
Complete) when all of its pods have ended. Nothing here does I/O or changes the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from argosy.api.objects import Condition, Job, Pod, find_condition, is_true
from argosy.workloads.jobs import backoffs
from argosy.workloads.jobs.backoffs import BackoffRecord
from argosy.workloads.jobs.drafts import (
    FAILED,
    FAILURE_TARGET,
    SUCCESS_CRITERIA_MET,
    SUSPENDED,
    Draft,
    condition,
    draft_of,
)
from argosy.workloads.jobs.indexes import NONE, UNKNOWN, Indexes, parse
from argosy.workloads.jobs.ledgers import Entry, Ledger
from argosy.workloads.jobs.policies import judge_failure, met_success


@dataclass(slots=True)
class Situation:
    """One look at one Job. `draft` is its next status; `finishing` the condition that ends it."""

    job: Job
    now: datetime
    draft: Draft
    is_settled: bool
    active: int
    ready: int
    terminating: int
    # Pods with the finalizer that count (have ended, or all of them once the Job is over), as they are now.
    countable: Sequence[Entry]
    succeeded: int
    failed: int
    backoff: BackoffRecord
    finishing: Condition | None = None
    # Indexed Jobs only.
    previous_indexes: Indexes = NONE
    succeeded_indexes: Indexes = NONE
    failed_indexes: Indexes | None = None
    # The failed pod of an index that is kept until it is replaced, because its annotations hold the index's count.
    delayed: dict[int, Pod] = field(default_factory=dict)
    # Look again after so many seconds.
    look_again: float | None = None

    @property
    def is_suspended(self) -> bool:
        return self.job.spec.suspend


def is_indexed(job: Job) -> bool:
    return job.spec.completion_mode == "Indexed"


def only_replaces_failed(job: Job) -> bool:
    """Whether a pod that is being deleted counts, and is replaced, only once it has ended."""
    return job.spec.pod_replacement_policy == "Failed" or job.spec.pod_failure_policy is not None


def is_failed(job: Job, pod: Pod) -> bool:
    """Whether a pod has failed, or counts as failed because it was deleted."""
    if pod.status.phase == "Failed":
        return True
    return (
        pod.metadata.deletion_timestamp is not None
        and pod.status.phase != "Succeeded"
        and not only_replaces_failed(job)
    )


def has_index(job: Job, found: Entry) -> bool:
    """Whether a pod counts at all: any of a NonIndexed Job, one with an index of the Job otherwise."""
    return not is_indexed(job) or UNKNOWN < found.index < (job.spec.completions or 0)


def assess(job: Job, ledger: Ledger, now: datetime, *, is_settled: bool) -> Situation:
    """Look at a Job. `is_settled` says whether everything asked for earlier is in the ledger."""
    draft = draft_of(job.status)
    ending = list(ledger.ending.values())
    known_succeeded, known_failed = set(draft.uncounted_succeeded), set(draft.uncounted_failed)
    valid = [found for found in ending if has_index(job, found)]
    succeeded = [
        found.pod
        for found in valid
        if found.pod.status.phase == "Succeeded" and found.uid not in known_succeeded
    ]
    failed = [
        found.pod for found in valid if found.uid not in known_failed and is_failed(job, found.pod)
    ]
    counted = failed
    if (policy := job.spec.pod_failure_policy) is not None:
        counted = [pod for pod in failed if judge_failure(policy, pod).counts]
    situation = Situation(
        job,
        now,
        draft,
        is_settled,
        active=len(ledger.active),
        ready=ledger.ready,
        terminating=ledger.terminating,
        countable=ending,
        succeeded=draft.succeeded + len(succeeded) + len(known_succeeded),
        failed=draft.failed + len(counted) + len(known_failed),
        backoff=backoffs.after(ledger.backoff, succeeded, failed),
    )
    if draft.start_time is None and not situation.is_suspended:
        draft.start_time = now
    situation.finishing = (
        _earlier_verdict(situation)
        or _failed_by_policy(situation)
        or _failed_by_limits(situation, ledger)
    )
    if is_indexed(job):
        _assess_indexes(situation, ledger)
    if situation.finishing is not None or job.metadata.deletion_timestamp is not None:
        situation.countable = list(ledger.tracked.values())
    if is_indexed(job):
        situation.countable = sorted(situation.countable, key=lambda found: found.index)
    return situation


def _earlier_verdict(situation: Situation) -> Condition | None:
    conditions = situation.job.status.conditions
    if is_true(conditions, SUCCESS_CRITERIA_MET):
        return find_condition(conditions, SUCCESS_CRITERIA_MET)
    target = find_condition(conditions, FAILURE_TARGET)
    if target is not None and target.status == "True":
        return condition(FAILED, "True", target.reason, target.message, situation.now)
    return None


def _failed_by_policy(situation: Situation) -> Condition | None:
    job = situation.job
    if (policy := job.spec.pod_failure_policy) is None:
        return None
    for found in situation.countable:
        if is_failed(job, found.pod) and (message := judge_failure(policy, found.pod).message):
            return _target(situation, "PodFailurePolicy", message)
    return None


def _failed_by_limits(situation: Situation, ledger: Ledger) -> Condition | None:
    job = situation.job
    limit = job.spec.backoff_limit or 0
    if situation.failed > limit or _restarted_too_often(job, ledger, limit):
        return _target(
            situation, "BackoffLimitExceeded", "Job has reached the specified backoff limit"
        )
    deadline, started = job.spec.active_deadline_seconds, situation.draft.start_time
    if deadline is None or started is None or situation.is_suspended:
        return None
    if is_true(job.status.conditions, SUSPENDED):
        # It is being resumed, and starts anew. Upstream says so too, but holds the time before against the deadline.
        started = situation.now
    left = deadline - (situation.now - started).total_seconds()
    if left <= 0:
        return _target(
            situation, "DeadlineExceeded", "Job was active longer than specified deadline"
        )
    situation.look_again = left
    return None


def _restarted_too_often(job: Job, ledger: Ledger, limit: int) -> bool:
    if job.spec.template.get("spec", {}).get("restartPolicy") != "OnFailure":
        return False
    return ledger.restarts >= max(limit, 1)


def _assess_indexes(situation: Situation, ledger: Ledger) -> None:
    job = situation.job
    completions = job.spec.completions or 0
    valid = [found for found in situation.countable if has_index(job, found)]
    situation.previous_indexes = parse(job.status.completed_indexes, completions)
    situation.succeeded_indexes = situation.previous_indexes.with_indexes(
        found.index for found in valid if found.pod.status.phase == "Succeeded"
    )
    situation.succeeded = situation.succeeded_indexes.total
    if job.spec.backoff_limit_per_index is not None:
        failed = situation.failed_indexes = parse(
            job.status.failed_indexes or "", completions
        ).with_indexes(found.index for found in valid if _is_index_failed(job, found.pod))
        if situation.finishing is None:
            situation.finishing = _failed_by_indexes(situation, failed.total, completions)
        situation.delayed = _delayed(situation, ledger, valid, failed)
    if situation.finishing is None and (
        message := met_success(job.spec.success_policy, completions, situation.succeeded_indexes)
    ):
        situation.finishing = condition(
            SUCCESS_CRITERIA_MET, "True", "SuccessPolicy", message, situation.now
        )


def _failed_by_indexes(situation: Situation, failed: int, completions: int) -> Condition | None:
    most = situation.job.spec.max_failed_indexes
    if most is not None and failed > most:
        message = "Job has exceeded the specified maximal number of failed indexes"
        return _target(situation, "MaxFailedIndexesExceeded", message)
    if failed and failed + situation.succeeded_indexes.total >= completions:
        return _target(situation, "FailedIndexes", "Job has failed indexes")
    return None


def _is_index_failed(job: Job, pod: Pod) -> bool:
    if not is_failed(job, pod):
        return False
    verdict = judge_failure(job.spec.pod_failure_policy, pod)
    if verdict.action == "FailIndex":
        return True
    limit = job.spec.backoff_limit_per_index or 0
    return verdict.counts and backoffs.failure_count(pod) >= limit


def _delayed(
    situation: Situation, ledger: Ledger, valid: Sequence[Entry], failed: Indexes
) -> dict[int, Pod]:
    """The last failed pod of each index that waits for another one."""
    kept: dict[int, Pod] = {}
    for found in valid:
        index, pod = found.index, found.pod
        if (
            index in ledger.active_indexes
            or not is_failed(situation.job, pod)
            or index in situation.succeeded_indexes
            or index in failed
        ):
            continue
        before = kept.get(index)
        if before is None or (
            backoffs.absolute_failure_count(before) <= backoffs.absolute_failure_count(pod)
            and backoffs.finished_at(pod) >= backoffs.finished_at(before)
        ):
            kept[index] = pod
    return kept


def _target(situation: Situation, reason: str, message: str) -> Condition:
    return condition(FAILURE_TARGET, "True", reason, message, situation.now)
