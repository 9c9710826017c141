"""The seam between an agent, which plays the kubelet for many nodes, and the runtimes that run their pods.

The agent watches pods that are bound to its nodes and tells the runtime of each node what is wanted; the runtime
tells a
`Reporter` what has happened. All calls are synchronous and cheap: a runtime that has to wait does so in `run` or in
tasks
it owns. One pod is known by its uid: a pod of the same name with another uid is another pod.

Life of a pod: `start` once when the agent first sees it on its node (also after a restart of this process: the
status in
`pod` then tells how far it had come), `change` whenever its object changes, `stop` when its deletion was asked for
(again when
the grace was shortened), `forget` when the object is gone. A runtime reports a whole new status whenever something
changed, and says `ended` when nothing of a pod that was asked to stop is left; the agent then removes the object.
Pods whose
phase is final are started only so that they can be cleaned up: a runtime must not run them again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Literal, NamedTuple, Protocol

from argosy.api.objects import Node, Pod
from argosy.apiserver.specials.logs import LogQuery
from argosy.apiserver.specials.streams import ExecRequest, Streams
from argosy.base.types import Object


class Usage(NamedTuple):
    """What something uses: billionths of a core, and bytes of memory."""

    nanocores: int
    memory_bytes: int


class Reporter(Protocol):
    """Where a runtime says what has happened; the agent implements it."""

    def status(self, pod: Pod, status: Object) -> None:
        """The pod's whole new status. Never waits; of several that are not written yet the last counts."""

    def ended(self, pod: Pod) -> None:
        """A pod that was asked to stop has no process left: after the last status its object is removed."""

    def event(
        self,
        pod: Pod,
        type_: Literal["Normal", "Warning"],
        reason: str,
        message: str,
        *,
        container: str = "",
    ) -> None:
        """An event about the pod, or about one of its containers, from this pod's kubelet."""


class Runtime(Protocol):
    """Runs the pods of the nodes that name it in the label `argosy.dev/runtime`."""

    @property
    def name(self) -> str: ...

    def start(self, pod: Pod, node: Node) -> None: ...

    def change(self, pod: Pod) -> None: ...

    def stop(self, pod: Pod, grace_seconds: int) -> None: ...

    def forget(self, pod: Pod) -> None: ...

    def node_changed(self, node: Node) -> None:
        """A node of this runtime appeared or changed."""

    def node_gone(self, node: Node) -> None:
        """A node's object is gone, and everything on it with it."""

    async def run(self) -> None:
        """Work until cancelled; what is left of processes then is the runtime's care."""

    # For kubectl: logs, top, exec, attach, port-forward.

    def logs(self, pod: Pod, query: LogQuery) -> AsyncIterator[bytes]:
        """Lines `TIME text`, oldest first, as `LogSource.lines`."""

    def usage(self, pod: Pod) -> dict[str, Usage]:
        """What each running container uses."""

    async def exec(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        """As `ExecSource.exec`; so are the next two."""

    async def attach(self, pod: Object, request: ExecRequest, streams: Streams) -> int: ...

    async def port_forward(
        self, pod: Object, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]: ...
