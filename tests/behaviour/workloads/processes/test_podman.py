"""podman, run for real where it can be: images, starts, ends, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from argosy.base.types import Object
from argosy.workloads.runtimes.process.executing import capture
from tests.behaviour.workloads.processes.machines import (
    Machine,
    keepers,
    left_of,
    machine,
    pod,
    run,
    uid,
    wait,
)

pytest_plugins = ("tests.behaviour.workloads.processes.podmans",)
ROOT = Path(__file__).parents[4]


def shell(image: str, script: str, **more: Any) -> Object:
    return {"name": "main", "image": image, "command": ["sh", "-c", script], **more}


def containers() -> list[str]:
    command = ["podman", "ps", "--all", "--format", "{{.Names}}"]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode().split()


def test_the_image_itself_runs(tmp_path: Path, podman_image: str) -> None:
    async def story(machine: Machine) -> None:
        env = [
            {"name": name, "value": value} for name, value in {"COLOR": "red", "HOME": "/h"}.items()
        ]
        volumes = [{"name": "room", "emptyDir": {}}]
        mounts = [{"name": "room", "mountPath": "/room"}]
        script = (
            "echo $COLOR $HOME; cat /etc/color; hostname; echo kept > /room/x; cat /room/x; "
            "echo oops >&2; echo bye > /dev/termination-log; exit 3"
        )
        machine.start(
            pod("p", shell(podman_image, script, env=env, volumeMounts=mounts), volumes=volumes)
        )
        await machine.until_phase("p", "Failed")
        ended = machine.state("p")["terminated"]
        assert (ended["exitCode"], ended["reason"], ended["message"]) == (3, "Error", "bye\n")
        assert sorted(await machine.log("p")) == sorted(["red /h", "blue", "p", "kept", "oops"])
        assert machine.reasons("p") == ["Pulled", "Created", "Started"]
        assert machine.messages("p", "Pulled") == [
            f'Container image "{podman_image}" already present on machine and can be accessed by the pod'
        ]
        told = machine.container("p")
        assert told["containerID"].startswith("podman://")
        assert "sha256:" in told["imageID"]

    run(tmp_path, story, "podman")
    assert containers() == []


def test_a_command_the_image_does_not_have(tmp_path: Path, podman_image: str) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", {"name": "main", "image": podman_image, "command": ["nope"]}))
        await machine.until_phase("p", "Failed")
        ended = machine.state("p")["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (128, "StartError")
        assert ended["message"].startswith("unable to start container process: ")
        assert "nope" in ended["message"]
        assert "Started" not in machine.reasons("p")
        assert await machine.log("p") == []
        assert containers() == []

    run(tmp_path, story, "podman")


def test_an_image_that_can_not_be_pulled(tmp_path: Path, podman_image: str) -> None:
    # Nobody listens there.
    name = "127.0.0.1:1/nobody:1"

    async def story(machine: Machine) -> None:
        machine.start(pod("p", {"name": "main", "image": name}))
        await machine.until(lambda: machine.reasons("p").count("Failed") >= 3)
        assert machine.reasons("p")[:5] == ["Pulling", "Failed", "Failed", "BackOff", "Failed"]
        assert machine.messages("p", "Pulling")[0] == f'Pulling image "{name}"'
        first, second, third = machine.messages("p", "Failed")[:3]
        head = f'Failed to pull image "{name}": '
        assert first.startswith(head)
        assert (second, third) == ("Error: ErrImagePull", "Error: ImagePullBackOff")
        assert machine.messages("p", "BackOff")[0] == f'Back-off pulling image "{name}"'
        waits = [one["containerStatuses"][0]["state"]["waiting"] for one in machine.statuses["p"]]
        why = first.removeprefix(head)
        assert {"reason": "ErrImagePull", "message": why} in waits
        text = f'Back-off pulling image "{name}": ErrImagePull: {why}'
        assert {"reason": "ImagePullBackOff", "message": text} in waits
        assert machine.phase("p") == "Pending"
        machine.stop("p", 10)
        await machine.until(lambda: machine.ends == ["p"])

    run(tmp_path, story, "podman")


def test_an_image_that_is_not_to_be_pulled(tmp_path: Path, podman_image: str) -> None:
    async def story(machine: Machine) -> None:
        one = {"name": "main", "image": "localhost/nobody", "imagePullPolicy": "Never"}
        machine.start(pod("p", one))
        await machine.until(lambda: "Failed" in machine.reasons("p"))
        text = 'Container image "localhost/nobody" is not present with pull policy of Never'
        want = {"reason": "ErrImageNeverPull", "message": text}
        assert machine.state("p")["waiting"] == want
        assert machine.messages("p", "ErrImageNeverPull")[0] == text
        assert machine.messages("p", "Failed")[0] == "Error: ErrImageNeverPull"

    run(tmp_path, story, "podman")


def test_a_name_that_is_none(tmp_path: Path, podman_image: str) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", {"name": "main", "image": "No Name"}))
        await machine.until(lambda: "Failed" in machine.reasons("p"))
        assert machine.state("p")["waiting"]["reason"] == "InvalidImageName"
        assert machine.reasons("p")[:2] == ["InspectFailed", "Failed"]

    run(tmp_path, story, "podman")


def test_too_much_memory_is_out_of_memory(tmp_path: Path, podman_image: str) -> None:
    async def story(machine: Machine) -> None:
        script = "x=$(head -c 100m /dev/zero | tr '\\0' x)"
        limits = {"limits": {"memory": "20Mi"}}
        machine.start(pod("p", shell(podman_image, script, resources=limits)))
        await machine.until_phase("p", "Failed")
        ended = machine.state("p")["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")

    run(tmp_path, story, "podman")


def test_signals_commands_and_measures(tmp_path: Path, podman_image: str) -> None:
    async def story(machine: Machine) -> None:
        polite = "trap 'echo asked; exit 4' TERM; echo up; while :; do sleep 0.05; done"
        deaf = "trap '' TERM; sleep 300 & sleep 300"
        machine.start(pod("polite", shell(podman_image, polite)))
        machine.start(pod("deaf", shell(podman_image, deaf)))
        await machine.until_phase("polite", "Running")
        await machine.until_phase("deaf", "Running")
        command = ["sh", "-c", "cat /etc/color; hostname; exit 6"]
        done = await capture(machine.runtime.host, f"{uid('polite')}/main/0", command, 10)
        assert done == (6, "blue\npolite\n")
        machine.runtime.look()
        # The container's, not that of podman, which takes tens of megabytes.
        assert 0 < machine.runtime.usage(machine.pods["polite"])["main"].memory_bytes < 8 << 20
        machine.stop("polite", 10)
        machine.stop("deaf", 1)
        await machine.until(lambda: {"polite", "deaf"} <= set(machine.ends))
        assert machine.state("polite")["terminated"]["exitCode"] == 4
        assert (await machine.log("polite"))[-1] == "asked"
        assert machine.state("deaf")["terminated"]["exitCode"] == 137
        assert machine.state("deaf")["terminated"]["reason"] == "Error"
        assert left_of("polite", "deaf") == []

    run(tmp_path, story, "podman")
    assert containers() == []


KILLED = """
import asyncio, sys
from pathlib import Path
from tests.behaviour.workloads.processes.machines import machine, pod

