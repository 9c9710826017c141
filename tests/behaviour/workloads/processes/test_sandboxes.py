"""Sandboxes that are not on every machine, run for real where they are: bubblewrap and podman."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.behaviour.workloads.processes.machines import Machine, left_of, pod, run, shell


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_bubblewrap_shows_the_host_read_only(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        volumes = [{"name": "room", "emptyDir": {}}]
        mounts = [{"name": "room", "mountPath": "/etc/room"}]
        script = """
            touch /usr/argosy-was-here 2>/dev/null || echo read-only
            ls /tmp | wc -l
            echo kept > /etc/room/x && cat /etc/room/x
            test $(ls -d /proc/[0-9]* | wc -l) -lt 10 && echo alone
            sleep 300 & echo ready; wait
        """
        machine.start(pod("p", shell(script, volumeMounts=mounts), volumes=volumes))
        await machine.until_phase("p", "Running", "Failed")
        async for line in machine.runtime.logs(machine.pods["p"], machine.follow()):
            if line.endswith(b" ready\n"):
                break
        assert await machine.log("p") == ["read-only", "0", "kept", "alone", "ready"]
        machine.stop("p", 1)
        await machine.until(lambda: machine.ends == ["p"])
        assert left_of("p") == []

    run(tmp_path, story, "bubblewrap")


@pytest.mark.skipif(shutil.which("podman") is None, reason="podman is not installed")
def test_podman_runs_the_image_itself(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        env = [{"name": "COLOR", "value": "red"}]
        machine.start(pod("p", shell("echo $COLOR; . /etc/os-release; echo $ID; exit 3", env=env)))
        await machine.until_phase("p", "Failed")
        assert machine.state("p")["terminated"]["exitCode"] == 3
        assert await machine.log("p") == ["red", "ubuntu"]
        assert machine.messages("p", "Pulled") == ['Container image "ubuntu" is run by podman']

    run(tmp_path, story, "podman")
