"""The status of a pod, composed from what its containers do, as kubelets write it.

`compose` is the one place where runs of containers become phase, conditions and container statuses; every runtime
reports through it, so `kubectl get` and `describe` read alike whichever runs a pod. It is pure: the same pod, runs
and time give the same status. A pod of one container costs about 25 microseconds.

Invariants: a phase that is final stays; a pod is not called Failed or Succeeded while one of its containers runs; a
condition keeps its transition time while its status is the same; conditions of others (DisruptionTarget, readiness
gates) are carried over as the pod has them. Fields of the status that kubelets do not own are not in the result.
Mirrors the kubelet's status generation of v1.35.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Final, NamedTuple

from argosy.api.objects import Condition, Container, Pod
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.workloads.runtimes.runs import (
    Run,
    Running,
    State,
    Terminated,
    Waiting,
    is_sidecar,
    phase_of,
)


class Verdict(NamedTuple):
    """Why the node ended the pod: it is Failed with this reason once the last of its containers has ended."""

    reason: str
    message: str
    # The reason of the condition DisruptionTarget, for a pod that is not to blame.
    disruption: str = ""


CREATING: Final = Run(Waiting("ContainerCreating"))
INITIALIZING: Final = Run(Waiting("PodInitializing"))

TERMINATION_BY_KUBELET: Final = "TerminationByKubelet"
# Conditions that are a kubelet's own; all others belong to somebody else, or are shared with them.
KUBELETS: Final = frozenset(
    {
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
        "PodResizeInProgress",
        "PodResizePending",
    }
)
_DISRUPTION: Final = "DisruptionTarget"
_FINAL: Final = frozenset({"Succeeded", "Failed"})


def is_of_kubelet(condition: Object) -> bool:
    """Whether a condition is a kubelet's own word; DisruptionTarget is, where it says so."""
    type_ = condition["type"]
    if type_ == _DISRUPTION:
        return condition.get("reason") == TERMINATION_BY_KUBELET
    return type_ in KUBELETS


class _Claim(NamedTuple):
    """A condition without its times."""

    status: bool
    reason: str = ""
    message: str = ""


def compose(
    pod: Pod,
    runs: Mapping[str, Run],
    *,
    now: datetime,
    host_ips: Sequence[str] = (),
    pod_ips: Sequence[str] = (),
    has_sandbox: bool = True,
    is_ending: bool = False,
    verdict: Verdict | None = None,
    previous: Object | None = None,
) -> Object:
    """The whole status of a pod, of the fields that kubelets own.

    `runs` has the containers that were tried; others wait. `has_sandbox`: volumes and network are there. `is_ending`:
    no container will be started again, whatever its policy says. `previous` is what was composed last; without it the
    status in `pod` counts.
    """
    spec = pod.spec
    waiting = INITIALIZING if spec.init_containers else CREATING
    known = {
        one.name: runs.get(one.name, waiting)
        for one in chain(spec.init_containers, spec.containers)
    }
    before = previous if previous is not None else _told(pod)
    status: Object = _settled(pod, known, before, verdict, is_ending=is_ending)
    status["observedGeneration"] = pod.metadata.generation
    claims = _claims(pod, known, status["phase"], has_sandbox=has_sandbox)
    if verdict is not None and verdict.disruption and status.get("reason") == verdict.reason:
        claims[_DISRUPTION] = _Claim(True, verdict.disruption, verdict.message)
    status["conditions"] = _conditions(pod, claims, before, format_time(now))
    if host_ips:
        status["hostIP"] = host_ips[0]
        status["hostIPs"] = [{"ip": ip} for ip in host_ips]
    if pod_ips:
        status["podIP"] = pod_ips[0]
        status["podIPs"] = [{"ip": ip} for ip in pod_ips]
    status["startTime"] = before.get("startTime") or format_time(now)
    if spec.init_containers:
        status["initContainerStatuses"] = [
            _container_status(one, known[one.name], is_init=not is_sidecar(one))
            for one in spec.init_containers
        ]
    status["containerStatuses"] = [
        _container_status(one, known[one.name])
        for one in sorted(spec.containers, key=lambda one: one.name)
    ]
    if pod.status.qos_class:
        status["qosClass"] = pod.status.qos_class
    return status


