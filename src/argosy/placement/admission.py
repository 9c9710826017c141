"""What the hub's webhooks do, as an admission plugin: fill in placements, refuse what is wrong.

Refusals read as kube-apiserver relays those of a webhook, because that is what users of KubeFleet search for. Kinds
that are not here have no webhook upstream either: their schemas and rules say it all. A webhook sees every write but
those of statuses, in v1beta1, whatever version it came in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Final, NamedTuple, TypeVar

import msgspec

from argosy.api.objects.fleet.evictions import PlacementDisruptionBudget, PlacementEviction
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.overrides import ClusterResourceOverride, ResourceOverride
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.metadata import View, decoder
from argosy.apiserver.admission.quotas import ResourceQuota
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base.errors import Forbidden
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_OVERRIDES,
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    CLUSTER_RESOURCE_PLACEMENTS,
    MEMBER_CLUSTERS,
    RESOURCE_OVERRIDES,
    Resource,
)
from argosy.placement.defaulting import default_placement
from argosy.placement.validation import (
    Catalog,
    validate_budget,
    validate_cluster_override,
    validate_eviction,
    validate_member_cluster,
    validate_override,
    validate_placement,
)
from argosy.store import Key, Selection

V = TypeVar("V", bound=View)

# Why a write is refused, "" if it is not: of the new object and, where there was one, the old.
Check = Callable[[Cluster, Object, Object | None], str]


class _Webhook(NamedTuple):
    """One of upstream's: its name, what it checks, and what it fills in."""

    name: str
    check: Check
    default: Callable[[Object], None] | None = None


class FleetAdmission:
    """Writes of placements, members, overrides, evictions and budgets."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        webhook = _concerned(call)
        if webhook is not None and webhook.default is not None and new is not None:
            webhook.default(new)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        webhook = _concerned(call)
        if webhook is None or new is None:
            return
        if problem := webhook.check(cluster, new, old):
            raise Forbidden(f'admission webhook "{webhook.name}" denied the request: {problem}')


def add_admission(cluster: Cluster) -> None:
    """Have a hub check the fleet's kinds. Quotas are charged last, for what is let pass."""
    plugins = list(cluster.admission)
    quotas = (number for number, each in enumerate(plugins) if isinstance(each, ResourceQuota))
    plugins.insert(next(quotas, len(plugins)), FleetAdmission())
    cluster.admission = tuple(plugins)


def catalog_of(cluster: Cluster) -> Catalog:
    """What kinds a cluster serves, in any version."""

    def look_up(group: str, version: str, kind: str) -> bool | None:
        found = cluster.scheme.by_kind(group, kind)
        return found.namespaced if found is not None and found.serves(version) else None

    return look_up


def _concerned(call: Call) -> _Webhook | None:
    return None if call.subresource else _WEBHOOKS.get(call.kind.resource)


def _view(view: type[V], obj: Object) -> V:
    found: V = decoder(view)(msgspec.json.encode(obj))
    return found


def _others(cluster: Cluster, resource: Resource, view: type[V], new: Object) -> list[V]:
    """All other objects of a kind, in the namespace of the new one."""
    meta = new["metadata"]
    namespace = meta.get("namespace", "")
    listed = cluster.store.list(resource.qualified, Selection(namespace=namespace)).records
    read = decoder(view)
    return [read(record.raw) for record in listed if record.key.name != meta["name"]]


def _placement(cluster: Cluster, name: str) -> Placement | None:
    record = cluster.store.latest(Key(CLUSTER_RESOURCE_PLACEMENTS.qualified, "", name))
    return decoder(Placement)(record.raw) if record is not None else None


def _check_placement(cluster: Cluster, new: Object, old: Object | None) -> str:
    before = _view(Placement, old) if old is not None else None
    return validate_placement(_view(Placement, new), before, catalog_of(cluster))


def _check_member(cluster: Cluster, new: Object, old: Object | None) -> str:
    return validate_member_cluster(_view(MemberCluster, new))


def _check_cluster_override(cluster: Cluster, new: Object, old: Object | None) -> str:
    others = _others(cluster, CLUSTER_RESOURCE_OVERRIDES, ClusterResourceOverride, new)
    return validate_cluster_override(
        _view(ClusterResourceOverride, new), others, is_new=old is None
    )


def _check_override(cluster: Cluster, new: Object, old: Object | None) -> str:
    others = _others(cluster, RESOURCE_OVERRIDES, ResourceOverride, new)
    return validate_override(_view(ResourceOverride, new), others, is_new=old is None)


def _check_eviction(cluster: Cluster, new: Object, old: Object | None) -> str:
    if old is not None:
        return ""
    asked = _view(PlacementEviction, new)
    return validate_eviction(_placement(cluster, asked.spec.placement_name))


def _check_budget(cluster: Cluster, new: Object, old: Object | None) -> str:
    budget = _view(PlacementDisruptionBudget, new)
    return validate_budget(budget, _placement(cluster, budget.metadata.name))


_WEBHOOKS: Final[Mapping[str, _Webhook]] = {
    CLUSTER_RESOURCE_PLACEMENTS.qualified: _Webhook(
        "fleet.clusterresourceplacementv1beta1.validating", _check_placement, default_placement
    ),
    MEMBER_CLUSTERS.qualified: _Webhook("fleet.membercluster.validating", _check_member),
    CLUSTER_RESOURCE_OVERRIDES.qualified: _Webhook(
        "fleet.clusterresourceoverride.validating", _check_cluster_override
    ),
    RESOURCE_OVERRIDES.qualified: _Webhook("fleet.resourceoverride.validating", _check_override),
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS.qualified: _Webhook(
        "fleet.clusterresourceplacementeviction.validating", _check_eviction
    ),
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS.qualified: _Webhook(
        "fleet.clusterresourceplacementdisruptionbudget.validating", _check_budget
    ),
}
