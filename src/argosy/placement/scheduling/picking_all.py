"""PickAll: every cluster that passes the filters, by name. What was picked once stays, and any number is enough."""

from __future__ import annotations

from argosy.placement.scheduling.ranking import Score
from argosy.placement.scheduling.referencing import given_up, refer
from argosy.placement.scheduling.screening import Screen
from argosy.placement.scheduling.snapshots import Classified, Outcome, Snapshot
from argosy.placement.scheduling.statuses import picked_decision, status_after, told


def pick_all(snapshot: Snapshot, bindings: Classified) -> Outcome:
    held = [*bindings.scheduled, *bindings.bound]
    screened = Screen(snapshot).screen({each.spec.target_cluster for each in held})
    picked = [picked_decision(each.metadata.name, Score()) for each in screened.passed]
    referenced = refer(picked, bindings.obsolete, given_up(bindings.unscheduled))
    decisions = [
        *referenced.created,
        *(each.decision for each in referenced.renewed),
        *(each.spec.cluster_decision for each in held),
    ]
    status = status_after(
        snapshot,
        told(decisions, filtered=screened.filtered),
        found=len(decisions),
        is_fulfilled=True,
    )
    return Outcome(
        tuple(referenced.created), tuple(referenced.renewed), tuple(referenced.unscheduled), status
    )
