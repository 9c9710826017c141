"""What containers do, and what that amounts to: whether one is run again, and the phase of their pod.

A `Run` is one container's present state with the end of its last run. The rules are the kubelet's of v1.35, with
container-level restart policies and rules. The alpha action RestartAllContainers is read as on a kubelet without it:
the container's own policy decides. Pure, and used by every runtime.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias

from argosy.api.objects import Container, Pod


class Waiting(NamedTuple):
    """Not started yet, or between two runs."""

    reason: str
    message: str = ""


class Running(NamedTuple):
    started_at: datetime


class Terminated(NamedTuple):
    """A run that is over. The reason is Completed, Error, OOMKilled, ContainerStatusUnknown..."""

    exit_code: int
    reason: str
    started_at: datetime | None
    finished_at: datetime | None
    message: str = ""
    signal: int = 0
    container_id: str = ""


State: TypeAlias = Waiting | Running | Terminated


@dataclass(slots=True, frozen=True)
class Run:
    """What one container does now, and how its last run ended.

    `ready` and `started` are what the probes say (yes, where there are none); a container that does not run is neither.
    """

    state: State
    last: Terminated | None = None
    restart_count: int = 0
    ready: bool = True
    started: bool = True
    container_id: str = ""
    image_id: str = ""

    @property
    def ended(self) -> Terminated | None:
        """How the container ended, of one that does not run."""
        match self.state:
            case Terminated():
                return self.state
            case Waiting():
                return self.last
            case Running():
                return None


def is_sidecar(container: Container) -> bool:
    """Whether an init container is one that goes on running beside the others."""
    return container.restart_policy == "Always"


def should_restart(container: Container, pod: Pod, exit_code: int) -> bool:
    """Whether a container that ended like this is run again: its first matching rule, its policy, the pod's policy.

    Init containers that are no sidecars are not run again once they succeed; that is for the caller to see.
    """
    if container.restart_policy and _restarts_by_rule(container, exit_code):
        return True
    policy = container.restart_policy or pod.spec.restart_policy
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def _restarts_by_rule(container: Container, exit_code: int) -> bool:
    for rule in container.restart_policy_rules:
        codes = rule.get("exitCodes")
        if codes is None:
            continue
        if (exit_code in (codes.get("values") or ())) == (codes.get("operator") == "In"):
            return bool(rule.get("action") == "Restart")
    return False


def phase_of(pod: Pod, runs: Mapping[str, Run], *, is_ending: bool = False) -> str:
    """The phase of a pod each of whose containers has a run; `is_ending`: nothing is started again."""
    init_pending = sidecar_pending = False
    running = waiting = 0
    for one in pod.spec.init_containers:
        run = runs[one.name]
        ended = run.ended
        if is_sidecar(one):
            # How a sidecar ended never counts.
            running += isinstance(run.state, Running)
            waiting += isinstance(run.state, Waiting) and ended is None
            sidecar_pending |= ended is None and not (
                isinstance(run.state, Running) and run.started
            )
        elif ended is None:
            init_pending = True
        elif ended.exit_code != 0 and not should_restart(one, pod, ended.exit_code):
            return "Failed"
    stopped: list[tuple[Container, int]] = []
    for one in pod.spec.containers:
        run = runs[one.name]
        if (ended := run.ended) is not None:
            stopped.append((one, ended.exit_code))
        elif isinstance(run.state, Running):
            running += 1
        else:
            waiting += 1
    has_initialized = waiting < len(pod.spec.containers)
    if init_pending or waiting or (sidecar_pending and not has_initialized):
        return "Pending"
    if running:
        return "Running"
    if not is_ending and any(should_restart(one, pod, code) for one, code in stopped):
        return "Running"
    return "Failed" if any(code for _, code in stopped) else "Succeeded"
