"""When a binding is worth a look: what of it, and of its Works, decides what is written."""

from __future__ import annotations

from argosy.api.objects.fleet.bindings import BOUND, ROLLOUT_STARTED, UNSCHEDULED, Binding
from argosy.api.objects.fleet.works import SentWork
from argosy.api.objects.metadata import find_condition


def occasion(binding: Binding) -> tuple[object, ...]:
    """What of a binding decides whether and how it becomes Works."""
    meta, started = binding.metadata, find_condition(binding.status.conditions, ROLLOUT_STARTED)
    said = (started.status, started.observed_generation) if started is not None else None
    return meta.uid, meta.generation, meta.deletion_timestamp, said


def is_due(binding: Binding) -> bool:
    """Whether the binding is to have Works, and its rollout has been decided. One that is on its way out keeps them."""
    if binding.spec.state == UNSCHEDULED:
        return bool(binding.spec.resource_snapshot_name)
    started = find_condition(binding.status.conditions, ROLLOUT_STARTED)
    return (
        binding.spec.state == BOUND
        and started is not None
        and started.observed_generation == binding.metadata.generation
        and started.status in {"True", "False"}
    )


def tells_more(old: SentWork, new: SentWork) -> bool:
    """Whether a Work changed in what bindings tell, or in what it was made of."""
    before, after = old.metadata, new.metadata
    return (
        before.labels != after.labels
        or before.annotations != after.annotations
        or before.deletion_timestamp != after.deletion_timestamp
        or old.status.conditions != new.status.conditions
        or _results(old) != _results(new)
    )


def _results(work: SentWork) -> list[tuple[object, ...]]:
    return [
        (each.identifier, each.conditions, each.drift_details, each.diff_details)
        for each in work.status.manifest_conditions
    ]
