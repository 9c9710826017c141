"""How the server treats pods: what it sets on create, keeps on update, waits for on delete, lets users select by."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods.creation import validate_pod
from argosy.api.rules.pods.defaulting import default_pod
from argosy.api.rules.pods.qos import qos_class
from argosy.api.rules.pods.statuses import validate_pod_status
from argosy.api.rules.pods.updates import validate_pod_update
from argosy.api.rules.pods.warnings import pod_warnings
from argosy.api.rules.resets import keep_metadata
from argosy.base.types import Object

_SIDES: Final = (
    ("preferredDuringSchedulingIgnoredDuringExecution", "podAffinityTerm"),
    ("requiredDuringSchedulingIgnoredDuringExecution", ""),
)


def prepare_create(pod: Object) -> None:
    """A new pod is pending, whatever status its writer gave it."""
    spec: Object = pod["spec"]
    pod["status"] = {"phase": "Pending", "qosClass": qos_class(spec)}
    drop_disabled(spec)
    if spec.get("schedulingGates"):
        pod["status"]["conditions"] = [
            {
                "lastProbeTime": None,
                # Set by the server before this hook, so it is the time of this very request.
                "lastTransitionTime": (pod.get("metadata") or {}).get("creationTimestamp"),
                "message": "Scheduling is blocked due to non-empty scheduling gates",
                "reason": "SchedulingGated",
                "status": "False",
                "type": "PodScheduled",
            }
        ]
    labels: dict[str, str] = (pod.get("metadata") or {}).get("labels") or {}
    if affinity := spec.get("affinity"):
        _merge_affinity_keys(affinity, labels)
    for constraint in spec.get("topologySpreadConstraints") or ():
        _merge_label_keys(constraint, labels)


def _merge_affinity_keys(affinity: Object, labels: dict[str, str]) -> None:
    for kind in ("podAffinity", "podAntiAffinity"):
        if terms := affinity.get(kind):
            for side, inner in _SIDES:
                for term in terms.get(side) or ():
                    _merge_label_keys((term.get(inner) or {}) if inner else term, labels)


def _merge_label_keys(term: Object, labels: dict[str, str]) -> None:
    """matchLabelKeys stand for the pod's own values of these labels."""
    if (selector := term.get("labelSelector")) is None:
        return
    for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
        for key in term.get(field) or ():
            if key in labels:
                selector.setdefault("matchExpressions", []).append(
                    {"key": key, "operator": operator, "values": [labels[key]]}
                )


def prepare_update(new: Object, old: Object) -> None:
    if "status" in old:
        new["status"] = old["status"]
    else:
        new.pop("status", None)
    drop_disabled(new["spec"])


def prepare_status(new: Object, old: Object) -> None:
    new["spec"] = old["spec"]
    keep_metadata(new, old, ("deletionTimestamp", "ownerReferences"))
    status: Object = new.setdefault("status", {})
    old_status: Object = old.get("status") or {}
    for field in ("qosClass", "observedGeneration"):
        if not status.get(field) and old_status.get(field):
            status[field] = old_status[field]
    _keep_observed_generations(status, old_status)


def _keep_observed_generations(status: Object, old_status: Object) -> None:
    """Writers that do not know conditions' observedGeneration do not erase it."""
    known: dict[str, list[int]] = {}
    for condition in old_status.get("conditions") or ():
        known.setdefault(condition.get("type", ""), []).append(
            condition.get("observedGeneration", 0)
        )
    if not known:
        return
    for condition in status.get("conditions") or ():
        before = known.get(condition.get("type", ""))
        generation = before.pop(0) if before else 0
        if generation and not condition.get("observedGeneration"):
            condition["observedGeneration"] = generation


def drop_disabled(spec: Object) -> None:
    """Remove fields whose features are off by default in this version, as upstream does silently."""
    spec.pop("workloadRef", None)
    for volume in spec.get("volumes") or ():
        if projected := volume.get("projected"):
            for source in projected.get("sources") or ():
                source.pop("clusterTrustBundle", None)
                source.pop("podCertificate", None)
    for kind in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            if lifecycle := container.get("lifecycle"):
                lifecycle.pop("stopSignal", None)


def grace_seconds(pod: Object, requested: int | None = None) -> int:
    """Seconds a deleted pod keeps running: what the request or the pod says, nothing where no kubelet runs it."""
    spec: Object = pod.get("spec") or {}
    if not spec.get("nodeName") or (pod.get("status") or {}).get("phase") in {
        "Succeeded",
        "Failed",
    }:
        return 0
    seconds = spec.get("terminationGracePeriodSeconds", 0) if requested is None else requested
    return 1 if seconds < 0 else int(seconds)


def _text(section: str, field: str, pod: Object) -> str:
    return str((pod.get(section) or {}).get(field) or "")


def _pod_ip(pod: Object) -> str:
    status: Object = pod.get("status") or {}
    addresses = status.get("podIPs")
    return str(addresses[0].get("ip", "") if addresses else status.get("podIP", ""))


POD: Final = Rules(
    default=default_pod,
    prepare_create=prepare_create,
    prepare_update=prepare_update,
    prepare_status=prepare_status,
    validate=validate_pod,
    validate_update=validate_pod_update,
    validate_status=validate_pod_status,
    warnings=pod_warnings,
    name_problems=is_dns1123_subdomain,
    selectable={
        "spec.nodeName": lambda pod: _text("spec", "nodeName", pod),
        "spec.restartPolicy": lambda pod: _text("spec", "restartPolicy", pod),
        "spec.schedulerName": lambda pod: _text("spec", "schedulerName", pod),
        "spec.serviceAccountName": lambda pod: _text("spec", "serviceAccountName", pod),
        "spec.hostNetwork": lambda pod: (
            "true" if (pod.get("spec") or {}).get("hostNetwork") else "false"
        ),
        "status.phase": lambda pod: _text("status", "phase", pod),
        "status.podIP": _pod_ip,
        "status.nominatedNodeName": lambda pod: _text("status", "nominatedNodeName", pod),
    },
    grace_seconds=grace_seconds,
)
