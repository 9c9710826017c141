"""Lines are made up when they are read: what an echo says, when it says it, and what others say."""

from __future__ import annotations

import math
from itertools import islice
from typing import NamedTuple

import msgspec
import pytest

from argosy.api.objects import Pod
from argosy.api.objects.pods import ContainerStatus
from argosy.base.types import Object
from argosy.workloads.runtimes.simulated.logs import KEPT, Line, Span, lines, past, span_of
from tests.unit.workloads.runtimes.views import pod

ZERO = 1_767_225_600.0
RUNNING = Span(0, ZERO, math.inf)
DEMO = pod("bash", "-c", 'echo "Starting"\nsleep 10\necho "Epoch 1/3: 65%"\nsleep 10\necho done')


def texts(one: Pod, now: float, span: Span = RUNNING, **wanted: float | None) -> list[str]:
    written = lines(one, one.spec.containers[0], span, ZERO + now, 10)
    since, tail = wanted.get("since"), wanted.get("tail")
    chosen, _ = past(
        written,
        ZERO + now,
        since=None if since is None else ZERO + since,
        tail=None if tail is None else int(tail),
    )
    return [f"{line.time - ZERO:g} {line.text}" for line in chosen]


ALL: dict[str, float] = {}


class Case(NamedTuple):
    pod: Pod
    now: float
    want: list[str]
    wanted: dict[str, float] = ALL
    span: Span = RUNNING


MADE_UP = 'Simulated container "main" of pod ns/p'
CASES: dict[str, Case] = {
    "what was said so far": Case(DEMO, 15, ["0 Starting", "10 Epoch 1/3: 65%"]),
    "all of it": Case(DEMO, 99, ["0 Starting", "10 Epoch 1/3: 65%", "20 done"]),
    "the last lines": Case(DEMO, 99, ["20 done"], {"tail": 1}),
    "no line": Case(DEMO, 99, [], {"tail": 0}),
    "lines since a time": Case(DEMO, 99, ["10 Epoch 1/3: 65%", "20 done"], {"since": 5}),
    "a run that was cut short": Case(DEMO, 99, ["0 Starting"], {}, Span(0, ZERO, ZERO + 4)),
    "a loop that never says anything": Case(pod("sh", "-c", "while true; do sleep 1; done"), 20, []),
    "time that passes in a substitution": Case(pod("sh", "-c", "echo $(sleep 3; echo a)"), 9, ["3 a"]),
    "a plain sleep says nothing": Case(pod("sleep", "30"), 20, []),
    "a counter with the date": Case(
        pod("sh", "-c", 'i=0; while true; do echo "$i: $(date)"; i=$((i+1)); sleep 1; done'), 2.5,
        [
            "0 0: Thu Jan  1 00:00:00 UTC 2026",
            "1 1: Thu Jan  1 00:00:01 UTC 2026",
            "2 2: Thu Jan  1 00:00:02 UTC 2026",
        ],
    ),
    "an unfinished line comes at the end": Case(
        pod("sh", "-c", "echo -n a; sleep 2; echo -n b"), 5, ["2 ab"]
    ),
    "variables": Case(
        pod("sh", "-c", "echo $HOSTNAME $WHO", container={"env": [{"name": "WHO", "value": "me"}]}),
        1, ["0 p me"],
    ),
    "others say that they run": Case(
        pod("python"), 25,
        [f"0 {MADE_UP} starts", f"10 {MADE_UP} has run for 10s", f"20 {MADE_UP} has run for 20s"],
    ),
    "others, the last line": Case(pod("python"), 3600, [f"3600 {MADE_UP} has run for 1h0m0s"], {"tail": 1}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_lines(case: Case) -> None:
    assert texts(case.pod, case.now, case.span, **case.wanted) == case.want


def test_lines_of_the_future_come_next() -> None:
    written = lines(DEMO, DEMO.spec.containers[0], RUNNING, ZERO + 5, 10)
    _, upcoming = past(written, ZERO + 5, since=None, tail=None)
    assert upcoming == Line(ZERO + 10, None)
    assert [line.text for line in written if line.text] == ["Epoch 1/3: 65%", "done"]


def test_a_long_log_is_rotated() -> None:
    year = 365 * 86400.0
    for command in (("python",), ("sh", "-c", "while true; do echo a; sleep 1; done")):
        got = texts(pod(*command), year)
        assert len(got) <= KEPT
        assert float(got[-1].split()[0]) == pytest.approx(year, abs=10)


def test_a_line_is_encoded_as_kubelets_write_it() -> None:
    got = next(islice(lines(DEMO, DEMO.spec.containers[0], RUNNING, ZERO, 10), 1))
    assert got.encoded == b"2026-01-01T00:00:00.000000Z Starting\n"


def status(state: Object, last: Object | None = None, restarts: int = 0) -> ContainerStatus:
    return msgspec.convert(
        {"name": "main", "restartCount": restarts, "state": state, "lastState": last or {}},
        ContainerStatus,
    )


ENDED = {"terminated": {"startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:30Z"}}
SINCE = {"running": {"startedAt": "2026-01-01T00:01:00Z"}}
SPANS: dict[str, tuple[ContainerStatus, bool, Span | None]] = {
    "a running container": (status(SINCE), False, Span(0, ZERO + 60, math.inf)),
    "one that has ended": (status(ENDED), False, Span(0, ZERO, ZERO + 31)),
    "one that was restarted": (status(SINCE, ENDED, 3), False, Span(3, ZERO + 60, math.inf)),
    "the run before": (status(SINCE, ENDED, 3), True, Span(2, ZERO, ZERO + 31)),
    "one that waits for its restart": (status({"waiting": {}}, ENDED, 3), False, Span(3, ZERO, ZERO + 31)),
    "one that has not started": (status({"waiting": {}}), False, None),
    "no run before": (status(SINCE), True, None),
}  # fmt: skip


@pytest.mark.parametrize(("one", "previous", "want"), SPANS.values(), ids=SPANS.keys())
def test_which_run_is_asked_for(one: ContainerStatus, previous: bool, want: Span | None) -> None:
    assert span_of(one, previous=previous) == want
