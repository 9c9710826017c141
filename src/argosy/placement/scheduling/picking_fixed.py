"""PickFixed: the clusters that the policy names, if they are there and can be given anything.

Nothing else is asked: no affinity, no taints. A cluster that holds the placement under this policy keeps it even if
it could not be given it now, although the status then says so. A policy that names nobody is passed over.
"""

from __future__ import annotations

from argosy.placement.scheduling.eligibility import ineligibility
from argosy.placement.scheduling.referencing import given_up, refer
from argosy.placement.scheduling.snapshots import Classified, Outcome, Snapshot
from argosy.placement.scheduling.statuses import (
    ineligible_decision,
    missing_decision,
    named_decision,
    status_after,
)


def pick_fixed(snapshot: Snapshot, bindings: Classified) -> Outcome:
    wanted = snapshot.policy.cluster_names
    if not wanted:
        return Outcome()
    clusters = {each.metadata.name: each for each in snapshot.clusters}
    valid, invalid, missing = [], [], []
    for name in wanted:
        cluster = clusters.get(name)
        if cluster is None:
            missing.append(missing_decision(name))
        elif why := ineligibility(cluster, snapshot.now):
            invalid.append(ineligible_decision(name, why))
        else:
            valid.append(named_decision(name))
    held = {each.spec.target_cluster for each in (*bindings.scheduled, *bindings.bound)}
    referenced = refer(
        [each for each in valid if each.cluster_name not in held],
        bindings.obsolete,
        given_up(bindings.unscheduled),
    )
    status = status_after(
        snapshot,
        [*valid, *invalid, *missing],
        found=len(valid),
        is_fulfilled=not invalid and not missing,
    )
    return Outcome(
        tuple(referenced.created), tuple(referenced.renewed), tuple(referenced.unscheduled), status
    )
