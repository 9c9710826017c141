"""A scheduling cycle: a snapshot in, what to do about it out.

First what has to be done whatever the policy says: bindings on their way out are released, those on clusters that
left are given up. Then the policy's way to pick. A cycle that cannot be finished, because a property is no quantity
or an annotation is missing, says why and still has those two done.

Properties (tests/unit/placement/scheduling/test_laws.py): the same as a brute-force reading of the contract on
small fleets; independent of the order of clusters and bindings; once its decisions are carried out, it decides
nothing more.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.policies import PICK_ALL, PICK_FIXED, PICK_N
from argosy.placement.scheduling.picking_all import pick_all
from argosy.placement.scheduling.picking_fixed import pick_fixed
from argosy.placement.scheduling.picking_n import pick_n
from argosy.placement.scheduling.snapshots import (
    Classified,
    CycleError,
    Decision,
    Outcome,
    Snapshot,
    classify,
)

_WAYS: Final = {PICK_ALL: pick_all, PICK_FIXED: pick_fixed, PICK_N: pick_n}


def decide(snapshot: Snapshot) -> Decision:
    bindings = classify(snapshot)
    released = tuple(
        each for each in bindings.deleting if names.BINDING_CLEANUP in each.metadata.finalizers
    )
    dangling = tuple(bindings.dangling)
    try:
        outcome = _pick(snapshot, bindings)
    except CycleError as error:
        return Decision(released, dangling, failure=str(error))
    return Decision(released, dangling, *outcome)


def _pick(snapshot: Snapshot, bindings: Classified) -> Outcome:
    kind = snapshot.policy.type
    pick = _WAYS.get(kind)
    if pick is None:
        raise CycleError(f"The placement type {kind} is unknown")
    return pick(snapshot, bindings)
