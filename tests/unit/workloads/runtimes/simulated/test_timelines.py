"""The life of a pod, step by step, whole or taken up from a status."""

from __future__ import annotations

import itertools
import math
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects import Pod
from argosy.base.types import Json, Object
from argosy.workloads.runtimes.runs import Running, Terminated, Waiting, phase_of
from argosy.workloads.runtimes.simulated.processes import backoff_seconds
from argosy.workloads.runtimes.simulated.rules import DEFAULTS, Distribution, Simulation
from argosy.workloads.runtimes.simulated.timelines import Timeline
from argosy.workloads.runtimes.statuses import compose
from tests.unit.workloads.runtimes.views import pod

START = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def story(one: Pod, rules: Simulation = DEFAULTS, seconds: float = 10_000) -> list[str]:
    """What a pod does at which second, one line per step."""
    timeline = Timeline(one, rules, START)
    told = []
    while True:
        timeline.advance(timeline.due)
        told.append(line(timeline))
        if timeline.is_over or timeline.due > START + seconds:
            return told


def line(timeline: Timeline) -> str:
    states = []
    for process in timeline.processes:
        match process.state:
            case None:
                text = "-"
            case Running(at):
                text = f"running@{at.timestamp() - START:g}" + ("" if process.is_ready else "?")
            case Terminated(code, reason, _, at):
                text = f"{reason}:{code}" + (f"@{at.timestamp() - START:g}" if at else "")
            case Waiting(reason, _):
                text = f"{reason}@{process.due - START:g}"
        states.append(f"{process.container.name}={text}")
    return " ".join(states)


def container(name: str, *command: str, **more: Json) -> Object:
    return {"name": name, "image": "x", "command": list(command), **more}


def test_a_pod_runs_and_ends() -> None:
    assert story(pod("sleep", "30")) == ["main=running@0", "main=Completed:0@30"]


def test_a_pod_fails() -> None:
    want = ["main=running@0", "main=Error:3@5"]
    assert story(pod("sh", "-c", "sleep 5; exit 3")) == want


def test_a_pod_starts_after_its_startup_and_is_ready_later() -> None:
    rules = Simulation(startup=Distribution(value=4), readiness=Distribution(value=2))
    want = ["main=running@4?", "main=running@4", "main=Completed:0@34"]
    assert story(pod("sleep", "30"), rules) == want


def test_the_readiness_probe_delays_readiness() -> None:
    probe = {"initialDelaySeconds": 6, "httpGet": {"port": 80}}
    got = story(pod("sleep", "30", container={"readinessProbe": probe}))
    assert got == ["main=running@0?", "main=running@0", "main=Completed:0@30"]


def test_init_containers_run_one_after_the_other_and_sidecars_stay_until_the_end() -> None:
    inits = [
        container("a", "sleep", "2"),
        container("side", "sleep", "infinity", restartPolicy="Always"),
        container("b", "sleep", "3"),
    ]
    assert story(pod("sleep", "10", initContainers=inits)) == [
        "a=running@0 side=- b=- main=-",
        "a=Completed:0@2 side=running@2 b=running@2 main=-",
        "a=Completed:0@2 side=running@2 b=Completed:0@5 main=running@5",
        "a=Completed:0@2 side=Completed:0@15 b=Completed:0@5 main=Completed:0@15",
    ]


def test_an_init_container_that_fails_ends_a_pod_that_never_restarts() -> None:
    inits = [container("a", "sh", "-c", "sleep 1; exit 4")]
    assert story(pod("sleep", "10", initContainers=inits)) == [
        "a=running@0 main=-",
        "a=Error:4@1 main=-",
    ]


def test_an_init_container_that_fails_is_tried_again_otherwise() -> None:
    inits = [container("a", "sh", "-c", "sleep 1; exit 4")]
    got = story(pod("sleep", "10", policy="Always", initContainers=inits), seconds=20)
    assert got == [
        "a=running@0 main=-",
        "a=running@1 main=-",
        "a=CrashLoopBackOff@12 main=-",
        "a=running@12 main=-",
        "a=CrashLoopBackOff@33 main=-",
    ]


