"""bubblewrap, run for real where it is installed: what its sandboxes show, and when a command counts as begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.workloads.runtimes.process.executing import capture
from tests.behaviour.workloads.processes.machines import (
    HAS_BUBBLEWRAP,
    Machine,
    left_of,
    pod,
    run,
    shell,
    uid,
)

BUBBLEWRAP = pytest.mark.skipif(not HAS_BUBBLEWRAP, reason="bubblewrap is not installed here")


@BUBBLEWRAP
def test_bubblewrap_shows_the_host_read_only(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        volumes = [{"name": "room", "emptyDir": {}}]
        mounts = [{"name": "room", "mountPath": "/etc/room"}]
        script = """
            for one in /usr /etc /var /; do touch $one/argosy-was-here 2>/dev/null || echo read-only $one; done
            ls /tmp | wc -l
            echo kept > /etc/room/x && cat /etc/room/x
            echo mine > x && cat ~/x && pwd
            test $(ls -d /proc/[0-9]* | wc -l) -lt 10 && echo alone
            sleep 300 & echo ready; wait
        """
        machine.start(pod("p", shell(script, volumeMounts=mounts), volumes=volumes))
        await machine.until_phase("p", "Running", "Failed")
        async for line in machine.runtime.logs(machine.pods["p"], machine.follow()):
            if line.endswith(b" ready\n"):
                break
        assert await machine.log("p") == [
            *("read-only /usr", "read-only /etc", "read-only /var", "read-only /"),
            *("0", "kept", "mine", "/container", "alone", "ready"),
        ]
        machine.stop("p", 1)
        await machine.until(lambda: machine.ends == ["p"])
        assert left_of("p") == []

    run(tmp_path, story, "bubblewrap")


@BUBBLEWRAP
def test_bubblewrap_mounts_behind_symbolic_links_and_in_dev(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        path = "/var/run/secrets/kubernetes.io/serviceaccount"
        volumes = [{"name": "token", "emptyDir": {}}]
        mounts = [{"name": "token", "mountPath": path}]
        script = f"echo t > {path}/token && cat /run/secrets/*/*/token; echo last words > /dev/termination-log"
        machine.start(pod("p", shell(script, volumeMounts=mounts), volumes=volumes))
        await machine.until_phase("p", "Succeeded", "Failed")
        assert await machine.log("p") == ["t"]
        assert machine.state("p")["terminated"]["message"] == "last words\n"

    was_there = Path("/dev/termination-log").exists()
    run(tmp_path, story, "bubblewrap")
    assert Path("/dev/termination-log").exists() == was_there


@BUBBLEWRAP
def test_a_command_right_after_the_start_is_inside_the_sandbox(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        for number in range(8):
            name = f"p{number}"
            machine.start(pod(name, shell("sleep 300")))
            await machine.until_phase(name, "Running")
            script = "touch /usr/argosy-was-here 2>/dev/null && echo outside; pwd; cat /proc/1/comm"
            done = await capture(
                machine.runtime.host, f"{uid(name)}/main/0", ["sh", "-c", script], 10
            )
            assert done == (0, "/container\nbwrap\n")

    run(tmp_path, story, "bubblewrap")
    assert not Path("/usr/argosy-was-here").exists()


@BUBBLEWRAP
def test_a_working_directory_that_is_nowhere_is_made(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        for name, folder in {"p": "/nowhere/deep", "q": "/usr/nowhere", "r": "/usr/share"}.items():
            machine.start(pod(name, shell("pwd; touch x && ls", workingDir=folder)))
            await machine.until_phase(name, "Succeeded", "Failed")
        assert await machine.log("p") == ["/nowhere/deep", "x"]
        assert await machine.log("q") == ["/usr/nowhere", "x"]
        assert (await machine.log("r"))[0] == "/usr/share"
        assert machine.phase("r") == "Failed"

    run(tmp_path, story, "bubblewrap")


@BUBBLEWRAP
def test_a_sandbox_that_can_not_be_made_says_why(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        mounts = [{"name": "room", "mountPath": "/proc/nowhere"}]
        volumes = [{"name": "room", "emptyDir": {}}]
        machine.start(pod("p", shell("true", volumeMounts=mounts), volumes=volumes))
        await machine.until_phase("p", "Failed")
        ended = machine.state("p")["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (128, "StartError")
        assert "bubblewrap: Can't" in ended["message"]
        # Its words are not the container's.
        assert await machine.log("p") == []

    run(tmp_path, story, "bubblewrap")
