"""What is promised of every cluster, reckoned from lists of objects: what the ledger of a hub that just started holds.

For those who ask once and watch nothing. The hub itself keeps the sums by deltas (`promises`); a test holds the one to
the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from argosy.api.needs import needs
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import UNSCHEDULED, Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.works import SentWork
from argosy.api.objects.metadata import Quantities
from argosy.api.podresources import Amounts, add
from argosy.client.objects import Key
from argosy.placement.reserving.promises import landed
from argosy.placement.views import binding_of, parent_of


def reckon(
    bindings: Iterable[Binding],
    snapshots: Iterable[ResourceSnapshot],
    works: Iterable[SentWork],
    members: Iterable[MemberCluster],
) -> Mapping[str, Quantities]:
    """By cluster, what belongs to placements on their way there."""
    wanted = _needs(snapshots)
    sent: dict[Key, list[SentWork]] = defaultdict(list)
    for work in works:
        sent[binding_of(work)].append(work)
    observed = {each.metadata.name: each.status.resource_usage.observation_time for each in members}
    promised: dict[str, Amounts] = defaultdict(dict)
    for binding in bindings:
        if binding.spec.state == UNSCHEDULED or binding.metadata.deletion_timestamp is not None:
            continue
        landing = landed(binding, sent[Key(*binding.metadata.key)])
        seen = observed.get(binding.spec.target_cluster)
        is_counted = landing.since is not None and seen is not None and seen > landing.since
        if not landing.is_over and not is_counted:
            add(promised[binding.spec.target_cluster], wanted.get(parent_of(binding), {}))
    return {
        cluster: {name: str(amount) for name, amount in amounts.items() if amount.nanos}
        for cluster, amounts in promised.items()
        if amounts
    }


def _needs(snapshots: Iterable[ResourceSnapshot]) -> dict[Key, Amounts]:
    """What each placement's latest resources ask of every cluster."""
    found: dict[Key, Amounts] = {}
    for snapshot in snapshots:
        labels = snapshot.metadata.labels
        if labels.get(names.IS_LATEST) != "true":
            continue
        total: Amounts = {}
        for raw in snapshot.spec.selected_resources:
            add(total, needs(msgspec.json.decode(raw)))
        found[parent_of(snapshot)] = total
    return found
