"""Phases of pods and restarts of containers."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from argosy.base.types import Object
from argosy.workloads.runtimes.runs import Run, Terminated, Waiting, phase_of, should_restart
from tests.unit.workloads.runtimes.making import NOW, RUNNING, THEN, ended, pod

WAITING = Run(Waiting("ContainerCreating"))
LOOPING = Run(Waiting("CrashLoopBackOff"), Terminated(1, "Error", THEN, NOW))
STARTING = Run(RUNNING.state, started=False)
A: Object = {"name": "a"}
B: Object = {"name": "b"}
INIT: Object = {"name": "init"}
SIDE: Object = {"name": "side", "restartPolicy": "Always"}


class Case(NamedTuple):
    want: str
    runs: dict[str, Run]
    policy: str = "Always"
    containers: tuple[Object, ...] = (A,)
    init: tuple[Object, ...] = ()
    is_ending: bool = False


PHASES = {
    "nothing has started": Case("Pending", {"a": WAITING}),
    "one of two runs, the other waits": Case("Pending", {"a": RUNNING, "b": WAITING}, containers=(A, B)),
    "all run": Case("Running", {"a": RUNNING, "b": RUNNING}, containers=(A, B)),
    "one runs, one has failed and is never restarted": Case("Running", {"a": RUNNING, "b": ended(1)}, "Never", (A, B)),
    "all succeeded and are restarted": Case("Running", {"a": ended(0)}),
    "all succeeded and are not restarted": Case("Succeeded", {"a": ended(0)}, "OnFailure"),
    "failed and restarted on failure": Case("Running", {"a": ended(1)}, "OnFailure"),
    "failed and never restarted": Case("Failed", {"a": ended(1)}, "Never"),
    "one failed, one succeeded, never restarted": Case("Failed", {"a": ended(0), "b": ended(2)}, "Never", (A, B)),
    "between two runs": Case("Running", {"a": LOOPING}),
    "succeeded, and the pod is ending": Case("Succeeded", {"a": ended(0)}, is_ending=True),
    "failed, and the pod is ending": Case("Failed", {"a": ended(143)}, is_ending=True),
    "an init container runs": Case("Pending", {"init": RUNNING, "a": WAITING}, init=(INIT,)),
    "an init container has failed for good": Case("Failed", {"init": ended(1), "a": WAITING}, "Never", init=(INIT,)),
    "an init container has failed and is run again": Case("Pending", {"init": ended(1), "a": WAITING}, "OnFailure", init=(INIT,)),
    "an init container loops": Case("Pending", {"init": LOOPING, "a": WAITING}, init=(INIT,)),
    "init is done and the rest runs": Case("Running", {"init": ended(0), "a": RUNNING}, init=(INIT,)),
    "a sidecar is starting": Case("Pending", {"side": STARTING, "a": WAITING}, init=(SIDE,)),
    "a sidecar starts again while the rest runs": Case("Running", {"side": STARTING, "a": RUNNING}, init=(SIDE,)),
    "a sidecar still runs when the rest has ended": Case("Running", {"side": RUNNING, "a": ended(0)}, "Never", init=(SIDE,)),
    "how a sidecar ended does not count": Case("Succeeded", {"side": ended(137), "a": ended(0)}, "Never", init=(SIDE,)),
}  # fmt: skip


@pytest.mark.parametrize("case", PHASES)
def test_the_phase_when(case: str) -> None:
    want, runs, policy, containers, init, is_ending = PHASES[case]
    one = pod(*containers, initContainers=init, restartPolicy=policy)
    assert phase_of(one, runs, is_ending=is_ending) == want


def rule(action: str, operator: str, *values: int) -> Object:
    return {"action": action, "exitCodes": {"operator": operator, "values": values}}


RESTARTS: dict[str, tuple[bool, str, dict[str, Any], int]] = {
    "always, whatever the code": (True, "Always", {}, 0),
    "on failure, after success": (False, "OnFailure", {}, 0),
    "on failure, after failure": (True, "OnFailure", {}, 1),
    "never": (False, "Never", {}, 1),
    "the container's policy goes before the pod's": (False, "Always", {"restartPolicy": "Never"}, 1),
    "a container that restarts on failure": (True, "Never", {"restartPolicy": "OnFailure"}, 1),
    "a rule that matches": (True, "Never", {"restartPolicy": "Never", "restartPolicyRules": [rule("Restart", "In", 42)]}, 42),
    "a rule that does not match": (False, "Never", {"restartPolicy": "Never", "restartPolicyRules": [rule("Restart", "In", 42)]}, 1),
    "a rule for all other codes": (True, "Never", {"restartPolicy": "Never", "restartPolicyRules": [rule("Restart", "NotIn", 42)]}, 1),
    "only the first rule that matches counts": (
        False, "Never",
        {"restartPolicy": "Never", "restartPolicyRules": [rule("RestartAllContainers", "In", 1), rule("Restart", "In", 1)]}, 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RESTARTS)
def test_a_container_restarts(case: str) -> None:
    want, policy, fields, code = RESTARTS[case]
    one = pod({"name": "a", **fields}, restartPolicy=policy)
    assert should_restart(one.spec.containers[0], one, code) is want
