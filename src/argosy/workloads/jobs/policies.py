"""What a Job's owner has said about failures and success: podFailurePolicy and successPolicy.

A failed pod is held against the failure rules in order; the first that matches decides. Containers are looked at before
init containers, and only those that ended with another code than 0. Success rules look at the completed indexes: all of
a rule's indexes, or enough of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from argosy.api.objects import Condition, ContainerStatus, Pod
from argosy.base.types import Object
from argosy.workloads.jobs.indexes import Indexes, parse


class Verdict(NamedTuple):
    """What becomes of a pod's failure: whether it counts, by which action, and why the Job fails at once, if so."""

    counts: bool = True
    action: str = ""
    message: str = ""


_COUNTED: Final = Verdict()


def judge_failure(policy: Object | None, pod: Pod) -> Verdict:
    """Hold a failed pod against the failure policy."""
    rules = policy.get("rules") or () if policy is not None else ()
    for number, rule in enumerate(rules):
        what = _match(rule, pod)
        if what is None:
            continue
        action = rule.get("action", "")
        match action:
            case "Ignore":
                return Verdict(False, action)
            case "FailIndex" | "Count":
                return Verdict(True, action)
            case "FailJob":
                message = f"{what} matching {action} rule at index {number}"
                return Verdict(True, action, message)
    return _COUNTED


def met_success(policy: Object | None, completions: int, succeeded: Indexes) -> str:
    """Why the completed indexes are enough for the Job; empty when they are not."""
    rules = policy.get("rules") or () if policy is not None else ()
    for number, rule in enumerate(rules if succeeded.total else ()):
        if _is_met(rule, completions, succeeded):
            return f"Matched rules at index {number}"
    return ""


def _is_met(rule: Object, completions: int, succeeded: Indexes) -> bool:
    text, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    if text is None:
        return count is not None and succeeded.total >= count
    wanted = parse(text, completions)
    if not wanted.total:
        return False
    have = wanted.overlap(succeeded)
    return have == wanted.total or (count is not None and have >= count)


def _match(rule: Object, pod: Pod) -> str | None:
    """What of the pod matches a rule, as the message of a failed Job says it."""
    name = f"{pod.metadata.namespace}/{pod.metadata.name}"
    if (codes := rule.get("onExitCodes")) is not None:
        status = pod.status
        ended = _exited(status.container_statuses, codes) or _exited(
            status.init_container_statuses, codes
        )
        if ended is None or ended.state.terminated is None:
            return None
        code = ended.state.terminated.exit_code
        return f"Container {ended.name} for pod {name} failed with exit code {code}"
    condition = _conditioned(pod.status.conditions, rule.get("onPodConditions") or ())
    return f"Pod {name} has condition {condition.type}" if condition is not None else None


def _exited(statuses: Iterable[ContainerStatus], codes: Object) -> ContainerStatus | None:
    wanted, is_in = codes.get("values") or (), codes.get("operator") == "In"
    container = codes.get("containerName")
    for status in statuses:
        terminated = status.state.terminated
        if (
            terminated is not None
            and terminated.exit_code != 0
            and container in {None, status.name}
            and (terminated.exit_code in wanted) == is_in
        ):
            return status
    return None


def _conditioned(conditions: Iterable[Condition], patterns: Iterable[Object]) -> Condition | None:
    pairs = {(pattern.get("type"), pattern.get("status")) for pattern in patterns}
    return next((found for found in conditions if (found.type, found.status) in pairs), None)
