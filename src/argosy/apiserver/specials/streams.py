"""The seam between the API server and whatever runs pods: commands in containers, attaching, ports, usage.

A runtime implements `ExecSource` and `MetricsSource`; the server speaks the protocols of `kubectl exec`, `attach`,
`port-forward` and `top` over them. What a source may rely on:

* Pod and container exist, the pod has a node and has not ended; the server has checked.
* Writing waits while the client is slow; a source that awaits its writes needs no buffer of its own.
* When the client goes away, or the server stops, the source's coroutine is cancelled: it ends the command and returns.
* A `StatusError` raised by a source is told to the client in its own words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from argosy.base.errors import InternalError
from argosy.base.types import Object


@dataclass(slots=True, frozen=True)
class ExecRequest:
    """What to run (nothing, for an attach) and which streams the client wants. With a terminal there is no stderr."""

    container: str
    command: tuple[str, ...] = ()
    stdin: bool = False
    stdout: bool = False
    stderr: bool = False
    tty: bool = False


@dataclass(slots=True, frozen=True)
class TerminalSize:
    """In characters."""

    width: int
    height: int


class Streams(Protocol):
    """The client's ends of a command's streams. What the client did not ask for is empty, or thrown away."""

    async def read_stdin(self) -> bytes:
        """Some bytes, as they come; b"" at the end of the input, and from then on."""

    async def write_stdout(self, data: bytes) -> None: ...

    async def write_stderr(self, data: bytes) -> None: ...

    async def next_size(self) -> TerminalSize:
        """The terminal's next size, the first one included; waits for ever where there is no terminal."""


class ExecSource(Protocol):
    """Runs things in the containers of this cluster's pods."""

    async def exec(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        """Run the command to its end; its exit code (128 + signal for a command that was killed)."""

    async def attach(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        """Join the streams of the container's own process, from now on, until it ends; its exit code."""

    async def port_forward(
        self, pod: Object, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A new connection to a port in the pod. OSError: nobody listens there. The caller closes it."""


@dataclass(slots=True, frozen=True)
class ContainerUsage:
    """What one container uses: billionths of a core, and bytes of its working set."""

    name: str
    cpu_nanocores: int
    memory_bytes: int


@dataclass(slots=True, frozen=True)
class PodUsage:
    """`timestamp` is the end of the measured window, in seconds since the epoch."""

    namespace: str
    name: str
    containers: tuple[ContainerUsage, ...]
    timestamp: float
    window_seconds: float


@dataclass(slots=True, frozen=True)
class NodeUsage:
    """What everything on a node uses together; fields as in `ContainerUsage` and `PodUsage`."""

    name: str
    cpu_nanocores: int
    memory_bytes: int
    timestamp: float
    window_seconds: float


class MetricsSource(Protocol):
    """The last measurements, at once: a source samples on its own time. Ended pods have none."""

    def node_metrics(self) -> Iterable[NodeUsage]: ...

    def pod_metrics(self, namespace: str | None = None) -> Iterable[PodUsage]:
        """Of one namespace, or (None) of all."""


def container_not_found(container: str) -> InternalError:
    """A container that exists in the pod but does not run, in the words of a kubelet behind a kube-apiserver."""
    return InternalError(
        f'Internal error occurred: unable to upgrade connection: container not found ("{container}")'
    )
