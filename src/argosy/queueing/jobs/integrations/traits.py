"""What a pod says of itself, and what is done to one: gates, roles, groups, ends. Of pods alone and in groups. Pure."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from argosy.base.timestamps import format_time
from argosy.base.types import Json, Object
from argosy.queueing.jobs import names
from argosy.queueing.jobs.kinds import Step, Stop
from argosy.queueing.jobs.podsets import PodSetInfo, merged
from argosy.queueing.jobs.topologies import parse_int, topology_request, with_topology

_ENDED: Final = frozenset({"Succeeded", "Failed"})
_TERMINATION_TARGET: Final = "TerminationTarget"
# What pods of one role have in common: all that admission looks at.
_SHAPE: Final = (
    "affinity", "nodeSelector", "overhead", "priority", "resourceClaims", "runtimeClassName", "tolerations",
    "topologySpreadConstraints",
)  # fmt: skip
_encode: Final = msgspec.json.Encoder(order="deterministic").encode


def labels_of(pod: Object) -> dict[str, str]:
    found: dict[str, str] = pod["metadata"].get("labels") or {}
    return found


def annotations_of(pod: Object) -> dict[str, str]:
    found: dict[str, str] = pod["metadata"].get("annotations") or {}
    return found


def group_name(pod: Object) -> str:
    return labels_of(pod).get(names.POD_GROUP_NAME, "")


def is_managed(pod: Object) -> bool:
    return labels_of(pod).get(names.MANAGED) == "true"


def is_unretriable(pod: Object) -> bool:
    return annotations_of(pod).get(names.RETRIABLE_IN_GROUP) == "false"


def phase(pod: Object) -> str:
    found: str = (pod.get("status") or {}).get("phase", "")
    return found


def is_ended(pod: Object) -> bool:
    return phase(pod) in _ENDED


def is_ready(pod: Object) -> bool:
    return any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in (pod.get("status") or {}).get("conditions") or ()
    )


def is_gated(pod: Object) -> bool:
    gates = (pod.get("spec") or {}).get("schedulingGates") or ()
    return any(each["name"] == names.ADMISSION_GATE for each in gates)


def is_finalized(pod: Object) -> bool:
    return names.MANAGED not in (pod["metadata"].get("finalizers") or ())


def pod_role(pod: Object) -> str:
    """Pods of one role are alike to admission. Eight digits, unless the pod says what its role is."""
    return annotations_of(pod).get(names.ROLE_HASH) or role_hash(pod["spec"])


def role_hash(spec: Object) -> str:
    def shape(containers: list[Object]) -> list[Json]:
        return [
            {
                "ports": each.get("ports"),
                "requests": (each.get("resources") or {}).get("requests"),
            }
            for each in containers
        ]

    content = {field: spec.get(field) for field in _SHAPE}
    for field in ("initContainers", "containers"):
        content[field] = shape(spec.get(field) or [])
    return hashlib.sha256(_encode(content)).hexdigest()[:8]


def pod_set_of(pod: Object, name: str = names.MAIN, count: int = 1) -> Object:
    pod_set: Object = {"name": name, "count": count, "template": {"spec": pod["spec"]}}
    request = topology_request(pod, pod_index_label=names.POD_GROUP_POD_INDEX)
    return with_topology(pod_set, request)


def total_count(pod: Object) -> int | None:
    """How many pods its group has; None where it does not say."""
    found = parse_int(annotations_of(pod).get(names.POD_GROUP_TOTAL_COUNT, ""))
    return found if found is not None and found > 0 else None


# What is done to pods.


def gated(pod: Object) -> Object:
    if is_gated(pod):
        return pod
    gates = [*(pod["spec"].get("schedulingGates") or ()), {"name": names.ADMISSION_GATE}]
    return {**pod, "spec": {**pod["spec"], "schedulingGates": gates}}


def let_go(pod: Object, info: PodSetInfo) -> Object:
    """The pod with what it was assigned, without our gates. Raises Permanent."""
    new = merged(pod, info)
    kept = {each["name"] for each in info.scheduling_gates}
    gone = {names.ADMISSION_GATE, names.TOPOLOGY_GATE} - kept
    gates = [each for each in new["spec"].get("schedulingGates") or () if each["name"] not in gone]
    spec = {**new["spec"], "schedulingGates": gates}
    if not gates:
        del spec["schedulingGates"]
    return {**new, "spec": spec}


def ending(pod: Object, stop: Stop) -> list[Step]:
    """Say why, and delete. A pod that does not run stays, unless its Workload has gone."""
    is_idle = is_ended(pod) or is_gated(pod)
    if pod["metadata"].get("deletionTimestamp") or (is_idle and stop.reason != "WorkloadDeleted"):
        return []
    status = pod.get("status") or {}
    kept = [each for each in status.get("conditions") or () if each["type"] != _TERMINATION_TARGET]
    target = {
        "type": _TERMINATION_TARGET,
        "status": "True",
        "reason": stop.reason,
        "message": stop.message,
        "lastTransitionTime": format_time(stop.now),
    }
    doomed = {**pod, "status": {**status, "conditions": [*kept, target]}}
    return [Step(pod, doomed, "status"), Step(doomed, None, is_told=True)]


def releasing(pod: Object) -> list[Step]:
    if is_finalized(pod):
        return []
    kept = [each for each in pod["metadata"]["finalizers"] if each != names.MANAGED]
    meta = {**pod["metadata"], "finalizers": kept}
    if not kept:
        del meta["finalizers"]
    return [Step(pod, {**pod, "metadata": meta})]
