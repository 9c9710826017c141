"""Pods as processes of this machine.

Containers' commands run here, as the user Argosy runs as, with the strongest isolation the machine allows; so this
runtime is made only where its owner asked for it, and it says in the log what it does. A keeper owns the processes
(see `keeper`): when Argosy is killed they go on, and the next Argosy adopts them, takes over how others ended
meanwhile, ends those whose pods are gone, and says how many of each. When Argosy ends in good order it ends them,
unless told to leave them running: for their pods that is a shutdown of their node, which the next Argosy reports.

The agent's calls only start tasks; everything that waits happens in `run` and in the pods' own tasks.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any, Final

from argosy.api.objects import Node, Pod
from argosy.apiserver.specials.logs import LogQuery
from argosy.apiserver.specials.streams import ExecRequest, Streams, container_not_found
from argosy.base.clock import Clock
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.workloads.runtimes.process import streaming
from argosy.workloads.runtimes.process.background import background
from argosy.workloads.runtimes.process.choosing import WORDS, choose, find_problem
from argosy.workloads.runtimes.process.containers import ContainerLife
from argosy.workloads.runtimes.process.executing import podman_name
from argosy.workloads.runtimes.process.hosts import Host, own_address
from argosy.workloads.runtimes.process.images import podman
from argosy.workloads.runtimes.process.keeper.orders import Isolation
from argosy.workloads.runtimes.process.keeping import Keeping, Known
from argosy.workloads.runtimes.process.measuring import Meter
from argosy.workloads.runtimes.process.ordering import remove
from argosy.workloads.runtimes.process.pods import Found, PodLife
from argosy.workloads.runtimes.process.reading import read_log
from argosy.workloads.runtimes.process.sandboxing import podman_leftovers, podman_remove
from argosy.workloads.runtimes.protocol import Reporter, Usage

_LOG: Final = logging.getLogger(__name__)
ORPHAN_SECONDS: Final = 600.0
_SETTLE_SECONDS: Final = 10.0
_EXIT_GRACE_SECONDS: Final = 10.0
_MEASURE_SECONDS: Final = 10.0


class Unfit(Exception):
    """This machine can not do what it was asked to do."""

    def __init__(self, isolation: Isolation, problem: str) -> None:
        super().__init__(
            f"containers can not be isolated by {isolation} on this machine: {problem}"
        )


class ProcessRuntime:
    """The runtime `process`. `state` and `logs` are folders of its own; `api` is where pods find the API server;
    `hidden` are the folder that has them and the cluster's own secrets, and files with such, which no container is to
    see. `isolation` None is the strongest that works.
    """

    name: Final = "process"

    def __init__(
        self,
        reporter: Reporter,
        client: Client,
        clock: Clock,
        *,
        state: Path,
        logs: Path,
        api: tuple[str, int] | None = None,
        hidden: tuple[Path, ...] = (),
        isolation: Isolation | None = None,
        keep_on_exit: bool = False,
        orphan_seconds: float = ORPHAN_SECONDS,
        settle_seconds: float = _SETTLE_SECONDS,
        first_pause_seconds: float = 10.0,
    ) -> None:
        keeping = Keeping(state, orphan_seconds=orphan_seconds, trouble=self._trouble)
        self._host = Host(
            client, clock, reporter, keeping, state, logs, api, first_pause_seconds=first_pause_seconds,
            hidden=hidden or (state, logs),
        )  # fmt: skip
        self._wanted = isolation
        self._keep_on_exit = keep_on_exit
        self._settle_seconds = settle_seconds
        self._address = own_address()
        self._lives: dict[str, PodLife] = {}
        # Pods that came before the keeper was found, and the grace of those that are to stop already.
        self._early: dict[str, tuple[Pod, Node, float | None]] = {}
        self._known: dict[str, dict[str, Known]] = {}
        self._found = Found()
        self._is_open = False
        self._meter = Meter()
        self._tasks: set[asyncio.Task[None]] = set()
        self.settled: Final = asyncio.Event()
        self._is_decided = asyncio.Event()
        self._unfit: Unfit | None = None

    @property
    def host(self) -> Host:
        return self._host

    @property
    def isolation(self) -> Isolation:
        return self._host.isolation

    # The agent's calls.

    def start(self, pod: Pod, node: Node) -> None:
        if not self._is_open:
            self._early[pod.metadata.uid] = (pod, node, None)
            return
        uid = pod.metadata.uid
        known = self._known.pop(uid, {})
        life = self._lives[uid] = PodLife(self._host, pod, node, self._address)
        if pod.is_terminal:
            for run, one in known.items():
                if one.code is None:
                    self._spawn(self._host.keeping.kill(run))
            return
        found = life.begin({**self._written_down(uid), **known})
        self._found = Found(self._found.adopted + found.adopted, self._found.ended + found.ended)

    def change(self, pod: Pod) -> None:
        uid = pod.metadata.uid
        if uid in self._early:
            self._early[uid] = (pod, *self._early[uid][1:])
        elif (life := self._lives.get(uid)) is not None:
            life.change(pod)

    def stop(self, pod: Pod, grace_seconds: float) -> None:
        uid = pod.metadata.uid
        if uid in self._early:
            self._early[uid] = (*self._early[uid][:2], grace_seconds)
        elif (life := self._lives.get(uid)) is not None:
            life.stop(grace_seconds, lambda: self._host.reporter.ended(life.pod))

    def forget(self, pod: Pod) -> None:
        self._early.pop(pod.metadata.uid, None)
        life = self._lives.pop(pod.metadata.uid, None)
        if life is not None:
            self._spawn(self._clear_away(life))

    def node_changed(self, node: Node) -> None:
        """Nothing depends on the node but new pods, which bring it along."""

    def node_gone(self, node: Node) -> None:
        for uid, life in list(self._lives.items()):
            if life.node_name == node.metadata.name:
                del self._lives[uid]
                self._spawn(self._clear_away(life))

    # The work.

    async def run(self) -> None:
        host = self._host
        for folder in (host.state, host.logs):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for known in await host.keeping.open():
            self._known.setdefault(known.run.split("/")[0], {})[known.run] = known
        try:
            await self._choose_isolation()
            has_earlier = bool(self._known) or (host.state / "pods").is_dir()
            self._open()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._settle(has_earlier=has_earlier))
                group.create_task(self._measure())
                group.create_task(self._keep_the_keeper())
        finally:
            await self._leave()

    def _open(self) -> None:
        """Take the pods that were told so far."""
        self._is_open = True
        early, self._early = self._early, {}
        for pod, node, grace in early.values():
            self.start(pod, node)
            if grace is not None:
                self.stop(pod, grace)

    async def _choose_isolation(self) -> None:
        host = self._host
        reasons: list[str] = []
        if self._wanted is None:
            host.isolation, reasons = await choose(host.keeping, host.state)
        else:
            host.isolation = self._wanted
            if self._wanted != "none":
                problem = await find_problem(host.keeping, host.state, self._wanted)
                if problem is not None:
                    self._unfit = Unfit(self._wanted, problem)
                    self._is_decided.set()
                    # Whoever asked for it has to decide; until then nothing is run in another way.
                    await asyncio.Event().wait()
        if host.isolation == "podman":
            await self._remove_containers()
        because = f" ({'; '.join(reasons)})" if reasons else ""
        _LOG.warning(
            "containers' commands run on this machine as the current user, %s%s", WORDS[host.isolation], because
        )  # fmt: skip
        self._is_decided.set()

    async def decided(self) -> Isolation:
        """How containers are run, as soon as that is known. Unfit."""
        await self._is_decided.wait()
        if self._unfit is not None:
            raise self._unfit
        return self._host.isolation

    async def _remove_containers(self) -> None:
        """Remove podman's containers that no keeper knows of any more: it was killed with its Argosy."""
        known = {podman_name(run) for runs in self._known.values() for run in runs}
        known |= {
            podman_name(one.run_name)
            for life in self._lives.values()
            for one in life.lives.values()
        }
        told = await podman(podman_leftovers(str(self._host.state)))
        lost = sorted(set(told.out.split()) - known)
        if lost:
            _LOG.warning("%d containers of podman that nobody kept are removed", len(lost))
            await podman(podman_remove(*lost))

    async def _settle(self, *, has_earlier: bool) -> None:
        """End what is left of pods that nobody asked for, and say what became of an earlier Argosy's containers."""
        if has_earlier:
            # The agent may still be telling which pods there are.
            await self._host.clock.sleep(self._settle_seconds)
        orphans = [one for runs in self._known.values() for one in runs.values()]
        self._known = {}
        for one in orphans:
            if one.code is None:
                await self._host.keeping.kill(one.run)
                await asyncio.shield(self._host.keeping.end_of(one.run))
            await self._host.keeping.forget(one.run)
        strays = sum(one.code is None for one in orphans)
        if strays or any(self._found):
            _LOG.warning(
                "of the containers an earlier run has left, %d still run and are adopted, %d had ended meanwhile, "
                "and %d whose pods are gone were ended",
                *self._found,
                strays,
            )
        await asyncio.to_thread(self._remove_strays)
        self.settled.set()

    def _remove_strays(self) -> None:
        folder = self._host.state / "pods"
        if folder.is_dir():
            for one in folder.iterdir():
                if one.name not in self._lives:
                    remove(one)

    async def _measure(self) -> None:
        while True:
            await asyncio.to_thread(self.look)
            await self._host.clock.sleep(_MEASURE_SECONDS)

    def look(self) -> None:
        """Measure what containers use; takes some milliseconds."""
        pods = list(self._lives.values())
        lives = [life for pod in pods for life in pod.lives.values() if life.is_running]
        pids = {life.run_name: life.pid for life in lives}
        self._meter.measure(pids, self._host.clock.monotonic())

    async def _keep_the_keeper(self) -> None:
        while True:
            await self._host.keeping.reopen()
            if self._host.isolation == "podman":
                await self._remove_containers()

    def hurry(self) -> None:
        """Do not wait any longer for containers that are being ended."""
        self._spawn(self._host.keeping.hurry())

    async def _leave(self) -> None:
        self._is_open = False
        running = sum(
            one.is_running for life in self._lives.values() for one in life.lives.values()
        )
        if running and not self._keep_on_exit:
            _LOG.warning(
                "ending %d containers; they have up to %d s (interrupt again to kill them now)",
                running,
                _EXIT_GRACE_SECONDS,
            )
        for uid, life in self._lives.items():
            life.abandon()
            # Should the runtime be run again, it goes on with the same pods.
            self._early[uid] = (life.pod, life.node, life.grace)
        if not self._keep_on_exit:
            await self._prepare_stop()
        self._lives = {}
        for task in self._tasks:
            task.cancel()
        grace = None if self._keep_on_exit else _EXIT_GRACE_SECONDS
        await self._host.keeping.close(grace_seconds=grace)

    async def _prepare_stop(self) -> None:
        """Run the hooks of all containers before they are ended, as a node does that shuts down. A second interrupt
        kills the containers and so ends their hooks, too.
        """
        lives = [one for life in self._lives.values() for one in life.lives.values()]
        hooks = [
            asyncio.ensure_future(one.prepare_stop(_EXIT_GRACE_SECONDS))
            for one in lives
            if one.is_running and one.has_pre_stop
        ]
        if hooks:
            # What a hook ends has not ended by itself.
            await self._host.keeping.announce()
            await asyncio.wait(hooks)

    async def _clear_away(self, life: PodLife) -> None:
        """Nothing of a pod stays: processes, folders, logs."""
        done = asyncio.Event()
        life.stop(0.0, done.set)
        await done.wait()
        life.abandon()
        meta = life.pod.metadata
        for one in life.lives.values():
            for restart in range(max(0, one.restarts - 1), one.restarts + 1):
                await self._host.keeping.forget(f"{meta.uid}/{one.name}/{restart}")
        await asyncio.to_thread(remove, self._host.pod_folder(meta.uid))
        folder = self._host.logs / f"{meta.namespace}_{meta.name}_{meta.uid}"
        await asyncio.to_thread(remove, folder)

    def _written_down(self, uid: str) -> dict[str, Known]:
        """Runs that ended under a keeper that is gone, or were cut off by it."""
        found = {}
        for path in (self._host.pod_folder(uid) / "runs").glob("*.json"):
            try:
                known = Known.recalled(json.loads(path.read_text()))
            except (OSError, ValueError, KeyError):
                continue
            found[known.run] = known
            self._host.keeping.recall(known)
        return found

    def _trouble(self, run: str, why: str) -> None:
        uid, container, _ = run.split("/")
        text = f"Lines of the log are dropped: {why}"
        if (life := self._lives.get(uid)) is not None:
            life.event("Warning", "LogsDropped", text, container)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = background(work, "clearing away")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def idle(self) -> None:
        """Wait until everything that was forgotten is cleared away."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    # For kubectl.

    async def logs(self, pod: Pod, query: LogQuery) -> AsyncIterator[bytes]:
        meta = pod.metadata
        statuses = (*pod.status.init_container_statuses, *pod.status.container_statuses)
        status = next((one for one in statuses if one.name == query.container), None)
        life = self._life(meta.uid, query.container)
        restarts = max(
            life.restarts if life is not None else 0, status.restart_count if status else 0
        )
        number = restarts - 1 if query.previous else restarts
        folder = self._host.logs / f"{meta.namespace}_{meta.name}_{meta.uid}" / query.container

        def is_running() -> bool:
            now = self._life(meta.uid, query.container)
            return now is not None and now.restarts == number and now.is_running

        async for line in read_log(folder / f"{number}.log", query, self._host.clock, is_running):
            yield line

    def usage(self, pod: Pod) -> dict[str, Usage]:
        life = self._lives.get(pod.metadata.uid)
        if life is None:
            return {}
        found = {name: self._meter.usage.get(one.run_name) for name, one in life.lives.items()}
        return {name: usage for name, usage in found.items() if usage is not None}

    async def exec(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        life = self._running(pod, request)
        return await streaming.execute(self._host, life.run_name, request, streams)

    async def attach(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        life = self._running(pod, request)
        ended = self._host.keeping.end_of(life.run_name)
        return await streaming.attach(self._host, life.run_name, request, streams, ended)

    async def port_forward(
        self, pod: Object, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if not self._address:
                raise
            return await asyncio.open_connection(self._address, port)

    def _running(self, pod: Object, request: ExecRequest) -> ContainerLife:
        life = self._life(pod["metadata"]["uid"], request.container)
        if life is None or not life.is_running:
            raise container_not_found(request.container)
        return life

    def _life(self, uid: str, container: str) -> ContainerLife | None:
        pod = self._lives.get(uid)
        return pod.lives.get(container) if pod is not None else None
