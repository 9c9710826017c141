"""What becomes of a JobSet when its Jobs fail or succeed.

Failures: without a policy the first failed Job fails the JobSet. With one, the first rule that matches any failed Job
decides; no rule means RestartJobSet. Messages name the Job that failed first among those the rule matches.

Patterns of onJobFailureMessagePatterns are RE2's; one that cannot be compiled matches nothing, as upstream.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from argosy.api.cel.regexes import RegexError, compile_regex
from argosy.api.objects import Job
from argosy.api.objects.jobsets import FailurePolicy, FailurePolicyRule, JobSet
from argosy.workloads.jobsets.children import Children, failure
from argosy.workloads.jobsets.names import REPLICATED_JOB_NAME
from argosy.workloads.jobsets.statuses import Draft

FAIL: Final = "FailJobSet"
RESTART: Final = "RestartJobSet"

_NEVER: Final = datetime.max.replace(tzinfo=UTC)


def apply_failure_policy(jobset: JobSet, children: Children, draft: Draft) -> None:
    """Fail or restart the JobSet, because at least one Job has failed."""
    policy = jobset.spec.failure_policy
    if policy is None:
        job = _first(children.failed)
        draft.fail("FailedJobs", _told("jobset failed due to one or more job failures", job))
        return
    action, job = _judge(policy, children.failed)
    # Upstream's words are the same for every action.
    reason, message = f"{action}FailurePolicyAction", f"applying {action} failure policy action"
    if action == FAIL:
        draft.fail(reason, _told(message, job))
    elif action == RESTART and draft.status.restarts_count_towards_max >= policy.max_restarts:
        reached = "jobset failed due to reaching max number of restarts"
        draft.fail("ReachedMaxRestarts", _told(reached, job))
    else:
        draft.restart(reason, _told(message, job), counts=action == RESTART)


def is_successful(jobset: JobSet, succeeded: Iterable[Job]) -> bool:
    """Whether the Jobs that have succeeded are all that the success policy waits for."""
    policy = jobset.spec.success_policy
    targets = policy.target_replicated_jobs

    def is_target(name: str) -> bool:
        return not targets or name in targets

    done = sum(is_target(job.metadata.labels.get(REPLICATED_JOB_NAME, "")) for job in succeeded)
    if policy.operator == "Any":
        return done >= 1
    return done >= sum(job.replicas for job in jobset.spec.replicated_jobs if is_target(job.name))


def blocks_creation(jobset: JobSet, children: Children) -> bool:
    """Whether new Jobs wait until all Jobs of the last attempt are gone."""
    policy = jobset.spec.failure_policy
    is_blocking = policy is not None and policy.restart_strategy == "BlockingRecreate"
    return is_blocking and bool(children.previous)


def _judge(policy: FailurePolicy, failed: list[Job]) -> tuple[str, Job]:
    for rule in policy.rules:
        if matching := [job for job in failed if _applies(rule, job)]:
            return rule.action, _first(matching)
    return RESTART, _first(failed)


def _applies(rule: FailurePolicyRule, job: Job) -> bool:
    condition = failure(job)
    name = job.metadata.labels.get(REPLICATED_JOB_NAME)
    if condition is None or not name:
        return False
    reasons, patterns = rule.on_job_failure_reasons, rule.on_job_failure_message_patterns
    targets = rule.target_replicated_jobs
    return (
        (not reasons or condition.reason in reasons)
        and (not patterns or any(_matches(pattern, condition.message) for pattern in patterns))
        and (not targets or name in targets)
    )


def _matches(pattern: str, message: str) -> bool:
    try:
        return compile_regex(pattern).search(message) is not None
    except RegexError:
        return False


def _first(failed: list[Job]) -> Job:
    """The Job that failed first; of several of one second, the first by name."""
    return min(failed, key=_failed_at)


def _failed_at(job: Job) -> datetime:
    condition = failure(job)
    when = condition.last_transition_time if condition is not None else None
    return when if when is not None else _NEVER


def _told(message: str, job: Job) -> str:
    return f"{message} (first failed job: {job.metadata.name})"
