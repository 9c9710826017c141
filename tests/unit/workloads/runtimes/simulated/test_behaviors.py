"""How a run goes: annotations before commands, commands before pools, pools before defaults."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest

from argosy.api.objects import Pod
from argosy.workloads.runtimes.simulated.behaviors import (
    Ending,
    ending,
    problems,
    startup_seconds,
    termination_seconds,
)
from argosy.workloads.runtimes.simulated.rules import DEFAULTS, Distribution, Simulation
from tests.unit.workloads.runtimes.views import pod

SLOW = Simulation(duration=Distribution(value=300))
DONE = "Completed"


class Case(NamedTuple):
    pod: Pod
    want: Ending
    rules: Simulation = DEFAULTS


def annotated(duration: str = "", outcome: str = "", *command: str, policy: str = "Never") -> Pod:
    given = {"argosy.dev/duration": duration, "argosy.dev/outcome": outcome}
    return pod(
        *command, annotations={name: text for name, text in given.items() if text}, policy=policy
    )


CASES: dict[str, Case] = {
    "an annotation says how long": Case(annotated("90s"), Ending(90, 0, DONE)),
    "an annotation comes before the command": Case(
        annotated("90s", "", "sleep", "5"), Ending(90, 0, DONE)
    ),
    "for ever, by annotation": Case(annotated("forever"), Ending(math.inf, 0, DONE)),
    "an annotation that cannot be read is not there": Case(
        annotated("soon", "perhaps", "sleep", "5"), Ending(5, 0, DONE)
    ),
    "a plain sleep": Case(pod("sleep", "30"), Ending(30, 0, DONE)),
    "a path to sleep": Case(pod("/bin/sleep", "30"), Ending(30, 0, DONE)),
    "a shell": Case(pod("sh", "-c", "sleep 30"), Ending(30, 0, DONE)),
    "a shell with its script as arguments": Case(
        pod("/bin/bash", container={"args": ["-c", "echo a; sleep 5; exit 2"]}),
        Ending(5, 2, "Error"),
    ),
    "the demo job: an image called sleep": Case(
        pod(image="gcr.io/x/sleep:latest", container={"args": ["2400s"]}), Ending(2400, 0, DONE)
    ),
    "an image that sleeps by a word": Case(
        pod(image="sleep@sha256:1", container={"args": ["sleep", "7"]}), Ending(7, 0, DONE)
    ),
    "arguments without a command": Case(
        pod(container={"args": ["sleep", "8"]}), Ending(8, 0, DONE)
    ),
    "the pause image": Case(pod(image="registry.k8s.io/pause:3.9"), Ending(math.inf, 0, DONE)),
    "variables of the container": Case(
        pod("sleep", "$(N)", container={"env": [{"name": "N", "value": "12"}]}),
        Ending(12, 0, DONE),
    ),
    "the index of a job by its annotation": Case(
        pod(
            "sh", "-c", 'if [ "$I" = 4 ]; then exit 1; fi; sleep 3',
            annotations={"batch.kubernetes.io/job-completion-index": "4"},
            container={"env": [{"name": "I", "valueFrom": {"fieldRef": {
                "fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}]},
        ),
        Ending(0, 1, "Error"),
    ),
    "a command that says nothing runs as the pool says": Case(
        pod("python", "train.py"), Ending(300, 0, DONE), SLOW
    ),
    "a command that says something comes before the pool": Case(
        pod("sleep", "1"), Ending(1, 0, DONE), SLOW
    ),
    "a pod that is to end, by default": Case(pod("python"), Ending(10, 0, DONE)),
    "a pod that restarts on failure, by default": Case(
        pod("python", policy="OnFailure"), Ending(10, 0, DONE)
    ),
    "a service, by default": Case(pod(policy="Always"), Ending(math.inf, 0, DONE)),
    "told to fail": Case(annotated("5s", "fail"), Ending(5, 1, "Error")),
    "told to fail with a code": Case(annotated("5s", "fail:42"), Ending(5, 42, "Error")),
    "told to succeed against its command": Case(
        annotated("", "succeed", "sh", "-c", "sleep 2; exit 3"), Ending(2, 0, DONE)
    ),
    "told to run out of memory": Case(annotated("5s", "oom"), Ending(5, 137, "OOMKilled")),
    "told to hang": Case(annotated("5s", "hang"), Ending(math.inf, 0, DONE)),
    "told to fail always": Case(annotated("5s", "flaky:1"), Ending(5, 1, "Error")),
    "told to fail never": Case(annotated("5s", "flaky:0"), Ending(5, 0, DONE)),
    "a service that fails has to end": Case(
        annotated("", "fail", policy="Always"), Ending(10, 1, "Error")
    ),
    "a pool where all fail": Case(
        pod("sleep", "4"), Ending(4, 9, "Error"), Simulation(failure_rate=1, failure_exit_code=9)
    ),
    "a pool where all run out of memory": Case(
        pod("sleep", "4"), Ending(4, 137, "OOMKilled"), Simulation(oom_rate=1)
    ),
    "a pool where all hang": Case(
        pod("sleep", "4"), Ending(math.inf, 0, DONE), Simulation(hang_rate=1)
    ),
    "an outcome of its own in a pool where all hang": Case(
        annotated("4s", "succeed"), Ending(4, 0, DONE), Simulation(hang_rate=1)
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_run_goes(case: Case) -> None:
    got = ending(case.pod, case.pod.spec.containers[0], 0, case.rules, is_init=False)
    assert got == case.want


def test_annotations_do_not_speak_of_init_containers() -> None:
    init = {"name": "i", "image": "x", "command": ["sleep", "2"]}
    one = pod(annotations={"argosy.dev/duration": "90s"}, initContainers=[init])
    got = ending(one, one.spec.init_containers[0], 0, DEFAULTS, is_init=True)
    assert got == Ending(2, 0, DONE)


def test_init_containers_that_say_nothing_run_as_the_pool_says_and_sidecars_for_ever() -> None:
    inits = [
        {"name": "i", "image": "x"},
        {"name": "s", "image": "x", "restartPolicy": "Always"},
    ]
    one = pod(initContainers=inits)
    rules = Simulation(init_duration=Distribution(value=3))
    got = [ending(one, each, 0, rules, is_init=True).seconds for each in one.spec.init_containers]
    assert got == [3, math.inf]


def test_runs_differ_but_each_is_always_the_same() -> None:
    rules = Simulation(duration=Distribution("uniform", min=0, max=100))
    one = pod("python")
    times = [ending(one, one.spec.containers[0], n, rules, is_init=False).seconds for n in range(9)]
    again = [ending(one, one.spec.containers[0], n, rules, is_init=False).seconds for n in range(9)]
    assert times == again
    assert len(set(times)) == 9


def test_rates_hold_over_many_pods() -> None:
    rules = Simulation(failure_rate=0.3)
    pods = [pod("sleep", "1", uid=str(number)) for number in range(1000)]
    codes = [ending(p, p.spec.containers[0], 0, rules, is_init=False).exit_code for p in pods]
    assert 250 < sum(codes) < 350


def test_startup_and_termination_by_annotation_or_pool() -> None:
    rules = Simulation(startup=Distribution(value=3), termination=Distribution(value=4))
    given = {"argosy.dev/startup": "7s", "argosy.dev/termination": "never"}
    got = [
        (startup_seconds(one, rules), termination_seconds(one, rules))
        for one in (pod(), pod(annotations=given))
    ]
    assert got == [(3, 4), (7, math.inf)]


def test_annotations_that_cannot_be_read_are_told() -> None:
    one = pod(
        annotations={
            "argosy.dev/duration": "60",
            "argosy.dev/startup": "-1s",
            "argosy.dev/termination": "5s",
            "argosy.dev/outcome": "fail:0",
        }
    )
    assert problems(one) == [
        'annotation argosy.dev/duration: time: missing unit in duration "60"; write one such as 90s',
        'annotation argosy.dev/startup: must not be negative, but is "-1s"',
        (
            'annotation argosy.dev/outcome: "fail:0" is none of succeed, fail, fail:CODE (1 to 255), oom, hang, '
            "flaky:PROBABILITY (0 to 1)"
        ),
    ]
    assert problems(pod(annotations={"argosy.dev/outcome": "flaky:2"})) != []
    assert problems(pod(annotations={"else": "x"})) == []
