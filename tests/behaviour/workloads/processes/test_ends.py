"""How pods are ended: signals, grace, hooks, deadlines, limits; and that nothing of them is left."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from argosy.workloads.runtimes.process import pods
from argosy.workloads.runtimes.process.keeper.orders import Isolation
from tests.behaviour.workloads.processes.machines import (
    EVERYWHERE,
    Machine,
    left_of,
    pod,
    run,
    shell,
)

FOREVER = "while :; do sleep 0.02; done"

# Not that of a virtual environment, which may be in /tmp: containers have a /tmp of their own.
PYTHON = str(Path(sys.executable).resolve())


async def running(machine: Machine, name: str, line: str) -> None:
    """Wait until a container runs and has written a line."""
    await machine.until_phase(name, "Running")
    async for text in machine.runtime.logs(machine.pods[name], machine.follow()):
        if text.decode().split(" ", 1)[1].strip() == line:
            return
    raise AssertionError(f"{name} ended before it wrote {line}")


@EVERYWHERE
def test_sigterm_ends_a_pod_in_good_order(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        script = f"trap 'echo asked; exit 7' TERM; echo ready; {FOREVER}"
        machine.start(pod("p", shell(script), restartPolicy="Always"))
        await running(machine, "p", "ready")
        machine.stop("p", 30)
        await machine.until(lambda: machine.ends == ["p"])
        assert machine.phase("p") == "Failed"
        assert machine.state("p")["terminated"]["exitCode"] == 7
        assert (await machine.log("p"))[-1] == "asked"
        assert machine.messages("p", "Killing") == ["Stopping container main"]
        assert left_of("p") == []

    run(tmp_path, story, isolation)


@EVERYWHERE
def test_a_process_that_ignores_sigterm_is_killed(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(f"trap '' TERM; echo ready; {FOREVER}")))
        await running(machine, "p", "ready")
        begun = time.monotonic()
        machine.stop("p", 1)
        await machine.until(lambda: machine.ends == ["p"])
        assert time.monotonic() - begun >= 1
        assert machine.state("p")["terminated"]["exitCode"] == 137
        assert left_of("p") == []

    run(tmp_path, story, isolation)


def test_a_shorter_grace_takes_effect_at_once(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(f"trap '' TERM; echo ready; {FOREVER}")))
        await running(machine, "p", "ready")
        machine.stop("p", 600)
        await machine.until(lambda: bool(machine.messages("p", "Killing")))
        machine.stop("p", 0)
        await machine.until(lambda: "p" in machine.ends)
        assert machine.state("p")["terminated"]["exitCode"] == 137

    run(tmp_path, story)


@EVERYWHERE
def test_a_daemon_does_not_outlive_its_container(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        # A process that leaves session, group and parent, and ignores what can be ignored.
        daemon = "setsid bash -c \"trap '' TERM HUP; sleep 300\" >/dev/null 2>&1 &"
        machine.start(pod("p", shell(f"{daemon} disown; echo done")))
        machine.start(pod("q", shell(f"{daemon} disown; echo ready; {FOREVER}")))
        await machine.until_phase("p", "Succeeded")
        await running(machine, "q", "ready")
        assert left_of("p") == []
        assert left_of("q") != []
        machine.stop("q", 1)
        await machine.until(lambda: machine.ends == ["q"])
        assert left_of("q") == []

    run(tmp_path, story, isolation)


def test_the_pre_stop_hook_comes_before_the_signal(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        said = tmp_path / "said"
        hook = {"preStop": {"exec": {"command": ["bash", "-c", f"echo hook >> {said}"]}}}
        script = f"trap 'echo term >> {said}; exit 0' TERM; echo ready; {FOREVER}"
        machine.start(pod("p", shell(script, lifecycle=hook)))
        await running(machine, "p", "ready")
        machine.stop("p", 30)
        await machine.until(lambda: machine.ends == ["p"])
        assert said.read_text().split() == ["hook", "term"]

    run(tmp_path, story)


def test_a_pod_that_lives_longer_than_its_deadline(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(
            pod("p", shell(FOREVER), activeDeadlineSeconds=1, terminationGracePeriodSeconds=5)
        )
        status = await machine.until_phase("p", "Failed")
        text = "Pod was active on the node longer than the specified deadline"
        assert (status["reason"], status["message"]) == ("DeadlineExceeded", text)
        assert machine.state("p")["terminated"]["exitCode"] == 143
        assert machine.messages("p", "DeadlineExceeded") == [text]
        assert left_of("p") == []

    run(tmp_path, story)


@EVERYWHERE
def test_too_much_memory_is_out_of_memory(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        resources = {"limits": {"memory": "40Mi"}}
        # A variable of the shell that grows; the last lines keep it in use.
        script = "x=$(head -c 60000000 /dev/zero | tr '\\0' x); echo ${#x}; sleep 60"
        machine.start(pod("p", shell(script, resources=resources)))
        await machine.until_phase("p", "Failed")
        ended = machine.state("p")["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")
        assert left_of("p") == []

    run(tmp_path, story, isolation)


def test_a_whole_number_of_processors_binds_to_as_many(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        resources = {"limits": {"cpu": "1"}}
        machine.start(pod("p", shell("nproc", resources=resources)))
        await machine.until_phase("p", "Succeeded")
        assert await machine.log("p") == ["1"]

    run(tmp_path, story)


def test_what_is_forgotten_leaves_nothing(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        one = machine.start(pod("p", shell(f"echo ready; {FOREVER}")))
        await running(machine, "p", "ready")
        machine.runtime.forget(one)
        await machine.idle()
        assert left_of("p") == []
        assert list((tmp_path / "logs").iterdir()) == []
        assert list((tmp_path / "state" / "pods").iterdir()) == []

    run(tmp_path, story)


def test_ending_in_good_order_ends_the_processes(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(f"echo ready; {FOREVER}")))
        await running(machine, "p", "ready")
        assert left_of("p") != []

    run(tmp_path, story)
    assert left_of("p") == []
    assert not [one for one in (tmp_path / "state").iterdir() if one.name == "trial"]


def test_processes_may_be_left_running_for_the_next_argosy(tmp_path: Path) -> None:
    async def begin(machine: Machine) -> None:
        machine.start(pod("p", shell("trap 'exit 3' TERM; echo ready; sleep 300 & wait")))
        await running(machine, "p", "ready")

    async def go_on(machine: Machine) -> None:
        assert left_of("p") != []
        machine.start(pod("p", shell("exit 1")))
        await machine.until_phase("p", "Running")
        machine.stop("p", 10)
        await machine.until(lambda: machine.ends == ["p"])
        assert machine.state("p")["terminated"]["exitCode"] == 3

    run(tmp_path, begin, keep_on_exit=True)
    run(tmp_path, go_on, settle_seconds=5.0, waits=False)
    assert left_of("p") == []


def test_a_volume_that_grows_beyond_its_limit_evicts_its_pod(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pods, "SIZES_SECONDS", 0.05)

    async def story(machine: Machine) -> None:
        volumes = [{"name": "room", "emptyDir": {"sizeLimit": "1Mi"}}]
        mounts = [{"name": "room", "mountPath": "/room"}]
        script = "head -c 3000000 /dev/zero > $ARGOSY_VOLUME_ROOM/x; sleep 300"
        machine.start(pod("p", shell(script, volumeMounts=mounts), volumes=volumes))
        status = await machine.until_phase("p", "Failed")
        text = 'Usage of EmptyDir volume "room" exceeds the limit "1Mi". '
        assert (status["reason"], status["message"]) == ("Evicted", text)
        assert machine.messages("p", "Evicted") == [text]
        assert left_of("p") == []

    run(tmp_path, story)


def test_a_second_stop_shortens_the_grace(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("trap '' TERM; echo up; while :; do sleep 0.1; done")))
        await machine.until_phase("p", "Running")
        async for _ in machine.runtime.logs(machine.pods["p"], machine.follow()):
            break
        machine.stop("p", 600)
        machine.stop("p", 1)
        await machine.until(lambda: "p" in machine.ends)
        assert machine.state("p")["terminated"]["exitCode"] == 137

    run(tmp_path, story)


@EVERYWHERE
def test_memory_that_is_taken_at_once_is_out_of_memory_and_memory_that_is_not_used_is_none(
    tmp_path: Path, isolation: Isolation
) -> None:
    async def story(machine: Machine) -> None:
        programs = {
            "greedy": "import time; x = b'x' * (300 << 20); time.sleep(60)",
            "modest": "import mmap; x = mmap.mmap(-1, 300 << 20, mmap.MAP_PRIVATE); print('fine')",
        }
        for name, program in programs.items():
            one = {"name": "main", "image": "python", "command": [PYTHON, "-c", program]}
            machine.start(pod(name, {**one, "resources": {"limits": {"memory": "50Mi"}}}))
        await machine.until_phase("greedy", "Failed", "Succeeded")
        ended = machine.state("greedy")["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")
        await machine.until_phase("modest", "Failed", "Succeeded")
        assert await machine.log("modest") == ["fine"]

    run(tmp_path, story, isolation)
