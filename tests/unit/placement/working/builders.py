"""Bindings, snapshots and Works, built."""

from __future__ import annotations

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.works import SentWork
from argosy.base.types import Json, Object
from tests.unit.placement.golden import TIME, view

STRATEGY: Object = {
    "type": "ClientSideApply",
    "comparisonOption": "PartialComparison",
    "whenToApply": "Always",
    "whenToTakeOver": "Always",
}


def binding(namespace: str = "", **spec: Json) -> Binding:
    """The binding `b` of the placement `p` on `m1`, of generation 3."""
    meta: Object = {
        "name": "b",
        "namespace": namespace,
        "generation": 3,
        "labels": {names.PARENT: "p"},
    }
    body: Object = {
        "state": "Bound",
        "targetCluster": "m1",
        "resourceSnapshotName": "p-0-snapshot",
        "clusterDecision": {"clusterName": "m1", "selected": True, "reason": ""},
        "applyStrategy": STRATEGY,
        **spec,
    }
    return view({"metadata": meta, "spec": body}, Binding)


def snapshot(
    *resources: Object,
    namespace: str = "",
    index: int = 0,
    subindex: int | None = None,
    shards: int = 1,
    envelopes: int | None = 0,
) -> ResourceSnapshot:
    annotations = {names.NUMBER_OF_SNAPSHOTS: str(shards)}
    if envelopes is not None:
        annotations[names.NUMBER_OF_ENVELOPES] = str(envelopes)
    if subindex is not None:
        annotations = {names.SUBINDEX: str(subindex)}
    meta: Object = {
        "name": names.resource_snapshot_name("p", index, subindex),
        "namespace": namespace,
        "labels": {names.PARENT: "p", names.RESOURCE_INDEX: str(index)},
        "annotations": annotations,
    }
    body: Object = {"metadata": meta, "spec": {"selectedResources": list(resources)}}
    return view(body, ResourceSnapshot)


def condition(type_: str, status: str, reason: str = "x", generation: int = 1) -> Object:
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": f"{type_} is {status}",
        "observedGeneration": generation,
        "lastTransitionTime": TIME,
    }


def work(
    name: str,
    *conditions: Object,
    manifests: list[Object] | None = None,
    generation: int = 1,
    labels: Object | None = None,
    annotations: Object | None = None,
    strategy: Object | None = STRATEGY,
    is_leaving: bool = False,
) -> SentWork:
    meta: Object = {
        "name": name,
        "namespace": "fleet-member-m1",
        "generation": generation,
        "labels": labels or {names.PARENT_BINDING: "b"},
        "annotations": annotations or {},
    }
    if is_leaving:
        meta["deletionTimestamp"] = TIME
    spec: Object = {} if strategy is None else {"applyStrategy": strategy}
    status: Object = {"conditions": list(conditions), "manifestConditions": manifests or []}
    return view({"metadata": meta, "spec": spec, "status": status}, SentWork)


def manifest(name: str, *conditions: Object, **details: Json) -> Object:
    identifier = {
        "ordinal": 4,
        "group": "apps",
        "version": "v1",
        "kind": "Deployment",
        "resource": "deployments",
        "namespace": "ns",
        "name": name,
    }
    return {"identifier": identifier, "conditions": list(conditions), **details}


def config_map(name: str, namespace: str = "ns") -> Object:
    meta = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}


def envelope(name: str, data: Object, namespace: str = "ns") -> Object:
    return {
        "apiVersion": "placement.kubernetes-fleet.io/v1beta1",
        "kind": "ResourceEnvelope" if namespace else "ClusterResourceEnvelope",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "data": data,
    }
