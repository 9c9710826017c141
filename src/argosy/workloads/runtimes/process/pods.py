"""One pod: volumes, init containers one after the other, the others side by side, and its end.

The pod's task walks through its life; every change of a container becomes a new status at once. Being stopped, or
living longer than its deadline, ends the walk: containers get their hooks and signals together, sidecars after the
others and in reverse order, and no container is started again. A pod that an earlier Argosy has started walks the same
way; containers that still run, or have ended meanwhile, are simply there already.

When everything on this machine was ended, what a container answered is not its result: a pod that goes on by its policy
does so, any other has failed by the shutdown of its node, as on a kubelet.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, Literal, NamedTuple

from argosy.api.objects import ContainerStatus, Node, Pod
from argosy.api.objects.pods import ContainerStateTerminated
from argosy.base.errors import StatusError
from argosy.base.types import Object
from argosy.workloads.runtimes.process.background import background
from argosy.workloads.runtimes.process.containers import ContainerLife, lost
from argosy.workloads.runtimes.process.environments import Surroundings
from argosy.workloads.runtimes.process.hosts import Host
from argosy.workloads.runtimes.process.keeping import Known
from argosy.workloads.runtimes.process.mounting import REFRESH_SECONDS, Mounts
from argosy.workloads.runtimes.process.sizes import SIZES_SECONDS, find_too_large, size_limits
from argosy.workloads.runtimes.process.volumes import NotMounted
from argosy.workloads.runtimes.runs import Run, Terminated, is_sidecar, should_restart
from argosy.workloads.runtimes.statuses import (
    CREATING,
    INITIALIZING,
    TERMINATION_BY_KUBELET,
    Verdict,
    compose,
)

_LOG: Final = logging.getLogger(__name__)
# The pauses between two tries to make volumes double: a claim may be bound in a moment.
_FIRST_RETRY_SECONDS: Final = 0.1
_LAST_RETRY_SECONDS: Final = 5.0
# What a pod that has used too much gets, as of kubelets.
_EVICTION_GRACE_SECONDS: Final = 1.0
_DEADLINE: Final = Verdict(
    "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
)
_SHUTDOWN: Final = Verdict(
    "Terminated",
    "Pod was terminated in response to imminent node shutdown.",
    disruption=TERMINATION_BY_KUBELET,
)


class Found(NamedTuple):
    """Containers of an earlier Argosy: those that still run, and those that ended while nobody looked."""

    adopted: int = 0
    ended: int = 0


class PodLife:
    """A pod on this machine, from `begin` until it is forgotten."""

    def __init__(self, host: Host, pod: Pod, node: Node, address: str) -> None:
        self.host: Final = host
        self._pod = pod
        self.node: Final = node
        # Asked to stop, with this grace.
        self.grace: float | None = None
        self._mounts = Mounts(host, pod.metadata.uid)
        node_ips = [one.address for one in node.status.addresses if one.type == "InternalIP"]
        pod_ip = address or (node_ips[0] if node_ips else "127.0.0.1")
        self._around = Surroundings(
            tuple(node_ips) or (pod_ip,), (pod_ip,), node.status.allocatable
        )
        waiting = INITIALIZING if pod.spec.init_containers else CREATING
        self._inits = [ContainerLife(self, one, waiting) for one in pod.spec.init_containers]
        self._mains = [ContainerLife(self, one, waiting) for one in pod.spec.containers]
        self.lives: Final = {life.name: life for life in (*self._inits, *self._mains)}
        self._status: Object | None = None
        self._has_sandbox = False
        self._is_ending = False
        self._verdict: Verdict | None = None
        self._hurry = asyncio.Event()
        self._is_over = pod.is_terminal
        self._walk: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._others: list[asyncio.Task[None]] = []
        self._hurrying: list[asyncio.Task[None]] = []

    @property
    def pod(self) -> Pod:
        return self._pod

    @property
    def volumes(self) -> Mapping[str, str]:
        return self._mounts.folders

    @property
    def around(self) -> Surroundings:
        return self._around

    @property
    def node_name(self) -> str:
        return self._pod.spec.node_name

    @property
    def _grace_seconds(self) -> float:
        given = self._pod.spec.termination_grace_period_seconds
        return 30.0 if given is None else float(given)

    # What the agent tells.

    def begin(self, known: Mapping[str, Known]) -> Found:
        """Start walking; `known` are the runs that are there already."""
        found = self._resume(known)
        if any(self._is_over_by_shutdown(life) for life in self.lives.values()):
            self._ending = self._ending_with(0.0)
            return found
        self.report()
        self._walk = background(self._live(), f"pod {pod_name(self._pod)}")
        self._aside(self._watch_deadline())
        return found

    def change(self, pod: Pod) -> None:
        deadline = self._pod.spec.active_deadline_seconds
        self._pod = pod
        if self._walk is None:
            return
        if pod.spec.active_deadline_seconds != deadline:
            self._aside(self._watch_deadline())
        if not self._is_over:
            self.report()

    def stop(self, grace_seconds: float, done: Callable[[], None]) -> None:
        """End everything; `done` when nothing is left. A second call may only shorten the grace."""
        self.grace = grace_seconds
        if self._ending is not None:
            if grace_seconds == 0:
                self._hurry.set()
            else:
                work = self._hurry_after(grace_seconds)
                self._hurrying.append(background(work, f"end of pod {pod_name(self._pod)}"))
            self._ending.add_done_callback(lambda _: done())
            return
        self._ending = self._ending_with(grace_seconds)
        self._ending.add_done_callback(lambda _: done())

    async def _hurry_after(self, seconds: float) -> None:
        await self.host.clock.sleep(seconds)
        self._hurry.set()

    def abandon(self) -> None:
        """Let go of the tasks; processes go on."""
        for task in (self._walk, self._ending, *self._others, *self._hurrying):
            if task is not None:
                task.cancel()
        for life in self.lives.values():
            life.abandon()

    # What containers tell.

    def report(self) -> None:
        """Compose the status and pass it on if it is a new one."""
        if any(self._is_over_by_shutdown(life) for life in self.lives.values()):
            self._verdict = _SHUTDOWN
        status = compose(
            self._pod,
            {name: life.run for name, life in self.lives.items()},
            now=self.host.clock.now(),
            host_ips=self._around.host_ips,
            pod_ips=self._around.pod_ips if self._has_sandbox else (),
            has_sandbox=self._has_sandbox,
            is_ending=self._is_ending,
            verdict=self._verdict,
            previous=self._status,
        )
        if status != self._status:
            self._status = status
            self.host.reporter.status(self._pod, status)

    def event(
        self, type_: Literal["Normal", "Warning"], reason: str, message: str, container: str
    ) -> None:
        self.host.reporter.event(self._pod, type_, reason, message, container=container)

    # The walk.

    async def _live(self) -> None:
        try:
            await self._mount()
            if await self._initialize():
                async with asyncio.TaskGroup() as group:
                    for life in self._mains:
                        group.create_task(self._repeat(life))
            await self._finish()
        except Exception as problem:  # noqa: BLE001  (the task boundary: a pod must not vanish silently)
            _LOG.exception("pod %s", pod_name(self._pod))
            self._verdict = Verdict("InternalError", f"{type(problem).__name__}: {problem}")
            self._ending = self._ending_with(self._grace_seconds)

    async def _mount(self) -> None:
        pause, said = _FIRST_RETRY_SECONDS, ""
        while True:
            try:
                await self._mounts.make(self._pod, self._around)
                break
            except (NotMounted, StatusError, OSError) as problem:
                if str(problem) != said or pause == _LAST_RETRY_SECONDS:
                    said = str(problem)
                    self.event("Warning", "FailedMount", said, "")
                await self.host.clock.sleep(pause)
                pause = min(pause * 2, _LAST_RETRY_SECONDS)
        self._has_sandbox = True
        self._aside(self._refresh())
        self._aside(self._watch_sizes())
        self.report()

    async def _initialize(self) -> bool:
        """Run init containers in order; False if one has failed for good."""
        for life in self._inits:
            if is_sidecar(life.container):
                self._aside(self._repeat(life))
                await life.started.wait()
                continue
            ended = await self._until_success(life)
            if ended.exit_code != 0 or life.was_cut_off:
                return False
        return True

    async def _until_success(self, life: ContainerLife) -> Terminated:
        while True:
            ended = await life.once()
            is_done = ended.exit_code == 0 and not life.was_cut_off
            if is_done or not self._is_run_again(life, ended):
                return ended
            await life.pause(ended)

    async def _repeat(self, life: ContainerLife) -> None:
        """Run a container until it is not to be run again."""
        while True:
            ended = await life.once()
            if self._is_ending or not self._is_run_again(life, ended):
                return
            await life.pause(ended)

    def _is_run_again(self, life: ContainerLife, ended: Terminated) -> bool:
        if self._is_over_by_shutdown(life):
            return False
        return should_restart(life.container, self._pod, ended.exit_code)

    def _is_over_by_shutdown(self, life: ContainerLife) -> bool:
        """Whether a container was cut off that is not run again whatever it answered."""
        policy = life.container.restart_policy or self._pod.spec.restart_policy
        return life.was_cut_off and policy != "Always"

    async def _finish(self) -> None:
        """Nothing but sidecars can be running now."""
        self._is_ending = True
        self._let_go()
        await self._end_sidecars(self._grace_seconds)
        self._is_over = True
        self.report()

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        self._others.append(background(work, f"pod {pod_name(self._pod)}"))

    def _ending_with(self, grace_seconds: float) -> asyncio.Task[None]:
        return background(self._end(grace_seconds), f"end of pod {pod_name(self._pod)}")

    def _let_go(self) -> None:
        current = asyncio.current_task()
        for task in self._others:
            if task is not current:
                task.cancel()
        self._others = []

    # The end.

    async def _end(self, grace_seconds: float) -> None:
        self._is_ending = True
        if self._walk is not None:
            self._walk.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._walk
        self._let_go()
        if not self._is_over:
            begun = self.host.clock.monotonic()
            others = [life for life in self.lives.values() if not self._is_sidecar(life)]
            await asyncio.gather(*(life.end(grace_seconds, hurry=self._hurry) for life in others))
            left = max(0.0, grace_seconds - (self.host.clock.monotonic() - begun))
            await self._end_sidecars(left)
            self._is_over = True
            self.report()

    async def _end_sidecars(self, grace_seconds: float) -> None:
        for life in reversed([one for one in self._inits if self._is_sidecar(one)]):
            begun = self.host.clock.monotonic()
            await life.end(grace_seconds, hurry=self._hurry)
            grace_seconds = max(0.0, grace_seconds - (self.host.clock.monotonic() - begun))

    @staticmethod
    def _is_sidecar(life: ContainerLife) -> bool:
        return is_sidecar(life.container)

    async def _watch_deadline(self) -> None:
        seconds = self._pod.spec.active_deadline_seconds
        if seconds is None:
            return
        started = self._pod.status.start_time
        begun = started.timestamp() if started is not None else self.host.clock.time()
        await self.host.clock.sleep(max(0.0, begun + seconds - self.host.clock.time()))
        if self._is_ending or self._pod.spec.active_deadline_seconds != seconds:
            return
        self._verdict = _DEADLINE
        self.event("Normal", _DEADLINE.reason, _DEADLINE.message, "")
        self._ending = self._ending_with(self._grace_seconds)

    async def _watch_sizes(self) -> None:
        """Evict the pod when one of its volumes has grown beyond its limit."""
        limits = size_limits(self._pod)
        while limits:
            await self.host.clock.sleep(SIZES_SECONDS)
            text = await asyncio.to_thread(find_too_large, limits, self._mounts.folders)
            if text is not None and not self._is_ending:
                self._verdict = Verdict("Evicted", text)
                self.event("Warning", "Evicted", text, "")
                self._ending = self._ending_with(_EVICTION_GRACE_SECONDS)
                return

    async def _refresh(self) -> None:
        while True:
            await self.host.clock.sleep(REFRESH_SECONDS)
            try:
                await self._mounts.keep(self._pod, self._around)
            except (NotMounted, StatusError, OSError) as problem:
                self.event("Warning", "FailedMount", str(problem), "")

    # After a restart of Argosy.

    def _resume(self, known: Mapping[str, Known]) -> Found:
        """Put containers where they stand: by their last run, or by what the status remembers."""
        told = self._pod.status
        statuses = {
            one.name: one for one in (*told.init_container_statuses, *told.container_statuses)
        }
        adopted = ended = 0
        for life in self.lives.values():
            runs = {
                int(run.rpartition("/")[2]): one
                for run, one in known.items()
                if run.split("/")[1] == life.name
            }
            status = statuses.get(life.name)
            if runs:
                number = max(runs)
                life.adopt(runs[number], number, _last(status, number), status)
                adopted += runs[number].code is None
                ended += runs[number].code is not None and _is_news(status, number)
            elif status is not None:
                _remember(life, status, self.host)
        return Found(adopted, ended)


def pod_name(pod: Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name}"


def _is_news(status: ContainerStatus | None, restarts: int) -> bool:
    """Whether the status does not tell yet that this run has ended."""
    if status is None or status.restart_count < restarts:
        return True
    return status.state.running is not None


def _last(status: ContainerStatus | None, restarts: int) -> Terminated | None:
    """How the run before ended, as the status has it."""
    if status is None:
        return None
    source = status.state if status.restart_count < restarts else status.last_state
    return _terminated(source.terminated, status.container_id)


def _remember(life: ContainerLife, status: ContainerStatus, host: Host) -> None:
    ended = _terminated(status.state.terminated, status.container_id)
    last = _terminated(status.last_state.terminated, "")
    if ended is None and status.state.running is not None:
        ended = lost(status.state.running.started_at, host.clock.now(), status.container_id)
    if ended is not None:
        life.remember(Run(ended, last, status.restart_count, container_id=status.container_id))
    elif last is not None:
        life.remember(Run(last, None, status.restart_count, container_id=status.container_id))


def _terminated(state: ContainerStateTerminated | None, container_id: str) -> Terminated | None:
    if state is None:
        return None
    return Terminated(
        state.exit_code, state.reason, state.started_at, state.finished_at, state.message, state.signal, container_id
    )  # fmt: skip