async def work():
    async with machine(Path(sys.argv[1]), "podman", orphan_seconds=60) as one:
        for name in ("p", "q"):
            script = "trap 'exit 5' TERM; while :; do sleep 0.05; done"
            one.start(pod(name, {"name": "main", "image": sys.argv[2], "command": ["sh", "-c", script]}))
            await one.until_phase(name, "Running")
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(work())
"""


def killed(folder: Path, image: str) -> None:
    """Start two pods in another process, and kill it when they run."""
    command = [sys.executable, "-c", KILLED, str(folder), image]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_containers_are_adopted_after_a_kill(
    tmp_path: Path, podman_image: str, caplog: pytest.LogCaptureFixture
) -> None:
    killed(tmp_path, podman_image)
    assert len(left_of("p", "q")) >= 2

    async def story() -> None:
        # Pod q is gone.
        async with machine(tmp_path, "podman", settle_seconds=0.2, waits=False) as one:
            one.start(pod("p", shell(podman_image, "")))
            await asyncio.wait_for(one.runtime.settled.wait(), 20)
            assert one.phase("p") == "Running"
            assert left_of("q") == []
            one.stop("p", 10)
            await one.until(lambda: one.ends == ["p"])
            assert one.state("p")["terminated"]["exitCode"] == 5

    asyncio.run(story())
    assert "1 still run and are adopted, 0 had ended meanwhile, and 1 whose pods" in caplog.text
    assert left_of("p", "q") == []
    assert containers() == []


def test_containers_do_not_outlive_a_killed_keeper(
    tmp_path: Path, podman_image: str, caplog: pytest.LogCaptureFixture
) -> None:
    killed(tmp_path, podman_image)
    for pid in keepers(tmp_path):
        os.kill(pid, signal.SIGKILL)

    async def story(machine: Machine) -> None:
        assert left_of("p", "q") == []
        assert containers() == []

    run(tmp_path, story, "podman")
    assert "2 containers of podman that nobody kept are removed" in caplog.text
    wait(lambda: left_of("p", "q") == [])
