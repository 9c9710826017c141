"""The simulated runtime: thousands of nodes at the price of their pods' own changes.

Pods run in nothing but time. Each has a `Timeline`; one heap of (time, uid) and one sleeping task drive them all, so an
idle node costs nothing and a pod costs what its status changes cost. All that a pod will do follows from the pod, the
rules of its pool and hashes of its uid: after a restart of the process pods go on where their statuses left them, and
nothing is kept on disk.

What a pod that is over keeps is its address and one entry. Logs, exec and usage are in modules of their own.
"""

from __future__ import annotations

import asyncio
import errno
import heapq
import math
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Final

from argosy.api.objects import Node, Pod
from argosy.api.wellknown import NODE_POOL
from argosy.apiserver.specials.logs import LogQuery
from argosy.apiserver.specials.streams import ExecRequest, Streams
from argosy.base.clock import Clock
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.workloads.runtimes.protocol import Reporter, Usage
from argosy.workloads.runtimes.simulated import behaviors
from argosy.workloads.runtimes.simulated.addresses import Addresses
from argosy.workloads.runtimes.simulated.attending import Attendant
from argosy.workloads.runtimes.simulated.processes import Process
from argosy.workloads.runtimes.simulated.rules import DEFAULTS, Simulation
from argosy.workloads.runtimes.simulated.timelines import Happening, Timeline
from argosy.workloads.runtimes.simulated.usages import usage_of
from argosy.workloads.runtimes.statuses import compose

NAME: Final = "simulated"
# Pods that are advanced before others get a turn.
_BATCH: Final = 200
# Entries of the heap that may be out of date before it is cleaned.
_SPARE: Final = 1000
# What is due this soon is due now: the loop's clock and the wall's are not the same.
_SOON: Final = 0.001

RulesOf = Callable[[str], Simulation]


class _Simulated:
    """One pod: `timeline` until it is over, `due` as the heap has it."""

    __slots__ = ("address", "due", "is_asked_to_stop", "pod", "timeline")

    def __init__(self, pod: Pod, address: str) -> None:
        self.pod = pod
        # Of its own; that of a pod on the host's network is the node's.
        self.address = address
        self.timeline: Timeline | None = None
        self.is_asked_to_stop = False
        self.due = math.inf


def _no_rules(pool: str) -> Simulation:
    return DEFAULTS