def test_two_main_containers_end_the_pod_when_the_last_has_ended() -> None:
    one = pod("sleep", "5")
    both = msgspec.structs.replace(
        one,
        spec=msgspec.structs.replace(
            one.spec,
            containers=(
                *one.spec.containers,
                msgspec.structs.replace(
                    one.spec.containers[0], name="other", command=("sleep", "9")
                ),
            ),
        ),
    )
    assert story(both) == [
        "main=running@0 other=running@0",
        "main=Completed:0@5 other=running@0",
        "main=Completed:0@5 other=Completed:0@9",
    ]


def test_crashes_are_held_back_longer_and_longer() -> None:
    timeline = Timeline(pod("sh", "-c", "sleep 1; exit 1", policy="OnFailure"), DEFAULTS, START)
    starts = []
    while len(starts) < 9:
        timeline.advance(timeline.due)
        process = timeline.processes[0]
        if process.is_running:
            starts.append((process.started - START, process.restarts))
    waits = [after - before - 1 for (before, _), (after, _) in itertools.pairwise(starts)]
    assert waits == [0, 10, 20, 40, 80, 160, 300, 300]
    assert [count for _, count in starts] == list(range(9))


def test_a_container_in_back_off_says_so_in_the_kubelets_words() -> None:
    timeline = Timeline(pod("false", policy="Always"), DEFAULTS, START)
    timeline.advance(START)
    run = timeline.runs()["main"]
    assert run.state == Waiting(
        "CrashLoopBackOff",
        "back-off 10s restarting failed container=main pod=p_ns(0b7f9a52-7c6e-4a55-8f0c-0a8d3c0b1e11)",
    )
    assert (run.restart_count, run.last.exit_code if run.last else None) == (1, 1)
    assert [happening.reason for happening in timeline.happenings] == [
        "Started",
        "Started",
        "BackOff",
    ]


def test_a_long_run_forgives_earlier_crashes() -> None:
    timeline = Timeline(pod("sh", "-c", "sleep 700; exit 1", policy="Always"), DEFAULTS, START)
    timeline.advance(START + 700 * 5 + 1)
    assert (timeline.processes[0].restarts, timeline.processes[0].crashes) == (5, 1)


def test_the_deadline_ends_a_pod() -> None:
    timeline = Timeline(pod("sleep", "60", activeDeadlineSeconds=20), DEFAULTS, START)
    timeline.advance(START + 20)
    assert timeline.is_over
    assert line(timeline) == "main=Error:143@20"
    assert timeline.verdict is not None
    assert timeline.verdict.reason == "DeadlineExceeded"


