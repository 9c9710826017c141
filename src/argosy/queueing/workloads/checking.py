"""Admission checks of a workload: which apply, their states, and what failing ones mean.

A ClusterQueue names checks, some for certain flavors only. Once flavors are assigned, the checks for any of them
apply; before, only those that apply whatever the flavors will be. States are added as Pending and removed with their
check. A Retry names when to try again; the latest of them counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec.structs import replace

from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import AdmissionCheckState, Workload
from argosy.base.fielderrors import quote
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.reasons import CHECK_PENDING, CHECK_RETRY


def checks_for(workload: Workload, queue: ClusterQueue) -> frozenset[str]:
    """The checks that a workload must pass in a ClusterQueue."""
    flavors = frozenset(
        flavor.name for group in queue.spec.resource_groups for flavor in group.flavors
    )
    checks: dict[str, frozenset[str]] = {}
    for rule in queue.spec.admission_checks_strategy.admission_checks:
        checks[rule.name] = frozenset(rule.on_flavors) or flavors
    admission = workload.status.admission
    if admission is None:
        return frozenset(name for name, given in checks.items() if given >= flavors)
    assigned = frozenset(
        flavor for one in admission.pod_set_assignments for flavor in one.flavors.values()
    )
    return frozenset(name for name, given in checks.items() if given & assigned)


def has_all_checks(workload: Workload, names: Iterable[str]) -> bool:
    """Whether each of the checks has a state already."""
    return set(names) <= {state.name for state in workload.status.admission_checks}


def synced_states(
    states: tuple[AdmissionCheckState, ...], names: frozenset[str], now: datetime
) -> tuple[AdmissionCheckState, ...]:
    """The states of exactly these checks, by name; the given ones if they are that already."""
    known = {state.name for state in states}
    if known == names:
        return states
    added = (AdmissionCheckState(name, CHECK_PENDING, now) for name in names - known)
    kept = (state for state in states if state.name in names)
    return tuple(sorted((*kept, *added), key=lambda state: state.name))


def sync_checks(draft: StatusDraft, queue: ClusterQueue) -> bool:
    """Have the states of the checks that apply; whether the list changed."""
    states = draft.status.admission_checks
    new = synced_states(states, checks_for(draft.workload, queue), draft.stamp)
    if new is states:
        return False
    draft.status = replace(draft.status, admission_checks=new)
    return True


def reset_checks(draft: StatusDraft) -> None:
    """Begin all checks anew after an eviction; those that asked for a retry count it."""
    draft.status = replace(
        draft.status,
        admission_checks=tuple(
            _reset(state, draft.stamp) for state in draft.status.admission_checks
        ),
    )


def _reset(state: AdmissionCheckState, now: datetime) -> AdmissionCheckState:
    if state.state == CHECK_PENDING:
        return state
    retries = (state.retry_count or 0) + 1 if state.state == CHECK_RETRY else None
    return AdmissionCheckState(
        state.name,
        CHECK_PENDING,
        now,
        f"Reset to Pending after eviction. Previously: {state.state}",
        state.requeue_after_seconds,
        retries,
    )


def in_state(workload: Workload, state: str) -> tuple[AdmissionCheckState, ...]:
    """The checks in a state, by name."""
    found = (one for one in workload.status.admission_checks if one.state == state)
    return tuple(sorted(found, key=lambda one: one.name))


def told(checks: tuple[AdmissionCheckState, ...]) -> str:
    """Which checks are in the state they share, with what they say of it."""
    noun = "AdmissionCheck" if len(checks) == 1 else "AdmissionChecks"
    parts = (
        f"{quote(one.name)} ({one.message})" if one.message else quote(one.name) for one in checks
    )
    return f"{noun} in {checks[0].state} state: {'; '.join(parts)}"


def retry_time(states: Iterable[AdmissionCheckState]) -> datetime | None:
    """The latest moment at which a check wants to be tried again."""
    times = (
        state.last_transition_time + timedelta(seconds=state.requeue_after_seconds)
        for state in states
        if state.state == CHECK_RETRY
        and state.requeue_after_seconds is not None
        and state.last_transition_time is not None
    )
    return max(times, default=None)
