"""Logs of containers: following, rotating, and a disk that is full."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from tests.behaviour.workloads.processes.machines import Machine, pod, run, shell, uid


def test_following_ends_with_the_container(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("for i in 1 2 3; do echo $i; sleep 0.05; done")))
        await machine.until_phase("p", "Running", "Succeeded")
        assert await machine.log("p", follow=True) == ["1", "2", "3"]

    run(tmp_path, story)


def test_ten_megabytes_are_one_file(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("head -c 24000000 /dev/zero | tr '\\0' x | fold -w 999")))
        await machine.until_phase("p", "Succeeded")
        folder = tmp_path / "logs" / f"ns_p_{uid('p')}" / "main"
        files = sorted(folder.iterdir())
        assert files[0].name == "0.log"
        assert len(files) == 3
        assert all(one.stat().st_size <= 10 * 1024 * 1024 for one in files)

    run(tmp_path, story)


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a small disk, which only root can")
def test_a_full_disk_neither_stops_nor_kills_the_container(tmp_path: Path) -> None:
    disk = tmp_path / "logs"
    disk.mkdir()
    small = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(small, check=False, capture_output=True).returncode != 0:
        pytest.skip("no disk can be mounted here")

    async def story(machine: Machine) -> None:
        go = tmp_path / "go"
        script = f"seq 100000; while ! test -e {go}; do sleep 0.02; done; echo after"
        machine.start(pod("p", shell(script)))
        await machine.until(lambda: bool(machine.messages("p", "LogsDropped")))
        assert machine.messages("p", "LogsDropped") == [
            "Lines of the log are dropped: No space left on device"
        ]
        assert machine.phase("p") == "Running"
        grow = ["mount", "-o", "remount,size=32m", str(disk)]
        await asyncio.to_thread(subprocess.run, grow, check=True)
        go.touch()
        await machine.until_phase("p", "Succeeded")
        said = await machine.log("p")
        assert said[0] == "1"
        dropped = [line for line in said if line.startswith("argosy: ")]
        assert dropped[0].endswith("lines of the log were dropped: No space left on device")
        missing = sum(int(line.split()[1]) for line in dropped)
        assert len(said) - len(dropped) + missing == 100_001
        assert said[-1] == "after"

    try:
        run(tmp_path, story)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
