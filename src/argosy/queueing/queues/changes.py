"""Whether an update can change how a workload fares.

A parked workload is looked at again when something around it changes. An update of the workload itself is such a
change only if it touches what the scheduler decides by: its spec, what it asks for, its priority, whether it may
preempt, or whether it was sent away. Statuses the scheduler writes itself are not, or it would chase its own writes.
"""

from __future__ import annotations

from argosy.api.objects.kueue.workloads import EVICTED, REQUEUED, Workload
from argosy.queueing.workloads.evicting import is_evicted_for
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.phases import holds_quota
from argosy.queueing.workloads.reasons import PREEMPTED


def may_fare_differently(old: Info, new: Info) -> bool:
    """Whether the newer version of a workload deserves another look."""
    was, is_ = old.obj, new.obj
    if was is is_:
        return False
    return (
        _is_respecified(old, new)
        or old.priority != new.priority
        or was.status.reclaimable_pods != is_.status.reclaimable_pods
        or was.status.requeue_state != is_.status.requeue_state
        or was.condition(EVICTED) != is_.condition(EVICTED)
        or was.condition(REQUEUED) != is_.condition(REQUEUED)
        or has_closed_gate(was) != has_closed_gate(is_)
        or old.total_requests != new.total_requests
    )


def has_closed_gate(workload: Workload) -> bool:
    """Whether a preemption gate forbids the workload to preempt; one that nobody has opened yet is closed."""
    if not workload.spec.preemption_gates:
        return False
    open_gates = {gate.name for gate in workload.status.preemption_gates if gate.position == "Open"}
    return any(gate.name not in open_gates for gate in workload.spec.preemption_gates)


def is_from_outside(old: Info, new: Info) -> bool:
    """Whether an update is more than what follows from the scheduler's own decisions: admission and preemption."""
    was, is_ = old.obj, new.obj
    if _is_respecified(old, new) or old.priority != new.priority:
        return True
    if holds_quota(was) and not holds_quota(is_):
        return is_.is_finished or not is_evicted_for(is_, PREEMPTED)
    return holds_quota(was) and old.usage != new.usage


def _is_respecified(old: Info, new: Info) -> bool:
    """Generations tell cheaply; objects that nobody stored yet have none."""
    was, is_ = old.obj.metadata.generation, new.obj.metadata.generation
    return was != is_ or (not is_ and old.obj.spec != new.obj.spec)
