"""kill -9 of Argosy while fifty containers run as processes: the next one adopts them, and says so.

Those that ended meanwhile are taken over with their exit codes, those whose pods are gone are ended, logs go on where
they were, and at the end no process is left. When nobody comes back, the keeper ends them by itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from argosy.api.objects import Pod, decoder
from argosy.base.types import Object
from argosy.workloads.runtimes.process.keeper.orders import Isolation
from tests.behaviour.workloads.processes.machines import (
    EVERYWHERE,
    Machine,
    keepers,
    left_of,
    pod,
    run,
    shell,
    uid,
    wait,
)
from tests.crash.machine_process import long

ROOT = Path(__file__).parents[2]
FIFTY = [f"p{number}" for number in range(50)]


def killed(
    folder: Path, isolation: Isolation, count: int, orphan_seconds: float = 60
) -> dict[str, Object]:
    """Start a process with so many pods, and kill it when all run; the statuses it had told."""
    module = "tests.crash.machine_process"
    arguments = [str(folder), isolation, str(count), str(orphan_seconds)]
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    statuses: dict[str, Object] = json.loads((folder / "statuses").read_text())
    return statuses


def again(name: str, status: Object, folder: Path) -> Pod:
    """The pod as the store has it after the crash."""
    plain = msgspec.to_builtins(long(name, folder))
    made: Pod = decoder(Pod)(msgspec.json.encode({**plain, "status": status}))
    return made


@EVERYWHERE
def test_the_next_one_adopts(
    tmp_path: Path, isolation: Isolation, caplog: pytest.LogCaptureFixture
) -> None:
    statuses = killed(tmp_path, isolation, 50)
    assert len(left_of(*FIFTY)) >= 50
    (tmp_path / "go" / "p0").touch()
    wait((tmp_path / "state" / "pods" / uid("p0") / "runs" / "main.0.json").exists)

    async def story() -> None:
        one = Machine(tmp_path, isolation, settle_seconds=0.2)
        # Pod p49 is gone; the others are told before the runtime runs, as the agent may do.
        for name in FIFTY[:49]:
            one.start(again(name, statuses[name], tmp_path))
        running = asyncio.create_task(one.runtime.run())
        await asyncio.wait_for(one.runtime.settled.wait(), 20)
        assert one.phase("p0") == "Failed"
        assert one.state("p0")["terminated"]["exitCode"] == 6
        assert all(one.phase(name) == "Running" for name in FIFTY[1:49])
        assert left_of("p49") == []
        (tmp_path / "go" / "p1").touch()
        await one.until_phase("p1", "Failed")
        assert one.state("p1")["terminated"]["exitCode"] == 6
        assert one.container("p1")["restartCount"] == 0
        one.stop("p2", 10)
        await one.until(lambda: "p2" in one.ends)
        assert one.state("p2")["terminated"]["exitCode"] == 0
        said = await one.log("p2")
        assert (said[0], said[-1]) == ("begun", "asked")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(story())
    assert left_of(*FIFTY) == []
    want = (
        "of the containers an earlier run has left, 48 still run and are adopted, "
        "1 had ended meanwhile, and 1 whose pods are gone were ended"
    )
    assert want in caplog.text


@EVERYWHERE
def test_nobody_comes_back(tmp_path: Path, isolation: Isolation) -> None:
    killed(tmp_path, isolation, 2, orphan_seconds=0.2)
    wait(lambda: left_of("p0", "p1") == [])
    # The keeper has gone too.
    wait(lambda: keepers(tmp_path) == [])


@EVERYWHERE
def test_the_keeper_itself_is_killed(tmp_path: Path, isolation: Isolation) -> None:
    async def story(one: Machine) -> None:
        # One that leaves its parents, and one that does not.
        stray = "setsid sleep 300 >/dev/null 2>&1 & disown; "
        one.start(pod("p0", shell(f"{stray} sleep 300"), restartPolicy="Always"))
        one.start(pod("p1", shell("sleep 300")))
        await one.until(lambda: all(one.phase(name) == "Running" for name in ("p0", "p1")))
        first = left_of("p0", "p1")
        os.kill(keepers(tmp_path)[0], signal.SIGKILL)
        await one.until_phase("p1", "Failed")
        assert one.state("p1")["terminated"]["reason"] == "ContainerStatusUnknown"
        await one.until(
            lambda: one.container("p0")["restartCount"] == 1 and "running" in one.state("p0")
        )
        assert not set(first) & set(left_of("p0", "p1"))

    run(tmp_path, story, isolation)
    assert left_of("p0", "p1") == []


def test_argosy_and_its_keeper_are_killed(tmp_path: Path) -> None:
    statuses = killed(tmp_path, "none", 2)
    for pid in keepers(tmp_path):
        os.kill(pid, signal.SIGKILL)

    async def story() -> None:
        one = Machine(tmp_path, "none", settle_seconds=0.1)
        for name in ("p0", "p1"):
            one.start(again(name, statuses[name], tmp_path))
        running = asyncio.create_task(one.runtime.run())
        for name in ("p0", "p1"):
            await one.until_phase(name, "Failed")
            ended = one.state(name)["terminated"]
            assert (ended["exitCode"], ended["reason"]) == (137, "ContainerStatusUnknown")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(story())
    assert left_of("p0", "p1") == []
