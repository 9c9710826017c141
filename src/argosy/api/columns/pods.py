"""Pods: the one row that tells what is wrong.

STATUS starts as the phase and is overruled, in this order, by the pod's own reason, a scheduling gate, the first init
container that has not finished, the first container that waits or has ended, and deletion. RESTARTS counts init
containers only as long as the pod initializes (sidecars always), and says when the last one happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import (
    NONE,
    age,
    container_cells,
    labels_text,
    name_of,
    since,
)
from argosy.api.columns.printers import AGE, NAME, Printer, Printers
from argosy.api.kinds import Column
from argosy.base.types import Json, Object

# The reason a node's controller gives pods whose node it lost.
_NODE_LOST: Final = "NodeLost"


@dataclass(slots=True)
class _Tally:
    """What is counted on the way through the containers."""

    reason: str
    ready: int = 0
    restarts: int = 0
    last_restart: str = ""

    def count_restarts(self, status: Object) -> None:
        self.restarts += status.get("restartCount") or 0
        ended = (status.get("lastState") or {}).get("terminated")
        if ended is not None:
            # Timestamps of one format order as texts.
            self.last_restart = max(self.last_restart, ended.get("finishedAt") or "")


def _pod(pod: Object, now: datetime) -> list[Json]:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    sidecars = {
        container["name"]
        for container in spec.get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    }
    tally = _Tally(_starting_reason(status))
    sidecar_tally = _Tally("")
    initializing = _count_init_containers(spec, status, sidecars, tally, sidecar_tally)
    if not initializing or _condition(status, "Initialized") == "True":
        tally.restarts, tally.last_restart = sidecar_tally.restarts, sidecar_tally.last_restart
        _count_containers(status, tally)

    if pod["metadata"].get("deletionTimestamp"):
        if status.get("reason") == _NODE_LOST:
            tally.reason = "Unknown"
        elif status.get("phase") not in {"Succeeded", "Failed"}:
            tally.reason = "Terminating"
    restarts = str(tally.restarts)
    if tally.restarts and tally.last_restart:
        restarts = f"{restarts} ({since(tally.last_restart, now)} ago)"
    total = len(spec.get("containers") or ()) + len(sidecars)
    ips = status.get("podIPs") or ()
    return [
        name_of(pod),
        f"{tally.ready}/{total}",
        tally.reason,
        restarts,
        age(pod, now),
        (ips[0].get("ip") if ips else "") or NONE,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        _readiness_gates(spec, status),
    ]


def _starting_reason(status: Object) -> str:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            return "SchedulingGated"
    return status.get("reason") or status.get("phase") or ""


def _count_init_containers(
    spec: Object, status: Object, sidecars: set[str], tally: _Tally, sidecar_tally: _Tally
) -> bool:
    """Walk to the first init container that is not done; true when there is one."""
    for index, container in enumerate(status.get("initContainerStatuses") or ()):
        tally.count_restarts(container)
        is_sidecar = container.get("name") in sidecars
        if is_sidecar:
            sidecar_tally.count_restarts(container)
        state = container.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if ended is not None and not ended.get("exitCode"):
            continue
        if is_sidecar and container.get("started"):
            tally.ready += bool(container.get("ready"))
            continue
        if ended is not None:
            tally.reason = f"Init:{_ending(ended)}"
        elif waiting.get("reason") and waiting["reason"] != "PodInitializing":
            tally.reason = f"Init:{waiting['reason']}"
        else:
            tally.reason = f"Init:{index}/{len(spec.get('initContainers') or ())}"
        return True
    return False


def _count_containers(status: Object, tally: _Tally) -> None:
    running, failure = False, ""
    for container in reversed(status.get("containerStatuses") or ()):
        tally.count_restarts(container)
        state = container.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if waiting.get("reason"):
            tally.reason = waiting["reason"]
        elif ended is not None:
            tally.reason = _ending(ended)
            if ended.get("exitCode"):
                failure = tally.reason
        elif container.get("ready") and state.get("running") is not None:
            running = True
            tally.ready += 1
    if tally.reason == "Completed":
        # One container is done, another may still run: say what the pod as a whole does.
        if running and _condition(status, "Ready", any_of=True) == "True":
            tally.reason = "Running"
        elif failure:
            tally.reason = failure
        elif running:
            tally.reason = "NotReady"


def _ending(ended: Object) -> str:
    if ended.get("reason"):
        reason: str = ended["reason"]
        return reason
    if ended.get("signal"):
        return f"Signal:{ended['signal']}"
    return f"ExitCode:{ended.get('exitCode', 0)}"


def _condition(status: Object, kind: str, *, any_of: bool = False) -> str:
    """The status of the first condition of a type, or with `any_of` "True" if one of them is."""
    for condition in status.get("conditions") or ():
        if condition.get("type") == kind and (not any_of or condition.get("status") == "True"):
            found: str = condition.get("status", "")
            return found
    return ""


def _readiness_gates(spec: Object, status: Object) -> str:
    gates = spec.get("readinessGates") or ()
    if not gates:
        return NONE
    true = sum(_condition(status, gate.get("conditionType", "")) == "True" for gate in gates)
    return f"{true}/{len(gates)}"


def _pod_template(template: Object, _: datetime) -> list[Json]:
    inner = template.get("template") or {}
    pod_labels = (inner.get("metadata") or {}).get("labels")
    return [name_of(template), *container_cells(inner), labels_text(pod_labels)]


def row_conditions(pod: Object) -> list[Object]:
    """Marks on a pod's row: kubectl once hid rows that carry them."""
    match (pod.get("status") or {}).get("phase"):
        case "Succeeded":
            reason, message = "Succeeded", "The pod has completed successfully."
        case "Failed":
            reason, message = "Failed", "The pod failed."
        case _:
            return []
    return [{"type": "Completed", "status": "True", "reason": reason, "message": message}]


PRINTERS: Final[Printers] = {
    ("", "Pod"): Printer(
        (
            NAME,
            Column("Ready", description="Containers that are ready, of all there are."),
            Column("Status", description="What the pod does, or why it does not run."),
            Column("Restarts", description="Restarts of its containers, and when the last was."),
            AGE,
            Column("IP", priority=1, description="Address of the pod."),
            Column("Node", priority=1, description="Node the pod is bound to."),
            Column("Nominated Node", priority=1, description="Node that preemption cleared."),
            Column("Readiness Gates", priority=1, description="Extra conditions that hold."),
        ),
        _pod,
    ),
    ("", "PodTemplate"): Printer(
        (
            NAME,
            Column("Containers", description="Names of the containers in the template."),
            Column("Images", description="Images of the containers in the template."),
            Column("Pod Labels", description="Labels of pods made from the template."),
        ),
        _pod_template,
    ),
}
