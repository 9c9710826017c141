"""Snapshots of overrides, built."""

from __future__ import annotations

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.overrides import (
    ClusterResourceOverrideSnapshot,
    ResourceOverrideSnapshot,
)
from argosy.base.types import Object
from argosy.placement.overriding.matching import Identified
from tests.unit.placement.golden import view

ROLE = Identified("rbac.authorization.k8s.io", "v1", "ClusterRole", "", "role")
NAMESPACE = Identified("", "v1", "Namespace", "", "ns")
MAP = Identified("", "v1", "ConfigMap", "ns", "cm")
EVERYWHERE: Object = {"clusterSelector": {"clusterSelectorTerms": []}}


def _meta(name: str, namespace: str, is_latest: bool, index: int, parent: str) -> Object:
    return {
        "name": name,
        "namespace": namespace,
        "labels": {
            names.IS_LATEST: "true" if is_latest else "false",
            names.OVERRIDE_INDEX: str(index),
            names.PARENT_OVERRIDE: parent or name,
        },
    }


def cluster_wide(
    name: str,
    *targets: Identified,
    placement: Object | None = None,
    rules: list[Object] | None = None,
    is_latest: bool = True,
    index: int = 0,
    parent: str = "",
) -> ClusterResourceOverrideSnapshot:
    selectors = [
        {"group": each.group, "version": each.version, "kind": each.kind, "name": each.name}
        for each in targets
    ]
    spec: Object = {
        "clusterResourceSelectors": selectors,
        "policy": {"overrideRules": rules if rules is not None else [EVERYWHERE]},
    }
    if placement is not None:
        spec["placement"] = placement
    meta = _meta(name, "", is_latest, index, parent)
    return view({"metadata": meta, "spec": {"overrideSpec": spec}}, ClusterResourceOverrideSnapshot)


def namespaced(
    name: str,
    *targets: Identified,
    namespace: str = "ns",
    placement: Object | None = None,
    rules: list[Object] | None = None,
    is_latest: bool = True,
    index: int = 0,
    parent: str = "",
) -> ResourceOverrideSnapshot:
    selectors = [
        {"group": each.group, "version": each.version, "kind": each.kind, "name": each.name}
        for each in targets
    ]
    spec: Object = {
        "resourceSelectors": selectors,
        "policy": {"overrideRules": rules if rules is not None else [EVERYWHERE]},
    }
    if placement is not None:
        spec["placement"] = placement
    meta = _meta(name, namespace, is_latest, index, parent)
    return view({"metadata": meta, "spec": {"overrideSpec": spec}}, ResourceOverrideSnapshot)
