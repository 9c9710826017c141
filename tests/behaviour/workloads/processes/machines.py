"""A machine for tests: the process runtime with real processes, and somebody in the agent's place who remembers.

Nothing sleeps: `until` waits for the next report. Every test ends with no process of its pods left.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import pytest

from argosy.api.objects import Node, Pod, decoder
from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.specials.logs import LogQuery
from argosy.base.clock import RealClock
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.resources import NAMESPACES
from argosy.workloads.runtimes.process import ProcessRuntime
from argosy.workloads.runtimes.process.keeper import processes
from argosy.workloads.runtimes.process.keeper.orders import Isolation
from tests.fakes.clusters import memory_server

T = TypeVar("T")
PATIENCE_SECONDS = 20.0
# Inherited by the processes that tests start.
_PREFIX = os.environ.setdefault("ARGOSY_TEST_UIDS", f"uid-{os.getpid()}")
NODE = msgspec.convert(
    {
        "metadata": {"name": "here"},
        "status": {
            "addresses": [{"type": "InternalIP", "address": "10.1.2.3"}],
            "allocatable": {"cpu": "8", "memory": "16Gi"},
        },
    },
    Node,
)


def _works(*command: str) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


_NAMESPACES = _works("unshare", "--mount", "--pid", "--fork", "true")
HAS_BUBBLEWRAP = _works("bwrap", "--unshare-pid", "--ro-bind", "/", "/", "true")
EVERYWHERE = pytest.mark.parametrize(
    "isolation",
    [
        "none",
        pytest.param(
            "namespaces",
            marks=pytest.mark.skipif(not _NAMESPACES, reason="no namespaces here"),
        ),
        pytest.param(
            "bubblewrap",
            marks=pytest.mark.skipif(not HAS_BUBBLEWRAP, reason="bubblewrap is not installed here"),
        ),
    ],
)


class Machine:
    """A runtime and everything it has reported."""

    def __init__(self, folder: Path, isolation: Isolation | None, **more: Any) -> None:
        self.client = LocalClient(memory_server(RealClock()), ADMIN, agent="test")
        self.statuses: dict[str, list[Object]] = {}
        self.events: list[tuple[str, str, str, str, str]] = []
        self.ends: list[str] = []
        self._news = asyncio.Condition()
        options: dict[str, Any] = {
            "isolation": isolation,
            "settle_seconds": 0.0,
            "first_pause_seconds": 0.01,
            **more,
        }
        self.runtime = ProcessRuntime(
            self,
            self.client,
            RealClock(),
            state=folder / "state",
            logs=folder / "logs",
            **options,
        )
        self.logs = folder / "logs"
        self.pods: dict[str, Pod] = {}

    # The agent's part.

    def status(self, pod: Pod, status: Object) -> None:
        self.statuses.setdefault(pod.metadata.name, []).append(status)
        self._tell()

    def ended(self, pod: Pod) -> None:
        self.ends.append(pod.metadata.name)
        self._tell()

    def event(
        self,
        pod: Pod,
        type_: Literal["Normal", "Warning"],
        reason: str,
        message: str,
        *,
        container: str = "",
    ) -> None:
        self.events.append((pod.metadata.name, container, type_, reason, message))
        self._tell()

    def _tell(self) -> None:
        async def tell() -> None:
            async with self._news:
                self._news.notify_all()

        task = asyncio.ensure_future(tell())
        task.add_done_callback(lambda one: one.result())

    # The test's part.

    def start(self, pod: Pod) -> Pod:
        self.pods[pod.metadata.name] = pod
        self.runtime.start(pod, NODE)
        return pod

    def stop(self, name: str, grace: int) -> None:
        self.runtime.stop(self.pods[name], grace)

    async def until(self, predicate: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self._news:
                await self._news.wait_for(predicate)
        except TimeoutError:
            raise AssertionError(f"never came: {self.statuses} {self.events}") from None

    async def until_phase(self, name: str, *phases: str) -> Object:
        await self.until(lambda: self.phase(name) in phases)
        return self.statuses[name][-1]

    def phase(self, name: str) -> str:
        told = self.statuses.get(name)
        return str(told[-1]["phase"]) if told else ""

    def phases(self, name: str) -> list[str]:
        """All phases, each once as it came."""
        found: list[str] = []
        for one in self.statuses[name]:
            if one["phase"] not in found[-1:]:
                found.append(one["phase"])
        return found

    def state(self, name: str, container: str = "main") -> Object:
        return self.container(name, container)["state"]  # type: ignore[no-any-return]

    def container(self, name: str, container: str = "main") -> Object:
        status = self.statuses[name][-1]
        both = [*status.get("initContainerStatuses", ()), *status["containerStatuses"]]
        found: Object = next(one for one in both if one["name"] == container)
        return found

    def reasons(self, name: str, container: str = "main") -> list[str]:
        """Reasons of events of a container, as they came."""
        return [one[3] for one in self.events if one[:2] == (name, container)]

    def messages(self, name: str, reason: str) -> list[str]:
        return [one[4] for one in self.events if one[0] == name and one[3] == reason]

    @staticmethod
    def follow(container: str = "main") -> LogQuery:
        return LogQuery(container, follow=True)

    async def idle(self) -> None:
        """Wait until the runtime has nothing to do beside its pods."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.runtime.idle()

    async def log(self, name: str, container: str = "main", **query: Any) -> list[str]:
        lines = self.runtime.logs(self.pods[name], LogQuery(container, **query))
        return [line.decode().partition(" ")[2].rstrip("\n") async for line in lines]


