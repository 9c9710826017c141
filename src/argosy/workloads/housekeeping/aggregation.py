"""Aggregated cluster roles: a role with an aggregationRule has the rules of all roles its selectors choose."""

from __future__ import annotations

from functools import partial
from typing import Final

from argosy.apiserver import encoding
from argosy.apiserver.access.rbac import GROUP
from argosy.apiserver.clusters import Cluster
from argosy.base.selectors import labels
from argosy.base.types import Object
from argosy.store import Selection
from argosy.workloads.housekeeping.editing import edit
from argosy.workloads.housekeeping.following import follow

RESOURCE: Final = f"clusterroles.{GROUP}"


async def aggregate_roles(cluster: Cluster) -> None:
    """Roles change rarely and are few: any change looks at every aggregating role."""
    async for _ in follow(cluster, RESOURCE):
        kind = cluster.kind(GROUP, "clusterroles")
        for record in cluster.store.list(RESOURCE).records:
            if b'"aggregationRule"' in record.raw:
                rules = _gathered(cluster, encoding.from_bytes(kind, record.raw))
                await edit(cluster, record.key, partial(_set, rules))


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


def _set(rules: list[Object], role: Object) -> bool:
    if (role.get("rules") or []) == rules:
        return False
    role["rules"] = rules
    return True
