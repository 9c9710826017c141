"""Members, policies and bindings for tests of what decides about placements."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import PolicySnapshot
from argosy.base.timestamps import format_time
from argosy.base.types import Object

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RESOURCES = "resources.kubernetes-fleet.io/"


def agent(
    *,
    now: datetime = NOW,
    silent: timedelta = timedelta(),
    joined: str = "True",
    healthy: str = "True",
    sick: timedelta = timedelta(),
) -> Object:
    """What an agent says of itself; "" leaves a condition out."""
    conditions = []
    for type_, status, since in (("Joined", joined, now), ("Healthy", healthy, now - sick)):
        if status:
            at = format_time(since)
            said = {"type": type_, "status": status, "reason": "Said", "message": ""}
            conditions.append({**said, "lastTransitionTime": at})
    beat = format_time(now - silent)
    return {"type": "MemberAgent", "conditions": conditions, "lastReceivedHeartbeat": beat}


def member_document(name: str, **more: Object) -> Object:
    """A cluster that has joined and is well: `labels`, `taints`, `properties`, `available`, `usage`, `namespaces`, …"""
    usage = {"available": more.pop("available", {}), **more.pop("usage", {})}
    meta: Object = {"name": name, "labels": more.pop("labels", {})}
    if more.pop("leaving", False):
        meta["deletionTimestamp"] = format_time(NOW)
    status: Object = {
        "agentStatus": [more.pop("agent", agent())],
        "resourceUsage": {"observationTime": format_time(NOW), **usage},
        "properties": {
            key: {"value": value, "observationTime": format_time(NOW)}
            for key, value in more.pop("properties", {}).items()
        },
        "conditions": more.pop("conditions", []),
    }
    if "namespaces" in more:
        status["namespaces"] = more.pop("namespaces")
    identity = {"kind": "User", "name": f"{name}-agent", "apiGroup": "rbac.authorization.k8s.io"}
    spec = {"identity": identity, "taints": more.pop("taints", [])}
    assert not more, f"unknown: {sorted(more)}"
    return {"metadata": meta, "spec": spec, "status": status}


def member(name: str, **more: Object) -> MemberCluster:
    return msgspec.convert(member_document(name, **more), MemberCluster, strict=False)


def taint(key: str, value: str = "") -> Object:
    return {"key": key, "value": value, "effect": "NoSchedule"}


def pick_n(count: int, **policy: Object) -> Object:
    return {"placementType": "PickN", "numberOfClusters": count, **policy}


def required(*terms: Object) -> Object:
    wanted = {"clusterSelectorTerms": list(terms)}
    key = "requiredDuringSchedulingIgnoredDuringExecution"
    return {"affinity": {"clusterAffinity": {key: wanted}}}


def preferred(*terms: tuple[int, Object]) -> Object:
    wanted = [{"weight": weight, "preference": term} for weight, term in terms]
    key = "preferredDuringSchedulingIgnoredDuringExecution"
    return {"affinity": {"clusterAffinity": {key: wanted}}}


def sorted_by(name: str, order: str = "Descending", **term: Object) -> Object:
    return {"propertySorter": {"name": name, "sortOrder": order}, **term}


def labelled(**labels: str) -> Object:
    return {"labelSelector": {"matchLabels": labels}}


def where(name: str, operator: str, *values: str) -> Object:
    expression = {"name": name, "operator": operator, "values": list(values)}
    return {"propertySelector": {"matchExpressions": [expression]}}


def spread_over(key: str, *, skew: int | None = 1, anyway: bool = False) -> Object:
    kind = "ScheduleAnyway" if anyway else "DoNotSchedule"
    found: Object = {"topologyKey": key, "whenUnsatisfiable": kind}
    return found if skew is None else {**found, "maxSkew": skew}


def policy_document(
    placement: str,
    policy: Object | None,
    *,
    index: int = 0,
    generation: int = 1,
    wanted: int | None = None,
    is_latest: bool = True,
) -> Object:
    annotations = {names.PLACEMENT_GENERATION: str(generation)}
    count = (policy or {}).get("numberOfClusters") if wanted is None else wanted
    if count is not None:
        annotations[names.NUMBER_OF_CLUSTERS] = str(count)
    meta = {
        "name": f"{placement}-{index}",
        "labels": {
            names.PARENT: placement,
            names.IS_LATEST: str(is_latest).lower(),
            names.POLICY_INDEX: str(index),
        },
        "annotations": annotations,
    }
    spec: Object = {"policyHash": "aGFzaA=="}
    if policy is not None:
        spec["policy"] = policy
    return {"metadata": meta, "spec": spec}


def policy_snapshot(
    policy: Object | None, status: Object | None = None, **more: Object
) -> PolicySnapshot:
    document = policy_document(more.pop("placement", "web"), policy, **more)
    document["metadata"]["generation"] = 1
    return msgspec.convert({**document, "status": status or {}}, PolicySnapshot, strict=False)


def binding(
    cluster: str,
    state: str = "Bound",
    *,
    placement: str = "web",
    policy: str = "web-0",
    score: tuple[int, int] | None = (0, 0),
    deleting: bool = False,
    previous: str = "",
    generation: int = 3,
    conditions: tuple[Object, ...] = (),
    **spec: Object,
) -> Binding:
    """A binding; `score` is (affinity, spread) of its decision."""
    decision: Object = {"clusterName": cluster, "selected": True, "reason": f"picked {cluster}"}
    if score is not None:
        decision["clusterScore"] = {"affinityScore": score[0], "priorityScore": score[1]}
    meta: Object = {
        "name": names.binding_name(placement, cluster, "00000000"),
        "labels": {names.PARENT: placement},
        "finalizers": [names.BINDING_CLEANUP],
        "generation": generation,
        "resourceVersion": "7",
    }
    if deleting:
        meta["deletionTimestamp"] = format_time(NOW)
    if previous:
        meta["annotations"] = {names.PREVIOUS_STATE: previous}
    body = {
        "state": state,
        "targetCluster": cluster,
        "schedulingPolicySnapshotName": policy,
        "resourceSnapshotName": "",
        "clusterDecision": decision,
        **spec,
    }
    document = {"metadata": meta, "spec": body, "status": {"conditions": list(conditions)}}
    return msgspec.convert(document, Binding, strict=False)
