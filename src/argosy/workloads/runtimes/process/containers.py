"""One container of a pod: its runs, one after the other, and how a run is ended.

A run begins with everything its command needs (variables, volumes, folders), goes through its hook and probes, and is
over when the keeper says so. The present state is always in `run`, for the pod's status. Waiting for a run may be
cancelled at any time: its process goes on, and its end is taken down whoever waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, Literal, Protocol

from argosy.api.objects import Container, ContainerStatus, Pod
from argosy.base.errors import StatusError
from argosy.workloads.runtimes.process.background import background
from argosy.workloads.runtimes.process.choosing import about_image
from argosy.workloads.runtimes.process.environments import (
    Misconfigured,
    Surroundings,
    build,
    command_line,
    needed,
)
from argosy.workloads.runtimes.process.hooking import run_hook
from argosy.workloads.runtimes.process.hosts import Host
from argosy.workloads.runtimes.process.images import Image, NoImage, ensure, podman
from argosy.workloads.runtimes.process.keeping import Known
from argosy.workloads.runtimes.process.limits import choose_cpus
from argosy.workloads.runtimes.process.links import Refused
from argosy.workloads.runtimes.process.messages import termination_message
from argosy.workloads.runtimes.process.ordering import (
    Folders,
    base_environment,
    is_runnable,
    order_for,
    podman_creation,
)
from argosy.workloads.runtimes.process.probing import Kind, Prober
from argosy.workloads.runtimes.process.restarting import Backoff, go_seconds
from argosy.workloads.runtimes.process.sandboxing import podman_words
from argosy.workloads.runtimes.process.sourcing import read_sources
from argosy.workloads.runtimes.runs import Run, Running, Terminated, Waiting

_RETRY_SECONDS: Final = 10.0
# How long a failed pull stands before it is waited out.
_NOTICE_SECONDS: Final = 1.0
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
# The least time between SIGTERM after a hook and SIGKILL, as of kubelets.
_LEAST_GRACE_SECONDS: Final = 2.0


def lost(started_at: datetime | None, now: datetime, container_id: str) -> Terminated:
    """The end of a run that nobody saw, in the kubelet's words."""
    text = "The container could not be located when the pod was terminated"
    return Terminated(
        137, "ContainerStatusUnknown", started_at, now, text, container_id=container_id
    )


class Owner(Protocol):
    """The pod, as its containers see it."""

    @property
    def host(self) -> Host: ...

    @property
    def pod(self) -> Pod: ...

    @property
    def volumes(self) -> Mapping[str, str]: ...

    @property
    def around(self) -> Surroundings: ...

    def report(self) -> None:
        """A container's state has changed."""

    def event(
        self, type_: Literal["Normal", "Warning"], reason: str, message: str, container: str
    ) -> None: ...


