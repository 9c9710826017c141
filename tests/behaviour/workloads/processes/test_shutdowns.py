"""Argosy ends in good order and everything with it: what containers answer then is not their result.

Pods that go on by their policy do so with the next Argosy; others have failed by the shutdown of their node. Neither a
kill of Argosy nor one of the keeper in the middle of the stop changes that.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from argosy.api.objects import Pod, decoder
from argosy.base.types import Object
from argosy.workloads.runtimes.process import launching
from tests.behaviour.workloads.processes.machines import (
    Machine,
    left_of,
    pod,
    run,
    shell,
    uid,
    wait,
)

MESSAGE = "Pod was terminated in response to imminent node shutdown."
FOREVER = "while :; do sleep 0.02; done"


def answering(code: int, then: str = FOREVER, **more: Any) -> Object:
    return shell(f"trap 'exit {code}' TERM; echo ready; {then}", **more)


def begun(one: Pod) -> Callable[[Machine], Awaitable[Pod]]:
    """Start a pod, and wait until its last container has begun; the pod as it is stored then."""
    name, container = one.metadata.name, one.spec.containers[-1].name

    async def story(machine: Machine) -> Pod:
        machine.start(one)
        await machine.until_phase(name, "Running")
        await machine.until(lambda: "running" in machine.state(name, container))
        assert b"ready" in await anext(aiter(machine.runtime.logs(one, machine.follow(container))))
        return stored(one, machine.statuses[name][-1])

    return story


def go_on(folder: Path, story: Callable[[Machine], Awaitable[None]]) -> None:
    """The next Argosy, which has time to tell of its pods."""
    run(folder, story, settle_seconds=5.0, waits=False)


def stored(one: Pod, status: Object) -> Pod:
    made: Pod = decoder(Pod)(msgspec.json.encode({**msgspec.to_builtins(one), "status": status}))
    return made


def verdict(status: Object) -> tuple[str, str, str, Object | None]:
    found = [one for one in status["conditions"] if one["type"] == "DisruptionTarget"]
    condition = {key: found[0][key] for key in ("status", "reason", "message")} if found else None
    return status["phase"], status.get("reason", ""), status.get("message", ""), condition


WANT = (
    "Failed",
    "Terminated",
    MESSAGE,
    {"status": "True", "reason": "TerminationByKubelet", "message": MESSAGE},
)


@pytest.mark.parametrize("policy", ["Never", "OnFailure"])
@pytest.mark.parametrize("code", [0, 9])
def test_a_pod_that_does_not_go_on_has_failed(tmp_path: Path, policy: str, code: int) -> None:
    one = pod("p", answering(code), restartPolicy=policy)
    kept = run(tmp_path, begun(one))
    assert left_of("p") == []

    async def story(machine: Machine) -> None:
        machine.start(kept)
        assert verdict(await machine.until_phase("p", "Failed")) == WANT
        assert machine.phases("p") == ["Failed"]
        assert machine.state("p")["terminated"]["exitCode"] == code

    go_on(tmp_path, story)


def test_a_pod_whose_other_container_was_done(tmp_path: Path) -> None:
    kept = run(tmp_path, begun(pod("p", shell("true", "done"), answering(0))))

    async def story(machine: Machine) -> None:
        machine.start(kept)
        assert verdict(await machine.until_phase("p", "Failed")) == WANT
        assert machine.state("p", "done")["terminated"]["reason"] == "Completed"

    go_on(tmp_path, story)


def test_a_pod_that_always_runs_goes_on(tmp_path: Path) -> None:
    kept = run(tmp_path, begun(pod("p", answering(0), restartPolicy="Always")))

    async def story(machine: Machine) -> None:
        machine.start(kept)
        await machine.until_phase("p", "Running")
        await machine.until(lambda: machine.container("p")["restartCount"] == 1)
        await machine.until(lambda: "running" in machine.state("p"))
        assert machine.phases("p") == ["Running"]
        assert verdict(machine.statuses["p"][-1]) == ("Running", "", "", None)

    go_on(tmp_path, story)
    assert left_of("p") == []


def test_an_init_container_that_was_cut_off_is_run_again(tmp_path: Path) -> None:
    go = tmp_path / "go"
    first = answering(0, f"until test -e {go}; do sleep 0.02; done; echo whole", name="first")
    one = pod("p", shell("sleep 300"), initContainers=[first], restartPolicy="Always")

    async def begin(machine: Machine) -> Pod:
        machine.start(one)
        await machine.until_phase("p", "Pending")
        await machine.until(lambda: "running" in machine.state("p", "first"))
        assert b"ready" in await anext(aiter(machine.runtime.logs(one, machine.follow("first"))))
        return stored(one, machine.statuses["p"][-1])

    async def story(machine: Machine) -> None:
        go.touch()
        machine.start(kept)
        await machine.until_phase("p", "Running")
        assert machine.container("p", "first")["restartCount"] == 1
        assert await machine.log("p", "first") == ["ready", "whole"]

    kept = run(tmp_path, begin)
    go_on(tmp_path, story)


def test_what_ended_by_itself_keeps_its_result(tmp_path: Path) -> None:
    one = pod("p", shell("echo ready"))

    async def begin(machine: Machine) -> Pod:
        machine.start(one)
        await machine.until_phase("p", "Succeeded")
        running = next(status for status in machine.statuses["p"] if status["phase"] != "Succeeded")
        return stored(one, running)

    async def story(machine: Machine) -> None:
        machine.start(kept)
        await machine.until_phase("p", "Succeeded")
        assert verdict(machine.statuses["p"][-1]) == ("Succeeded", "", "", None)

    kept = run(tmp_path, begin)
    go_on(tmp_path, story)


def test_argosy_is_killed_in_the_middle_of_the_stop(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    script = f"trap 'touch {asked}; sleep 0.5; exit 0' TERM; echo ready; {FOREVER}"
    kept = run(tmp_path, begun(pod("p", shell(script))), keep_on_exit=True)
    ask_to_end(tmp_path)
    wait(asked.exists)

    async def story(machine: Machine) -> None:
        machine.start(kept)
        assert verdict(await machine.until_phase("p", "Failed")) == WANT
        assert machine.state("p")["terminated"]["exitCode"] == 0
        # Another keeper is there.
        machine.start(pod("q", shell("true")))
        await machine.until_phase("q", "Succeeded")

    go_on(tmp_path, story)


def test_argosy_and_the_keeper_are_killed_in_the_middle_of_the_stop(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    script = f"trap 'touch {asked}' TERM; echo ready; {FOREVER}"
    kept = run(tmp_path, begun(pod("p", shell(script))), keep_on_exit=True)
    keeper = ask_to_end(tmp_path)
    wait(asked.exists)
    os.kill(keeper, signal.SIGKILL)

    async def story(machine: Machine) -> None:
        machine.start(kept)
        assert verdict(await machine.until_phase("p", "Failed")) == WANT
        assert machine.state("p")["terminated"]["reason"] == "ContainerStatusUnknown"
        assert left_of("p") == []

    go_on(tmp_path, story)


def test_nobody_comes_back_in_time(tmp_path: Path) -> None:
    one = pod("p", answering(0))
    kept = run(tmp_path, begun(one), keep_on_exit=True, orphan_seconds=0.1)
    wait(lambda: left_of("p") == [])

    async def story(machine: Machine) -> None:
        machine.start(kept)
        assert verdict(await machine.until_phase("p", "Failed")) == WANT

    go_on(tmp_path, story)


def ask_to_end(folder: Path) -> int:
    """Do what an Argosy does that is killed as soon as it has asked its keeper to end; the keeper's pid."""
    connection = launching.connect(folder / "state")
    assert connection is not None
    with connection:
        asked: list[Object] = [{"id": 1, "op": "hello"}, {"id": 2, "op": "shutdown", "grace": 60}]
        connection.sendall(b"".join(json.dumps(one).encode() + b"\n" for one in asked))
        answer: Object = json.loads(connection.makefile().readline())
    assert [one["run"] for one in answer["runs"]] == [f"{uid('p')}/main/0"]
    return int(answer["pid"])


def test_hooks_run_before_everything_is_ended_and_what_they_end_was_cut_off(tmp_path: Path) -> None:
    note = tmp_path / "note"
    hook = {
        "preStop": {"exec": {"command": ["bash", "-c", f"echo hooked > {note}; touch {note}.go"]}}
    }
    # It ends by its hook, with success.
    then = f"while ! test -e {note}.go; do sleep 0.02; done; exit 0"
    one = run(tmp_path, begun(pod("p", answering(0, then, lifecycle=hook))))
    assert note.read_text() == "hooked\n"

    async def story(machine: Machine) -> None:
        machine.start(one)
        status = await machine.until_phase("p", "Failed", "Succeeded")
        assert (status["phase"], status["reason"], status["message"]) == (
            "Failed",
            "Terminated",
            MESSAGE,
        )

    go_on(tmp_path, story)
    assert left_of("p") == []