@asynccontextmanager
async def machine(
    folder: Path, isolation: Isolation | None = "none", *, waits: bool = True, **more: Any
) -> AsyncIterator[Machine]:
    """A machine that works for the length of a block, and leaves nothing; `waits` until it has settled."""
    one = Machine(folder, isolation, **more)
    await one.client.create(NAMESPACES, {"metadata": {"name": "ns"}})
    running = asyncio.create_task(one.runtime.run())
    settled = asyncio.create_task(one.runtime.settled.wait())
    if waits:
        await asyncio.wait((running, settled), return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        running.result()
    try:
        yield one
    finally:
        settled.cancel()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def run(
    folder: Path,
    story: Callable[[Machine], Awaitable[T]],
    isolation: Isolation | None = "none",
    **more: Any,
) -> T:
    """Tell a story on a machine."""

    async def tell() -> T:
        async with machine(folder, isolation, **more) as one:
            return await story(one)

    return asyncio.run(tell())


def uid(name: str) -> str:
    """Of a pod: tests in other processes, at the same time, have others."""
    return f"{_PREFIX}-{name}"


def pod(name: str = "p", *containers: Object, **spec: Any) -> Pod:
    """A pod in namespace ns on the node."""
    given = {
        "metadata": {"name": name, "namespace": "ns", "uid": uid(name), "generation": 1},
        "spec": {"nodeName": "here", "restartPolicy": "Never", "containers": containers, **spec},
        "status": {"phase": "Pending"},
    }
    made: Pod = decoder(Pod)(msgspec.json.encode(given))
    return made


def shell(script: str, name: str = "main", **more: Any) -> Object:
    """A container that runs a script."""
    return {"name": name, "image": "ubuntu", "command": ["bash", "-c", script], **more}


def left_of(*pods: str) -> list[int]:
    """Processes that carry the mark of these pods."""
    everybody = processes.look()
    found = [pid for one in pods for pid in processes.marked(everybody, f"{uid(one)}/")]
    return [pid for pid in found if not everybody[pid].is_zombie]


def keepers(folder: Path) -> list[int]:
    """Processes that lead a session and write to the keeper's log of a state directory."""
    found = []
    for one in Path("/proc").iterdir():
        if not one.name.isdigit():
            continue
        try:
            log = (one / "fd" / "2").readlink()
            leader = os.getsid(int(one.name))
        except OSError:
            continue
        if log == folder / "state" / "keeper.log" and leader == int(one.name):
            found.append(leader)
    return found


def wait(done: Callable[[], bool]) -> None:
    """For things that happen in other processes and are told to nobody."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)
