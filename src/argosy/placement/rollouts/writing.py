"""What a rollout writes: a binding's apply strategy, what it is bound to, and the condition that tells whether it
may go.

A binding's spec has two more writers, the scheduler and the update runs, and its status one, the work generator. So
what depends on the rest of the object is written only if nobody else changed it meanwhile; the strategy is the
rollout's own and goes in as it is.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects.conditions import condition_documents, with_condition
from argosy.api.objects.fleet.bindings import BOUND, ROLLOUT_STARTED, Binding
from argosy.api.objects.fleet.placements import ApplyStrategy, with_defaults
from argosy.api.objects.metadata import Condition
from argosy.base.types import Object
from argosy.placement.picks import Picked

STARTED: Final = "Detected the new changes on the resources and started the rollout process"
BLOCKED: Final = "The resources cannot be updated to the latest because of the rollout strategy"


def needs_strategy(binding: Binding, wanted: ApplyStrategy) -> bool:
    has = binding.spec.apply_strategy
    is_going = binding.metadata.deletion_timestamp is not None
    return not is_going and (has is None or with_defaults(has) != wanted)


def strategy_patch(wanted: ApplyStrategy) -> Object:
    """The whole strategy: what it does not say is taken out."""
    document: Object = dict.fromkeys(ApplyStrategy.__struct_encode_fields__)
    return {"spec": {"applyStrategy": document | msgspec.to_builtins(wanted)}}


def bound_patch(binding: Binding, snapshot: str, overrides: Picked) -> Object:
    return {
        "metadata": {"resourceVersion": binding.metadata.resource_version},
        "spec": {
            "state": BOUND,
            "resourceSnapshotName": snapshot,
            "clusterResourceOverrideSnapshots": list(overrides.cluster_overrides) or None,
            "resourceOverrideSnapshots": msgspec.to_builtins(list(overrides.overrides)) or None,
        },
    }


def condition_patch(binding: Binding, now: datetime, *, is_started: bool) -> Object | None:
    """The binding's status with the rollout started or blocked; None if it says so already."""
    condition = Condition(
        type=ROLLOUT_STARTED,
        status="True" if is_started else "False",
        reason="RolloutStarted" if is_started else "RolloutNotStartedYet",
        message=STARTED if is_started else BLOCKED,
        observed_generation=binding.metadata.generation,
    )
    said = binding.status.conditions
    conditions = with_condition(said, condition, now)
    if conditions == said:
        return None
    return {
        "metadata": {"resourceVersion": binding.metadata.resource_version},
        "status": {"conditions": condition_documents(conditions)},
    }
