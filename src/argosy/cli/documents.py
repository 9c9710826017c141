"""An explanation as a document, for machines: `argosy why -o json`. Amounts are quantities, names are camel case."""

from __future__ import annotations

from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.queueing.explaining.explanations import Explanation, Level, Said
from argosy.queueing.explaining.holders import Holder
from argosy.queueing.explaining.looks import FlavorLook, Need
from argosy.queueing.explaining.remedies import Remedy
from argosy.queueing.quotas.amounts import Usage, printed


def document(found: Explanation) -> Object:
    workload = found.workload
    told: Object = {
        "namespace": workload.metadata.namespace,
        "name": workload.metadata.name,
        "phase": str(found.phase),
        "outlook": str(found.outlook),
        "localQueue": workload.spec.queue_name,
        "clusterQueue": found.cluster_queue,
        "cohorts": list(found.cohorts),
        "priority": workload.spec.priority or 0,
        "said": _said(found.said),
        "now": _said(found.now),
        "usage": _usage(found.usage),
        "flavors": [_look(look) for look in found.looks],
        "levels": [_level(level) for level in dict.fromkeys(found.levels)],
        "holders": [_holder(holder) for holder in found.holders],
        "victims": [
            {"workload": target.info.key, "reason": target.reason} for target in found.victims
        ],
        "remedies": [_remedy(remedy) for remedy in found.remedies],
        "notes": found.notes,
    }
    if found.position is not None:
        told["position"] = {"place": found.position.place, "length": found.position.length}
    return told


def _said(said: Said | None) -> Object | None:
    if said is None:
        return None
    told: Object = {"reason": said.reason, "message": said.message}
    return {**told, "since": format_time(said.since)} if said.since else told


def _usage(usage: Usage) -> list[Object]:
    return [
        {"flavor": flavor, "resource": resource, "amount": printed(resource, value)}
        for (flavor, resource), value in sorted(usage.items())
    ]


def _look(look: FlavorLook) -> Object:
    return {
        "podSet": look.pod_set,
        "flavor": look.flavor,
        "mode": look.mode_name,
        "reasons": list(look.reasons),
        "needs": [_need(need) for need in look.needs],
    }


def _need(need: Need) -> Object:
    amounts = {
        "requested": need.requested,
        "free": need.free,
        "used": need.used,
        "nominal": need.nominal,
        "maximum": need.maximum,
        "missing": need.missing,
    }
    amounts_told = {name: printed(need.resource, value) for name, value in amounts.items()}
    return {"resource": need.resource, **amounts_told}


def _level(level: Level) -> Object:
    flavor, resource = level.where
    amounts = {
        "quota": level.quota,
        "used": level.used,
        "free": level.free,
        "borrowingLimit": level.borrowing_limit,
        "lendingLimit": level.lending_limit,
    }
    amounts_told = {n: printed(resource, v) for n, v in amounts.items() if v is not None}
    where = {"kind": level.kind, "name": level.name, "flavor": flavor, "resource": resource}
    return {**where, **amounts_told}


def _holder(holder: Holder) -> Object:
    told: Object = {
        "workload": holder.key,
        "clusterQueue": holder.info.cluster_queue,
        "localQueue": holder.info.obj.spec.queue_name,
        "priority": holder.info.priority,
        "holds": _usage(holder.usage),
        "isLeaving": holder.is_leaving,
    }
    return {**told, "since": format_time(holder.since)} if holder.since else told


def _remedy(remedy: Remedy) -> Object:
    told: Object = {"text": remedy.text}
    if remedy.changes:
        told["changes"] = [
            {
                "kind": change.kind,
                "name": change.name,
                "field": change.field,
                "flavor": change.flavor,
                "resource": change.resource,
                "by": printed(change.resource, change.by),
            }
            for change in remedy.changes
        ]
    if remedy.workloads:
        told["workloads"] = list(remedy.workloads)
    if remedy.command:
        told["command"] = remedy.command
    return told
