"""Aggregated cluster roles: a role with an aggregationRule has the rules of all roles its selectors choose."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Kind
from argosy.apiserver import encoding
from argosy.apiserver.access.rbac import GROUP
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.options import Options
from argosy.apiserver.verbs import patching
from argosy.base.errors import Conflict, NotFound
from argosy.base.selectors import labels
from argosy.base.types import Object
from argosy.store import Selection
from argosy.workloads.housekeeping.editing import AGENT, HOUSEKEEPER
from argosy.workloads.housekeeping.following import follow

RESOURCE: Final = f"clusterroles.{GROUP}"
MANAGER: Final = "clusterrole-aggregation-controller"


async def aggregate_roles(cluster: Cluster) -> None:
    """Roles change rarely and are few: any change looks at every aggregating role."""
    async for _ in follow(cluster, RESOURCE):
        await aggregate(cluster)


async def aggregate(cluster: Cluster) -> bool:
    """Look at every aggregating role once; whether any has changed, so that those which choose it may change too."""
    kind = cluster.kind(GROUP, "clusterroles")
    changed = False
    for record in cluster.store.list(RESOURCE).records:
        if b'"aggregationRule"' in record.raw:
            role = encoding.from_bytes(kind, record.raw)
            rules = _gathered(cluster, role)
            if (role.get("rules") or []) != rules:
                await _apply(cluster, kind, record.key.name, rules)
                changed = True
    return changed


def _gathered(cluster: Cluster, role: Object) -> list[Object]:
    kind = cluster.kind(GROUP, "clusterroles")
    rules: list[Object] = []
    for selector in (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ():
        chosen = cluster.store.list(
            RESOURCE, Selection(labels=labels.from_object(selector))
        ).records
        for record in chosen:
            if record.key.name == role["metadata"]["name"]:
                continue
            for rule in encoding.from_bytes(kind, record.raw).get("rules") or ():
                if rule not in rules:
                    rules.append(rule)
    return rules


async def _apply(cluster: Cluster, kind: Kind, name: str, rules: list[Object]) -> None:
    """The rules are the aggregation's own, and nothing else of the role is: an apply says just that."""
    call = Call(
        HOUSEKEEPER, "patch", kind, "v1", name=name, options=Options(field_manager=MANAGER, force=True),
        agent=AGENT,
    )  # fmt: skip
    role: Object = {"apiVersion": call.api_version, "kind": kind.kind, "metadata": {"name": name}}
    try:
        await patching.apply(cluster, call, {**role, "rules": rules})
    except (Conflict, NotFound):
        # It has changed or gone meanwhile, and that change is followed too.
        return