class SimulatedRuntime:
    """Runs pods of nodes labeled `argosy.dev/runtime: simulated`. `rules_of` gives the rules of a pool by its name."""

    name: Final = NAME

    def __init__(self, reporter: Reporter, clock: Clock, rules_of: RulesOf = _no_rules) -> None:
        self._reporter = reporter
        self._clock = clock
        self._rules_of = rules_of
        self._addresses = Addresses()
        self._pods: dict[str, _Simulated] = {}
        # Addresses and pools of nodes, by name.
        self._hosts: dict[str, str] = {}
        self._pools: dict[str, str] = {}
        self._heap: list[tuple[float, str]] = []
        # When the sleeping task will wake by itself.
        self._wakes_at = math.inf
        self._woken = asyncio.Event()
        self._attendant = Attendant(clock, self._rules, self._process)

    def __len__(self) -> int:
        """How many pods are known."""
        return len(self._pods)

    # What the agent asks for.

    def start(self, pod: Pod, node: Node) -> None:
        known = pod.status.pod_ip
        if pod.spec.host_network:
            address = ""
        elif known:
            self._addresses.keep(known)
            address = known
        else:
            address = self._addresses.take()
        one = self._pods[pod.metadata.uid] = _Simulated(pod, address)
        if pod.is_terminal:
            return
        for problem in behaviors.problems(pod):
            self._reporter.event(pod, "Warning", "InvalidSimulation", problem)
        now = self._clock.time()
        timeline = one.timeline = Timeline(pod, self._rules(pod), now)
        changed = timeline.advance(now + _SOON)
        if changed or pod.status.start_time is None:
            self._tell(one)
        else:
            # After a restart: what runs goes on, and there is no news of it.
            self._expect(one, timeline.due)

    def change(self, pod: Pod) -> None:
        one = self._pods.get(pod.metadata.uid)
        if one is None:
            return
        old, one.pod = one.pod, pod
        if one.timeline is None:
            return
        one.timeline.pod = pod
        if old.metadata.generation != pod.metadata.generation or _gates(old) != _gates(pod):
            one.timeline.wind()
            self._tell(one)

    def stop(self, pod: Pod, grace_seconds: int) -> None:
        one = self._pods.get(pod.metadata.uid)
        if one is None:
            return
        one.pod = pod
        one.is_asked_to_stop = True
        if one.timeline is None:
            self._reporter.ended(pod)
            return
        one.timeline.pod = pod
        now = self._clock.time()
        one.timeline.advance(now + _SOON)
        if not one.timeline.is_over:
            one.timeline.stop(now, grace_seconds)
        self._tell(one)

    def forget(self, pod: Pod) -> None:
        one = self._pods.pop(pod.metadata.uid, None)
        if one is not None and one.address:
            self._addresses.give_back(one.address)

    def node_changed(self, node: Node) -> None:
        name = node.metadata.name
        self._hosts[name] = _address(node)
        self._pools[name] = node.metadata.labels.get(NODE_POOL, "")

    def node_gone(self, node: Node) -> None:
        """The agent has forgotten its pods one by one."""
        self._hosts.pop(node.metadata.name, None)
        self._pools.pop(node.metadata.name, None)

    # Time.

    async def run(self) -> None:
        """Advance what is due, and sleep until the next."""
        while True:
            self._woken.clear()
            self._wakes_at = self._heap[0][0] if self._heap else math.inf
            wait = self._wakes_at - self._clock.time()
            if wait > _SOON:
                await self._sleep(wait)
                continue
            for _ in range(_BATCH):
                if not self._advance_next():
                    break
            await asyncio.sleep(0)

    async def _sleep(self, seconds: float) -> None:
        """Until the time is over, or something that is due earlier has come."""
        if math.isinf(seconds):
            await self._woken.wait()
            return
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return

    def _advance_next(self) -> bool:
        """Advance the pod that is due first, if it is due."""
        now = self._clock.time() + _SOON
        if not self._heap or self._heap[0][0] > now:
            return False
        due, uid = heapq.heappop(self._heap)
        one = self._pods.get(uid)
        # An entry that disagrees is out of date.
        if one is not None and one.timeline is not None and one.due == due:
            one.due = math.inf
            one.timeline.advance(now)
            self._tell(one)
        return True

    def _expect(self, one: _Simulated, due: float) -> None:
        if due == one.due or math.isinf(due):
            return
        one.due = due
        heapq.heappush(self._heap, (due, one.pod.metadata.uid))
        if len(self._heap) > 2 * len(self._pods) + _SPARE:
            self._compact()
        if due < self._wakes_at:
            self._woken.set()

    def _compact(self) -> None:
        """Drop entries that are out of date: of pods that were deleted long before they would have ended."""
        self._heap = [(one.due, uid) for uid, one in self._pods.items() if not math.isinf(one.due)]
        heapq.heapify(self._heap)

    # Telling.

    def _tell(self, one: _Simulated) -> None:
        """Report a pod as it is now, and wait for what comes next."""
        timeline = one.timeline
        assert timeline is not None
        for happening in timeline.happenings:
            self._announce(one.pod, happening)
        timeline.happenings.clear()
        self._reporter.status(one.pod, self._status(one, timeline))
        if not timeline.is_over:
            self._expect(one, timeline.due)
            return
        one.timeline, one.due = None, math.inf
        if one.is_asked_to_stop:
            self._reporter.ended(one.pod)

    def _status(self, one: _Simulated, timeline: Timeline) -> Object:
        host = self._hosts.get(one.pod.spec.node_name, "")
        address = one.address or host
        status = compose(
            one.pod,
            timeline.runs(),
            now=datetime.fromtimestamp(self._clock.time(), UTC),
            host_ips=(host,) if host else (),
            pod_ips=(address,) if address and timeline.has_sandbox else (),
            has_sandbox=timeline.has_sandbox and not timeline.is_over,
            is_ending=timeline.is_ending,
            verdict=timeline.verdict,
        )
        status["startTime"] = format_time(timeline.started)
        if timeline.is_over and status["phase"] not in {"Succeeded", "Failed"}:
            # A pod that was stopped before its containers ran has failed, whatever they say.
            status["phase"] = "Failed"
        return status

    def _announce(self, pod: Pod, happening: Happening) -> None:
        container, event = happening.container, self._reporter.event
        name = container.name
        match happening.reason:
            case "Started":
                image = container.image
                text = f'Container image "{image}" already present on machine and can be accessed by the pod'
                event(pod, "Normal", "Pulled", text, container=name)
                event(pod, "Normal", "Created", "Container created", container=name)
                event(pod, "Normal", "Started", "Container started", container=name)
            case "Killing":
                event(pod, "Normal", "Killing", f"Stopping container {name}", container=name)
            case "BackOff":
                meta = pod.metadata
                where = f"{meta.name}_{meta.namespace}({meta.uid})"
                text = f"Back-off restarting failed container {name} in pod {where}"
                event(pod, "Warning", "BackOff", text, container=name)

    # For kubectl.

    def logs(self, pod: Pod, query: LogQuery) -> AsyncIterator[bytes]:
        return self._attendant.logs(pod, query)

    def usage(self, pod: Pod) -> dict[str, Usage]:
        return usage_of(pod, self._rules(pod).usage, self._clock.time())

    async def exec(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        return await self._attendant.exec(pod, request, streams)

    async def attach(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        return await self._attendant.attach(pod, request, streams)

    async def port_forward(
        self, pod: Object, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Nobody listens in a simulated pod."""
        name = pod["metadata"]["name"]
        text = f"pod {name} is simulated: nobody listens on port {port}"
        raise ConnectionRefusedError(errno.ECONNREFUSED, text)

    def _rules(self, pod: Pod) -> Simulation:
        return self._rules_of(self._pools.get(pod.spec.node_name, ""))

    def _process(self, pod: Pod, container: str) -> Process | None:
        """A container of a pod that is not over."""
        one = self._pods.get(pod.metadata.uid)
        for process in one.timeline.processes if one is not None and one.timeline else ():
            if process.container.name == container:
                return process
        return None


def _gates(pod: Pod) -> list[tuple[str, str]]:
    """The conditions of others that the pod's readiness waits for."""
    if not pod.spec.readiness_gates:
        return []
    wanted = {gate.get("conditionType") for gate in pod.spec.readiness_gates}
    return [(one.type, one.status) for one in pod.status.conditions if one.type in wanted]


def _address(node: Node) -> str:
    for one in node.status.addresses:
        if one.type == "InternalIP":
            return one.address
    return ""