def _told(pod: Pod) -> Object:
    """What the pod's own status says of what `compose` looks back at."""
    told = pod.status
    return {
        "phase": told.phase,
        "reason": told.reason,
        "message": told.message,
        "startTime": format_time(told.start_time) if told.start_time else "",
        "conditions": [_condition(one) for one in told.conditions],
    }


def _settled(
    pod: Pod, runs: Mapping[str, Run], before: Object, verdict: Verdict | None, *, is_ending: bool
) -> Object:
    """Phase, reason and message: final phases stay, and come only when nothing runs any more."""
    old, kept = before.get("phase") or "Pending", pod.status.phase
    phase = phase_of(pod, runs, is_ending=is_ending or verdict is not None)
    reason, message = before.get("reason", ""), before.get("message", "")
    if verdict is not None:
        phase, reason, message = "Failed", verdict.reason, verdict.message
    elif phase != old:
        reason = message = ""
    if kept in _FINAL or old in _FINAL:
        phase = kept if kept in _FINAL else old
        reason, message = pod.status.reason or reason, pod.status.message or message
    elif phase in _FINAL and any(isinstance(run.state, Running) for run in runs.values()):
        phase, reason, message = old, before.get("reason", ""), before.get("message", "")
    status: Object = {"phase": phase}
    if reason:
        status["reason"] = reason
    if message:
        status["message"] = message
    return status


def _claims(
    pod: Pod, runs: Mapping[str, Run], phase: str, *, has_sandbox: bool
) -> dict[str, _Claim]:
    containers_ready = _containers_ready(pod, runs, phase)
    return {
        "PodReadyToStartContainers": _Claim(has_sandbox),
        "Initialized": _initialized(pod, runs, phase),
        "Ready": _gated(pod) if containers_ready.status else containers_ready,
        "ContainersReady": containers_ready,
        "PodScheduled": _Claim(status=True),
    }


def _initialized(pod: Pod, runs: Mapping[str, Run], phase: str) -> _Claim:
    if phase == "Succeeded":
        return _Claim(status=True, reason="PodCompleted")
    if any(not isinstance(runs[one.name].state, Waiting) for one in pod.spec.containers):
        return _Claim(status=True)
    incomplete = []
    for one in pod.spec.init_containers:
        run = runs[one.name]
        if is_sidecar(one):
            done = isinstance(run.state, Running) and run.started
        else:
            done = isinstance(run.state, Terminated) and run.state.exit_code == 0
        if not done:
            incomplete.append(one.name)
    if not incomplete:
        return _Claim(status=True)
    text = f"containers with incomplete status: [{' '.join(incomplete)}]"
    return _Claim(status=False, reason="ContainersNotInitialized", message=text)


def _containers_ready(pod: Pod, runs: Mapping[str, Run], phase: str) -> _Claim:
    if phase == "Succeeded":
        return _Claim(status=False, reason="PodCompleted")
    if phase == "Failed":
        return _Claim(status=False, reason="PodFailed")
    unready = [
        one.name
        for one in chain(filter(is_sidecar, pod.spec.init_containers), pod.spec.containers)
        if not _is_ready(runs[one.name])
    ]
    if not unready:
        return _Claim(status=True)
    text = f"containers with unready status: [{' '.join(unready)}]"
    return _Claim(status=False, reason="ContainersNotReady", message=text)


def _gated(pod: Pod) -> _Claim:
    """Ready, of a pod whose containers are, by its readiness gates."""
    missing = []
    for gate in pod.spec.readiness_gates:
        type_ = gate.get("conditionType", "")
        found = next((one for one in pod.status.conditions if one.type == type_), None)
        if found is None:
            missing.append(
                f'corresponding condition of pod readiness gate "{type_}" does not exist.'
            )
        elif found.status != "True":
            missing.append(
                f'the status of pod readiness gate "{type_}" is not "True", but {found.status}'
            )
    if not missing:
        return _Claim(status=True)
    return _Claim(status=False, reason="ReadinessGatesNotReady", message=", ".join(missing))