class ContainerLife:
    """A container from its pod's start to its end."""

    def __init__(self, owner: Owner, container: Container, waiting: Run) -> None:
        self.container: Final = container
        self._owner = owner
        self._host = owner.host
        self.run = waiting
        self.restarts = 0
        self._pid = 0
        # The run did not end by itself: everything on the node was ended.
        self.was_cut_off = False
        self.started: Final = asyncio.Event()
        self._ended: asyncio.Future[Known] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._probing: asyncio.Task[None] | None = None
        self._backoff = Backoff(owner.host.first_pause_seconds)
        self._cpus: list[int] = []

    @property
    def name(self) -> str:
        return self.container.name

    @property
    def run_name(self) -> str:
        return f"{self._owner.pod.metadata.uid}/{self.name}/{self.restarts}"

    @property
    def pid(self) -> int:
        """The first of the container's processes."""
        if self._host.isolation != "podman":
            return self._pid
        try:
            return int(self._folders.pid_file.read_text())
        except (OSError, ValueError):
            # Not yet, or not any more.
            return 0

    @property
    def _folders(self) -> Folders:
        return Folders(
            self._host.pod_folder(self._owner.pod.metadata.uid), self.name, self.restarts
        )

    @property
    def is_running(self) -> bool:
        return isinstance(self.run.state, Running)

    def adopt(
        self, known: Known, restarts: int, last: Terminated | None, status: ContainerStatus | None
    ) -> None:
        """Take over a run that an earlier Argosy has started; `status` is what it told last."""
        self.restarts = restarts
        is_same = status is not None and status.restart_count == restarts
        self.run = replace(
            self.run,
            last=last,
            started=bool(is_same and status is not None and status.started),
            ready=bool(is_same and status is not None and status.ready),
        )
        self._enter(known, was_started=True)
        if known.code is not None:
            self._take_down(known)

    def remember(self, run: Run) -> None:
        """Take over a state of which no run is left."""
        self.run, self.restarts = run, run.restart_count

    # One run.

    async def once(self) -> Terminated:
        """Run the container once, or wait for the run it is in; how it ended."""
        if self._ended is None and not isinstance(self.run.state, Terminated):
            await self._begin()
        if self._ended is not None:
            # The callback that does this comes a turn later when the end was there first.
            self._take_down(await asyncio.shield(self._ended))
        assert isinstance(self.run.state, Terminated)
        return self.run.state

    async def _begin(self) -> None:
        """Start the command; wait with what its pod lacks for as long as it lacks it."""
        if self._host.isolation != "podman" and not is_runnable(self.container):
            self._wait_with(
                "CreateContainerError",
                f'no command specified: image "{self.container.image}" is recorded, not pulled, so its entry point '
                "is unknown; set command in the pod, give args that begin with a program of this machine, or install "
                "podman to run the image",
            )
            await asyncio.Event().wait()
        image = await self._fetch() if self._host.isolation == "podman" else None
        while True:
            self._starting = asyncio.create_task(self._start(image))
            try:
                # A start is not left half done, whoever cancels: the process would have no owner.
                await asyncio.shield(self._starting)
            except (Misconfigured, StatusError) as problem:
                self._wait_with("CreateContainerConfigError", str(problem))
                await self._host.clock.sleep(_RETRY_SECONDS)
            except OSError as problem:
                # No keeper for a moment, or no room for the container's folders.
                self._wait_with("CreateContainerError", str(problem))
                await self._host.clock.sleep(1.0)
            else:
                return

    async def _fetch(self) -> Image:
        """The image; wait for as long as it can not be had."""
        name, clock, pauses = (
            self.container.image,
            self._host.clock,
            Backoff(self._host.first_pause_seconds),
        )
        pauses.after(0.0)
        while True:
            try:
                return await ensure(
                    name, self.container.image_pull_policy, self._event, clock.monotonic
                )
            except NoImage as problem:
                self._wait_with(problem.reason, str(problem), problem.reason)
                pause = self._host.first_pause_seconds
                if problem.reason == "ErrImagePull":
                    pause = pauses.after(0.0)
                    # The next look of a kubelet finds that it has to wait.
                    await clock.sleep(min(pause, _NOTICE_SECONDS))
                    text = f'Back-off pulling image "{name}"'
                    self._event("Normal", "BackOff", text)
                    text = f"{text}: ErrImagePull: {problem}"
                    self._wait_with("ImagePullBackOff", text, "ImagePullBackOff")
                await clock.sleep(pause)

    async def pause(self, ended: Terminated) -> None:
        """The time between two runs, and the step to the next one."""
        seconds = 0.0
        if ended.started_at is not None and ended.finished_at is not None:
            seconds = (ended.finished_at - ended.started_at).total_seconds()
        pause = self._backoff.after(seconds)
        if pause:
            pod = self._owner.pod.metadata
            full = f"{pod.name}_{pod.namespace}({pod.uid})"
            text = (
                f"back-off {go_seconds(pause)} restarting failed container={self.name} pod={full}"
            )
            self.run = replace(self.run, state=Waiting("CrashLoopBackOff", text), last=ended)
            self._owner.report()
            words = f"Back-off restarting failed container {self.name} in pod {full}"
            self._event("Warning", "BackOff", words)
            await self._host.clock.sleep(pause)
        self.restarts += 1
        self._ended = None
        self.was_cut_off = False
        self.run = replace(self.run, state=Waiting("ContainerCreating"), last=ended)

    def _wait_with(self, reason: str, message: str, told: str = "") -> None:
        self.run = replace(self.run, state=Waiting(reason, message))
        self._owner.report()
        self._owner.event("Warning", "Failed", f"Error: {told or message}", self.name)

    async def _start(self, image: Image | None) -> None:
        pod, host, container = self._owner.pod, self._host, self.container
        folders = self._folders
        base = base_environment(host, pod, folders)
        maps, secrets = needed(container)
        sources = await read_sources(host.client, pod.metadata.namespace, maps, secrets)
        env = build(pod, container, base, sources, self._owner.around)
        argv = command_line(container, env)
        await asyncio.to_thread(folders.make)
        self._bind_cpus()
        order = order_for(host, pod, container, folders, env, argv, self._owner.volumes, self._cpus)
        if image is None:
            self._event("Normal", "Pulled", about_image(host.isolation, container.image))
        else:
            self.run = replace(self.run, image_id=image.reference)
            await self._create(*podman_creation(
                host, pod, container, folders, env, argv, self._owner.volumes, self._cpus, image.id
            ))  # fmt: skip
        self._event("Normal", "Created", "Container created")
        try:
            known = await host.keeping.start(order)
        except Refused as problem:
            self._free_cpus()
            if image is not None:
                await podman(order.after[0])
            self._could_not_start(podman_words(str(problem)) if image else str(problem))
            return
        self._event("Normal", "Started", "Container started")
        self._enter(known)
        self._owner.report()

    @staticmethod
    async def _create(argv: list[str], env: dict[str, str]) -> None:
        told = await podman(argv, env)
        if told.code:
            raise OSError(podman_words(told.error))

    def _bind_cpus(self) -> None:
        """Take processors at once: others are starting too."""
        self._free_cpus()
        taken = self._host.bound_cpus
        self._cpus = choose_cpus(self.container, os.sched_getaffinity(0), taken)
        taken.extend(self._cpus)

    def _free_cpus(self) -> None:
        for cpu in self._cpus:
            self._host.bound_cpus.remove(cpu)
        self._cpus = []

    def _could_not_start(self, why: str) -> None:
        text = f"unable to start container process: {why}"
        now = self._host.clock.now()
        self.run = replace(
            self.run,
            state=Terminated(128, "StartError", _EPOCH, now, text, container_id=self._id()),
            restart_count=self.restarts,
            container_id=self._id(),
        )
        self._owner.report()
        self._event("Warning", "Failed", f"Error: {text}")

    def _enter(self, known: Known, *, was_started: bool = False) -> None:
        """The command has begun."""
        container = self.container
        self.run = replace(
            self.run,
            state=Running(datetime.fromtimestamp(known.started, UTC)),
            restart_count=self.restarts,
            container_id=self._id(),
            started=container.startup_probe is None or (was_started and self.run.started),
            ready=container.readiness_probe is None or (was_started and self.run.ready),
        )
        self._pid = known.pid
        self._ended = self._host.keeping.end_of(known.run)
        self._ended.add_done_callback(lambda future: self._take_down(future.result()))
        if self.run.started:
            self.started.set()
        if known.code is None:
            work = self._watch(known, was_started=was_started)
            self._probing = background(work, f"probes of {known.run}")

    def _take_down(self, known: Known) -> None:
        """The run is over."""
        state = self.run.state
        if not isinstance(state, Running) or known.run != self.run_name:
            return
        if self._probing is not None:
            self._probing.cancel()
        self._free_cpus()
        self.was_cut_off = known.was_cut_off
        self.run = replace(self.run, state=self._terminated(known, state.started_at))
        self._owner.report()

    def _terminated(self, known: Known, started_at: datetime) -> Terminated:
        code = known.code or 0
        if known.is_lost:
            return lost(started_at, self._host.clock.now(), self._id())
        reason = "OOMKilled" if known.was_out_of_memory else "Error" if code else "Completed"
        pod = self._owner.pod.metadata
        folders = self._folders
        folder = self._host.logs / f"{pod.namespace}_{pod.name}_{pod.uid}" / self.name
        log = folder / f"{self.restarts}.log"
        message = termination_message(self.container, folders.termination_log, log, code)
        finished = datetime.fromtimestamp(known.ended, UTC)
        return Terminated(code, reason, started_at, finished, message, container_id=self._id())

    def _id(self) -> str:
        scheme = "podman" if self._host.isolation == "podman" else "process"
        return f"{scheme}://{hashlib.sha256(self.run_name.encode()).hexdigest()}"

    # Hooks and probes.

    async def _watch(self, known: Known, *, was_started: bool) -> None:
        hook = (self.container.lifecycle or {}).get("postStart")
        if hook is not None and not was_started:
            problem = await self._hook(hook, 3600.0)
            if problem is not None:
                self._event("Warning", "FailedPostStartHook", "PostStartHook failed")
                await self.end(self._grace(), "FailedPostStartHook")
                return
        prober = Prober(
            self._host,
            self.container,
            known.run,
            known.started,
            self._address,
            self._probed,
            self._unhealthy,
            self._failed_probe,
        )
        await prober.watch(has_started=was_started and self.run.started)

    def _probed(self, started: bool | None, ready: bool | None) -> None:
        if started:
            self.started.set()
        self.run = replace(
            self.run,
            started=self.run.started if started is None else started,
            ready=self.run.ready if ready is None else ready,
        )
        self._owner.report()

    def _unhealthy(self, kind: Kind, text: str) -> None:
        self._event("Warning", "Unhealthy", text)

    async def _failed_probe(self, kind: Kind, grace: int | None) -> None:
        text = f"Container {self.name} failed {kind.lower()} probe, will be restarted"
        # Apart from this task, which the end of the run cancels.
        work = self.end(self._grace() if grace is None else grace, text)
        await asyncio.shield(background(work, f"end of {self.run_name}"))

    def _grace(self) -> float:
        given = self._owner.pod.spec.termination_grace_period_seconds
        return 30.0 if given is None else float(given)

    async def _hook(self, hook: Mapping[str, object], seconds: float) -> str | None:
        return await run_hook(
            self._host, self.container, self.run_name, hook, self._address, seconds
        )

    @property
    def _address(self) -> str:
        addresses = self._owner.around.pod_ips
        return addresses[0] if addresses else "127.0.0.1"

    # The end.

    async def end(
        self, grace_seconds: float, message: str = "", hurry: asyncio.Event | None = None
    ) -> None:
        """End the run: hook, SIGTERM, and SIGKILL when the grace is over or `hurry` is set."""
        if self._starting is not None and not self._starting.done():
            with contextlib.suppress(Misconfigured, StatusError, OSError):
                await asyncio.shield(self._starting)
        if not self.is_running or self._ended is None:
            return
        self._event("Normal", "Killing", message or f"Stopping container {self.name}")
        deadline = self._host.clock.monotonic() + grace_seconds
        if grace_seconds > 0:
            await self.prepare_stop(grace_seconds)
            await self._host.keeping.signal(self.run_name, signal.SIGTERM)
            if self.has_pre_stop:
                deadline = max(deadline, self._host.clock.monotonic() + _LEAST_GRACE_SECONDS)
            await self._patience(deadline, hurry)
        if not self._ended.done():
            await self._host.keeping.kill(self.run_name)
        self._take_down(await asyncio.shield(self._ended))

    @property
    def has_pre_stop(self) -> bool:
        return "preStop" in (self.container.lifecycle or {})

    async def prepare_stop(self, seconds: float) -> None:
        """Run the hook that comes before SIGTERM, if there is one."""
        hook = (self.container.lifecycle or {}).get("preStop")
        if hook is not None:
            problem = await self._hook(hook, seconds)
            if problem is not None:
                self._event("Warning", "FailedPreStopHook", "PreStopHook failed")

    async def _patience(self, deadline: float, hurry: asyncio.Event | None) -> None:
        assert self._ended is not None
        waits: list[asyncio.Future[object]] = [asyncio.ensure_future(asyncio.shield(self._ended))]
        if hurry is not None:
            waits.append(asyncio.ensure_future(hurry.wait()))
        seconds = max(0.0, deadline - self._host.clock.monotonic())
        waits.append(asyncio.ensure_future(self._host.clock.sleep(seconds)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    def abandon(self) -> None:
        """Let go of the tasks; the process goes on."""
        for task in (self._probing, self._starting):
            if task is not None:
                task.cancel()

    def _event(self, type_: Literal["Normal", "Warning"], reason: str, message: str) -> None:
        self._owner.event(type_, reason, message, self.name)
