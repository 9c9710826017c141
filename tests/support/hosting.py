"""A cluster in a thread of the test whose containers are this host: commands really run, usage is made up.

For clients that are other programs (kubectl, the Python client). `HostShell` is the plainest `ExecSource` there can
be: a command is a child process in a directory of the test, a port of a pod is a port of the host.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.http.serving import server_context
from argosy.apiserver.servers import build
from argosy.apiserver.specials.streams import (
    ContainerUsage,
    ExecRequest,
    NodeUsage,
    PodUsage,
    Streams,
)
from argosy.apiserver.specials.visibility import PendingSource
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.base.types import Object
from argosy.fleet import certificates, kubeconfigs
from argosy.store import MemoryStore
from tests.support.connections import Connection, address_of


@dataclass
class HostShell:
    """Runs what is asked for in `directory`; `sizes` are the terminal sizes it was told, `killed` counts commands that
    were cancelled.
    """

    directory: Path
    sizes: list[tuple[int, int]] = field(default_factory=list)
    killed: int = 0

    async def exec(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        return await self._run(request.command, request, streams)

    async def attach(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        container = next(c for c in pod["spec"]["containers"] if c["name"] == request.container)
        return await self._run(tuple(container["command"]), request, streams)

    async def port_forward(
        self, pod: Object, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", port)

    async def _run(self, command: tuple[str, ...], request: ExecRequest, streams: Streams) -> int:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self.directory,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        inputs = [asyncio.create_task(self._feed(process, streams))]
        if request.tty:
            inputs.append(asyncio.create_task(self._note_sizes(streams)))
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            await asyncio.gather(
                _copy(process.stdout, streams.write_stdout),
                _copy(process.stderr, streams.write_stderr),
            )
            code = await process.wait()
            return code if code >= 0 else 128 - code
        except asyncio.CancelledError:
            self.killed += 1
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            raise
        finally:
            for task in inputs:
                task.cancel()
            await asyncio.gather(*inputs, return_exceptions=True)

    async def _feed(self, process: asyncio.subprocess.Process, streams: Streams) -> None:
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):
            while data := await streams.read_stdin():
                process.stdin.write(data)
                await process.stdin.drain()
        process.stdin.close()

    async def _note_sizes(self, streams: Streams) -> None:
        while True:
            size = await streams.next_size()
            self.sizes.append((size.width, size.height))


async def _copy(source: asyncio.StreamReader, sink: Callable[[bytes], Any]) -> None:
    while data := await source.read(32 * 1024):
        await sink(data)


@dataclass
class MadeUpUsage:
    """What a test says that is used."""

    nodes: list[NodeUsage] = field(default_factory=list)
    pods: list[PodUsage] = field(default_factory=list)

    def node_metrics(self) -> Iterable[NodeUsage]:
        return self.nodes

    def pod_metrics(self, namespace: str | None = None) -> Iterable[PodUsage]:
        return [usage for usage in self.pods if namespace in {None, usage.namespace}]

    def node(self, name: str, cpu_nanocores: int, memory_bytes: int) -> None:
        self.nodes.append(NodeUsage(name, cpu_nanocores, memory_bytes, 1_767_323_045.0, 15.0))

    def pod(self, namespace: str, name: str, **containers: tuple[int, int]) -> None:
        used = tuple(ContainerUsage(c, cpu, memory) for c, (cpu, memory) in containers.items())
        self.pods.append(PodUsage(namespace, name, used, 1_767_323_045.0, 15.0))


@dataclass
class Host:
    """A cluster that is being served."""

    kubeconfig: Path
    shell: HostShell
    usage: MadeUpUsage
    api: Connection
    stop: Callable[[], None]

    def run_pod(
        self, name: str, *containers: str, phase: str = "Running", node: str = "host", **more: Any
    ) -> None:
        """A pod that is said to run; every container's own command answers lines with `got LINE`."""
        command = ["/bin/sh", "-c", "while read line; do echo got $line; done"]
        spec: Object = {
            "containers": [
                {"name": c, "image": "host", "command": command} for c in containers or ("main",)
            ],
        }
        if node:
            spec["nodeName"] = node
        pods = "/api/v1/namespaces/default/pods"
        self.api.create(pods, {"metadata": {"name": name, **more}, "spec": spec})
        self.api.merge(f"{pods}/{name}/status", {"status": {"phase": phase}})


@contextmanager
def hosting(directory: Path, pending: PendingSource | None = None, **users: User) -> Iterator[Host]:
    """Serve for the length of a block; `users` are known by their names as tokens; `pending` knows what waits in
    queues.
    """
    directory.mkdir(parents=True, exist_ok=True)
    work = directory / "work"
    work.mkdir()
    shell, usage = HostShell(work), MadeUpUsage()
    ready = threading.Event()
    ends: list[Callable[[], None]] = []

    async def serve() -> None:
        server = build(
            MemoryStore(), clock=RealClock(), ids=RandomIds(), signer=Signer(ec.generate_private_key(ec.SECP256R1()), RealClock()),
            tokens={"admin": ADMIN, **users}, exec=lambda _: shell, metrics=lambda _: usage,
            pending=None if pending is None else lambda _: pending,
        )  # fmt: skip
        await bootstrap(server.cluster)
        files = certificates.prepare(directory / "pki", ["127.0.0.1"])
        tls = server_context(str(files.certificate), str(files.key))
        listener = await server.listen("127.0.0.1", 0, tls)
        address = f"https://127.0.0.1:{listener.port}"
        context = kubeconfigs.Context("hosted", address, files.ca.read_bytes(), "admin")
        kubeconfigs.write(directory / "kubeconfig", [context])
        over, loop = asyncio.Event(), asyncio.get_running_loop()
        ends.append(lambda: loop.call_soon_threadsafe(over.set))
        ready.set()
        await over.wait()
        await listener.stop()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))

    def stop() -> None:
        if ends:
            ends.pop()()
        thread.join(30)

    thread.start()
    try:
        assert ready.wait(30)
        with Connection(address_of(directory / "kubeconfig")) as api:
            api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "default"}})
            account = {"metadata": {"name": "default"}}
            api.request("POST", "/api/v1/namespaces/default/serviceaccounts", account)
            yield Host(directory / "kubeconfig", shell, usage, api, stop)
    finally:
        stop()
        assert not thread.is_alive()