def _conditions(pod: Pod, claims: Mapping[str, _Claim], before: Object, now: str) -> list[Object]:
    """Others' conditions as they are, then the kubelet's own."""
    old = {one["type"]: one for one in before.get("conditions", ())}
    others = (one for one in pod.status.conditions if one.type not in KUBELETS)
    conditions = [_condition(one) for one in others if one.type not in claims]
    for type_, claim in claims.items():
        status = "True" if claim.status else "False"
        last = old.get(type_)
        same = last is not None and last["status"] == status
        one: Object = {
            "type": type_,
            "observedGeneration": pod.metadata.generation,
            "status": status,
            "lastProbeTime": None,
            "lastTransitionTime": last["lastTransitionTime"] if last and same else now,
        }
        if claim.reason:
            one["reason"] = claim.reason
        if claim.message:
            one["message"] = claim.message
        conditions.append(one)
    return conditions


def _condition(one: Condition) -> Object:
    probed, moved = one.last_probe_time, one.last_transition_time
    condition: Object = {
        "type": one.type,
        "status": one.status,
        "lastProbeTime": format_time(probed) if probed else None,
        "lastTransitionTime": format_time(moved) if moved else None,
    }
    if one.observed_generation:
        condition["observedGeneration"] = one.observed_generation
    if one.reason:
        condition["reason"] = one.reason
    if one.message:
        condition["message"] = one.message
    return condition


def _is_ready(run: Run) -> bool:
    return run.ready and run.started and isinstance(run.state, Running)


def _container_status(container: Container, run: Run, *, is_init: bool = False) -> Object:
    state = run.state
    if is_init:
        ready = isinstance(state, Terminated) and state.exit_code == 0
    else:
        ready = _is_ready(run)
    status: Object = {
        "name": container.name,
        "state": _state(state, run.container_id),
        "lastState": {} if run.last is None else _state(run.last, run.last.container_id),
        "ready": ready,
        "restartCount": run.restart_count,
        "image": container.image,
        "imageID": run.image_id,
        "started": run.started and isinstance(state, Running),
    }
    if run.container_id:
        status["containerID"] = run.container_id
        status["resources"] = _resources(container)
        if container.resources.requests:
            status["allocatedResources"] = container.resources.requests
    if container.volume_mounts:
        status["volumeMounts"] = [_mount(one) for one in container.volume_mounts]
    return status


def _state(state: State, container_id: str) -> Object:
    match state:
        case Waiting(reason, message):
            waiting = {"reason": reason}
            if message:
                waiting["message"] = message
            return {"waiting": waiting}
        case Running(started_at):
            return {"running": {"startedAt": format_time(started_at)}}
        case Terminated():
            return {"terminated": _terminated(state, container_id)}


def _terminated(state: Terminated, container_id: str) -> Object:
    ended: Object = {
        "exitCode": state.exit_code,
        "reason": state.reason,
        "startedAt": format_time(state.started_at) if state.started_at else None,
        "finishedAt": format_time(state.finished_at) if state.finished_at else None,
    }
    if state.signal:
        ended["signal"] = state.signal
    if state.message:
        ended["message"] = state.message
    if id_ := state.container_id or container_id:
        ended["containerID"] = id_
    return ended


def _resources(container: Container) -> Object:
    both = container.resources
    resources: Object = {}
    if both.limits:
        resources["limits"] = both.limits
    if both.requests:
        resources["requests"] = both.requests
    return resources


def _mount(given: Object) -> Object:
    mount: Object = {"name": given["name"], "mountPath": given["mountPath"]}
    if given.get("readOnly"):
        mount["readOnly"] = True
        mount["recursiveReadOnly"] = "Disabled"
    return mount
