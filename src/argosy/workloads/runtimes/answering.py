"""Answers what kubectl asks of kubelets: logs, exec, attach, port-forward and top, by the runtime of the pod's node.

The API server is built before the agent, so `Answers` is made first and given its agent later (`serve`). Pods whose
node is not there, has a kubelet of its own, or has vanished are answered in the words a kube-apiserver has for a
kubelet that it cannot reach.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Final

import msgspec

from argosy.api.objects import ContainerStatus, Node, Pod
from argosy.apiserver.specials.logs import LogQuery
from argosy.apiserver.specials.streams import (
    ContainerUsage,
    ExecRequest,
    NodeUsage,
    PodUsage,
    Streams,
)
from argosy.base.errors import BadRequest, InternalError, ServiceUnavailable, not_found
from argosy.base.types import Object
from argosy.workloads.runtimes.agents import Agent
from argosy.workloads.runtimes.protocol import Runtime

# Over how long usage is measured, as metrics-server does.
_WINDOW_SECONDS: Final = 15.0
_PORT: Final = 10250
_DIALING: Final = "error dialing backend: "


class Answers:
    """The `LogSource`, `ExecSource` and `MetricsSource` of one cluster."""

    def __init__(self) -> None:
        self._agent: Agent | None = None

    def serve(self, agent: Agent) -> None:
        """Answer for the nodes of this agent from now on."""
        self._agent = agent

    # Logs.

    def lines(self, pod: Object, query: LogQuery) -> AsyncIterator[bytes]:
        """Refuses at once, not at the first line: an answer that has begun cannot become an error."""
        meta = pod["metadata"]
        path = f"/containerLogs/{meta['namespace']}/{meta['name']}/{query.container}"
        runtime = self._runtime(pod, f'Get "https://{{}}{path}": ')
        view = msgspec.convert(pod, Pod)
        check_log(view, query)
        return runtime.logs(view, query)

    # Commands.

    async def exec(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        return await self._runtime(pod, _DIALING).exec(pod, request, streams)

    async def attach(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        return await self._runtime(pod, _DIALING).attach(pod, request, streams)

    async def port_forward(
        self, pod: Object, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await self._runtime(pod, _DIALING).port_forward(pod, port)

    # Usage.

    def node_metrics(self) -> Iterable[NodeUsage]:
        if self._agent is None:
            return
        totals = {name: [0, 0] for name in self._agent.speaking_nodes()}
        for pod, runtime in self._agent.running_pods():
            total = totals[pod.spec.node_name]
            for used in runtime.usage(pod).values():
                total[0] += used.nanocores
                total[1] += used.memory_bytes
        now = self._agent.clock.time()
        for name, (nanocores, memory) in totals.items():
            yield NodeUsage(name, nanocores, memory, now, _WINDOW_SECONDS)

    def pod_metrics(self, namespace: str | None = None) -> Iterable[PodUsage]:
        if self._agent is None:
            return
        now = self._agent.clock.time()
        for pod, runtime in self._agent.running_pods():
            meta = pod.metadata
            if namespace is not None and meta.namespace != namespace:
                continue
            containers = tuple(
                ContainerUsage(name, used.nanocores, used.memory_bytes)
                for name, used in runtime.usage(pod).items()
            )
            yield PodUsage(meta.namespace, meta.name, containers, now, _WINDOW_SECONDS)

    # Finding the runtime.

    def _runtime(self, pod: Object, prefix: str) -> Runtime:
        """The runtime of the pod's node; `prefix` begins what is said when there is none to be reached."""
        name = pod["spec"].get("nodeName", "")
        if self._agent is None:
            raise ServiceUnavailable("the cluster's nodes are not served yet; try again")
        runtime = self._agent.runtime_of(name)
        if runtime is not None:
            return runtime
        node = self._agent.node(name)
        if node is None:
            raise not_found("", "nodes", name)
        where = f"{_address(node)}:{_PORT}"
        why = "i/o timeout" if self._agent.is_silent(name) else "connect: connection refused"
        raise InternalError(f"{prefix.format(where)}dial tcp {where}: {why}")


def check_log(pod: Pod, query: LogQuery) -> None:
    """Raise what a kubelet says when a container has no log to show."""
    name, container = pod.metadata.name, query.container
    where = f'container "{container}" in pod "{name}"'
    status = _status(pod, container)
    if status is None:
        raise BadRequest(f"{where} is not available")
    last = status.last_state.terminated
    if query.previous:
        if last is None:
            raise BadRequest(f"previous terminated {where} not found")
        return
    state = status.state
    if state.running is not None or state.terminated is not None or last is not None:
        return
    if state.waiting is not None:
        raise BadRequest(f"{where} is waiting to start: {_waiting(state.waiting.reason)}")
    raise BadRequest(f"{where} is waiting to start - no logs yet")


def _waiting(reason: str) -> str:
    return {
        "ErrImagePull": "image can't be pulled",
        "ImagePullBackOff": "trying and failing to pull image",
    }.get(reason, reason)


def _status(pod: Pod, container: str) -> ContainerStatus | None:
    status = pod.status
    for one in (*status.container_statuses, *status.init_container_statuses):
        if one.name == container:
            return one
    return None


def _address(node: Node) -> str:
    for one in node.status.addresses:
        if one.type == "InternalIP":
            return one.address
    return node.metadata.name
