"""A process with the process runtime in it, to be killed: `FOLDER ISOLATION PODS ORPHAN_SECONDS`.

Starts the pods, prints `ready` when all run, and writes each status it would have stored to FOLDER/statuses.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import cast

from argosy.api.objects import Pod
from argosy.workloads.runtimes.process.keeper.orders import Isolation
from tests.behaviour.workloads.processes.machines import Machine, machine, pod, shell


def long(name: str, folder: Path) -> Pod:
    """A pod that runs until it is asked to end; the first two fail when FOLDER/go/NAME appears."""
    go = folder / "go"
    go.mkdir(exist_ok=True)
    wait = f"while ! test -e {go}/{name}; do sleep 0.05; done; exit 6"
    if name not in {"p0", "p1"}:
        wait = "sleep 600 & wait"
    script = f"trap 'echo asked; exit 0' TERM; echo begun; {wait}"
    mounts = [{"name": "go", "mountPath": str(go)}]
    volumes = [{"name": "go", "hostPath": {"path": str(go)}}]
    return pod(name, shell(script, volumeMounts=mounts), volumes=volumes)


async def work(folder: Path, isolation: Isolation, count: int, orphan_seconds: float) -> None:
    async with machine(folder, isolation, orphan_seconds=orphan_seconds) as one:
        names = [f"p{number}" for number in range(count)]
        for name in names:
            one.start(long(name, folder))
        await one.until(lambda: all(one.phase(name) == "Running" for name in names))
        store(one, folder)
        print("ready", flush=True)
        await asyncio.Event().wait()


def store(one: Machine, folder: Path) -> None:
    last = {name: statuses[-1] for name, statuses in one.statuses.items()}
    (folder / "statuses").write_text(json.dumps(last))


if __name__ == "__main__":
    _, given, kind, pods, seconds = sys.argv
    asyncio.run(work(Path(given), cast("Isolation", kind), int(pods), float(seconds)))