# How a pod that was stopped after ten seconds ends.
STOPPED: dict[str, tuple[Pod, float, list[str]]] = {
    "a process ends at once on SIGTERM": (pod("sleep", "60"), 30, ["main=Error:143@10"]),
    "one that takes its time": (
        pod("sleep", "60", annotations={"argosy.dev/termination": "4s"}), 30,
        ["main=running@0", "main=Error:143@14"],
    ),
    "one that ignores SIGTERM is killed": (
        pod("sleep", "90", annotations={"argosy.dev/termination": "never"}), 30,
        ["main=running@0", "main=Error:137@40"],
    ),
    "one that ends by itself meanwhile": (
        pod("sleep", "12", annotations={"argosy.dev/termination": "never"}), 30,
        ["main=running@0", "main=Completed:0@12"],
    ),
    "one without grace": (
        pod("sleep", "60", annotations={"argosy.dev/termination": "4s"}), 0, ["main=Error:137@10"],
    ),
    "one that waits for its restart": (pod("false", policy="Always"), 30, ["main=Error:1@0"]),
    "one that has not started": (
        pod("sleep", "60", annotations={"argosy.dev/startup": "1m"}), 30, ["main=ContainerStatusUnknown:137"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("one", "grace", "want"), STOPPED.values(), ids=STOPPED.keys())
def test_a_pod_is_stopped(one: Pod, grace: float, want: list[str]) -> None:
    timeline = Timeline(one, DEFAULTS, START)
    timeline.advance(START + 9.9)
    timeline.stop(START + 10, grace)
    got = [line(timeline)]
    while not timeline.is_over:
        timeline.advance(timeline.due)
        got.append(line(timeline))
    assert got == want
    assert timeline.due == math.inf


def test_a_shorter_grace_counts() -> None:
    one = pod("sleep", "600", annotations={"argosy.dev/termination": "never"})
    timeline = Timeline(one, DEFAULTS, START)
    timeline.advance(START)
    timeline.stop(START + 10, 300)
    timeline.stop(START + 20, 5)
    timeline.advance(timeline.due)
    assert line(timeline) == "main=Error:137@25"
    assert [h.reason for h in timeline.happenings] == ["Started", "Killing"]


def seen(timeline: Timeline, now: float) -> Pod:
    """The pod with the status a runtime would have written."""
    status = compose(
        timeline.pod, timeline.runs(), now=datetime.fromtimestamp(now, UTC),
        has_sandbox=timeline.has_sandbox, is_ending=timeline.is_ending, verdict=timeline.verdict,
    )  # fmt: skip
    status["startTime"] = datetime.fromtimestamp(timeline.started, UTC).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )
    raw = msgspec.to_builtins(timeline.pod)
    return msgspec.convert({**raw, "status": status}, Pod)


LIVES: dict[str, Pod] = {
    "a job": pod("sleep", "60"),
    "one that fails": pod("sh", "-c", "sleep 45; exit 2"),
    "a crash loop": pod("sh", "-c", "sleep 7; exit 1", policy="Always"),
    "a startup": pod("sleep", "20", annotations={"argosy.dev/startup": "30s"}),
    "init containers and a sidecar": pod(
        "sleep", "30",
        initContainers=[
            container("a", "sleep", "11"),
            container("s", "sleep", "infinity", restartPolicy="Always"),
            container("b", "sleep", "13"),
        ],
    ),
    "a deadline": pod("sleep", "900", activeDeadlineSeconds=50),
}  # fmt: skip


@pytest.mark.parametrize("one", LIVES.values(), ids=LIVES.keys())
@given(away_at=st.integers(0, 100), back_after=st.integers(0, 200))
def test_a_life_that_was_interrupted_is_the_same(one: Pod, away_at: int, back_after: int) -> None:
    """Whole seconds: that is how precisely statuses tell times."""
    whole = Timeline(one, DEFAULTS, START)
    whole.advance(START + 400)
    first = Timeline(one, DEFAULTS, START)
    first.advance(START + away_at)
    if first.is_over:
        return
    second = Timeline(seen(first, START + away_at), DEFAULTS, START + away_at + back_after)
    second.advance(START + 400)
    assert line(second) == line(whole)
    assert second.runs() == whole.runs()
    assert second.is_over == whole.is_over


@given(
    st.lists(st.floats(0, 300), max_size=8),
    st.sampled_from(["Always", "OnFailure", "Never"]),
    st.booleans(),
)
def test_looking_more_often_changes_nothing(looks: list[float], policy: str, fails: bool) -> None:
    one = pod("sh", "-c", f"sleep 20; exit {int(fails)}", policy=policy)
    often, once = Timeline(one, DEFAULTS, START), Timeline(one, DEFAULTS, START)
    for look in sorted(looks):
        often.advance(START + look)
    often.advance(START + 300)
    once.advance(START + 300)
    assert line(often) == line(once)
    assert phase_of(one, often.runs()) == phase_of(one, once.runs())


def test_back_off_is_the_kubelets() -> None:
    want = [0, 0, 10, 20, 40, 80, 160, 300, 300]
    assert [backoff_seconds(crashes) for crashes in range(9)] == want
