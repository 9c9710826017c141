"""A whole fleet, run from its state directory until somebody tells it to end.

With one process, hub and members share it. With more, this one serves the hub and supervises the others, which serve
the members (`processes`). Starting may be interrupted at any moment; whatever was begun is closed again, in reverse
order. Members end before the hub, so that their agents' last words are heard.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, Protocol, TypeAlias

import msgspec

from argosy import __version__
from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.base.types import Object
from argosy.client.credentials import Credential, Fixed
from argosy.client.kubeconfig import Connection
from argosy.client.local import LocalClient
from argosy.client.protocol import Client
from argosy.control.assemblies import Assembly
from argosy.fleet import kubeconfigs, runs
from argosy.fleet.agents import AGENT, MemberAgent, hub_user
from argosy.fleet.children import News, Task
from argosy.fleet.clusters import Listening, check_port
from argosy.fleet.doors import Doors
from argosy.fleet.fleets import (
    HUB,
    FleetSettings,
    assemble_member,
    hub_place,
    hub_token,
    joined,
    listen,
    member_place,
)
from argosy.fleet.founding import found_member
from argosy.fleet.hubs import assemble_hub
from argosy.fleet.kubeconfigs import Context, KubeconfigError
from argosy.fleet.loops import until
from argosy.fleet.processes import Child, supervised
from argosy.fleet.runs import ProcessRun, Run, RunFile
from argosy.fleet.states import FleetRecord, State, opened
from argosy.fleet.stopping import Interrupted, Stopping

_LOG: Final = logging.getLogger(__name__)
# Whom the servers see of who looks at the fleet from within.
_SCREEN: Final = "argosy-screen"

# Is told what is being started.
Tell: TypeAlias = Callable[[str], None]


class Beside(Protocol):
    """Runs while the fleet is up, and is cancelled at its end; gets clients of the hub and, by name, of members."""

    def __call__(self, hub: Client, members: Callable[[str], Client]) -> Awaitable[None]: ...

    def clear(self) -> None:
        """There is no time to end in order."""


def _quietly(step: str) -> None:
    """Nobody listens."""


async def up(
    settings: FleetSettings,
    ready: Callable[[str], None],
    *,
    tell: Tell = _quietly,
    beside: Beside | None = None,
    doors: Doors | None = None,
) -> None:
    """Run the fleet until SIGTERM or SIGINT; `ready` gets the line that says it is up. With `doors`, agents reach the
    hub through them. Raises Interrupted if it was told to end before.
    """
    check_port(settings.port)
    with opened(settings.directory) as state:
        stopping = Stopping()
        stopping.listen()
        fleet = _Fleet(settings, state, tell, beside, doors)
        stopping.force = fleet.clear
        try:
            await until(stopping.wanted, fleet.run(ready))
        finally:
            fleet.file.remove()
        if not fleet.is_ready:
            raise Interrupted


class _Fleet:
    """One run of a fleet."""

    def __init__(
        self,
        settings: FleetSettings,
        state: State,
        tell: Tell,
        beside: Beside | None,
        doors: Doors | None,
    ) -> None:
        self._settings = settings
        self._state = state
        self._tell = tell
        self._beside = beside
        self._doors = doors
        # Where agents find the hub that have a door of their own.
        self._addresses: dict[str, str] = {}
        self._members: dict[str, Listening] = {}
        self._contexts: dict[str, Context] = {}
        self._children: list[Child] = []
        self.is_ready = False
        self._record()
        names = tuple(shape.name for shape in settings.members)
        here = runs.this_process(HUB, (HUB, *names) if settings.processes == 1 else (HUB,))
        self.file: Final = RunFile(settings.directory, _run(here))

    def clear(self) -> None:
        """There is no time to end in order."""
        if self._beside is not None:
            self._beside.clear()
        for child in self._children:
            child.kill()
        self.file.remove()
        if not self._settings.keeps:
            shutil.rmtree(self._settings.directory, ignore_errors=True)

    async def run(self, ready: Callable[[str], None]) -> None:
        shapes, begun = self._settings.members, RealClock().now()
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
            self._say(HUB)
            hub = await listen(stack, hub_place(self._settings))
            self._serve(HUB, [hub.context()])
            tasks.create_task(hub.keep_house())
            await self._build_doors(stack, hub)
            members = self._here(hub) if self._settings.processes == 1 else self._elsewhere(hub)
            async with members as working:
                works = await assemble_hub(
                    hub.server, clock=RealClock(), ids=RandomIds(), settings=self._settings.hub
                )
                tasks.create_task(works.run())
                await works.started()
                for shape in shapes:
                    await found_member(hub, shape, self._settings.founding)
                await working()
                self._write_kubeconfig()
                self._say("members join the hub")
                await joined(hub, [shape.name for shape in shapes], begun)
                self.is_ready = True
                self._settle()
                self.file.say(state=runs.READY)
                ready(self._line(hub))
                async with _beside(self._work_beside(hub)):
                    await asyncio.get_running_loop().create_future()

    async def _build_doors(self, stack: AsyncExitStack, hub: Listening) -> None:
        if self._doors is None:
            return
        stack.push_async_callback(self._doors.stop)
        for shape in self._settings.members:
            self._addresses[shape.name] = await self._doors.build(hub, shape.name)

    async def _hub_client(self, stack: AsyncExitStack, hub: Listening, member: str) -> Client:
        """The hub for the agent of a member of this process: straight to it, unless there is a door."""
        if (address := self._addresses.get(member)) is None:
            return LocalClient(hub.server, hub_user(member), agent=AGENT)
        from argosy.client.remote import (
            RemoteClient,  # HTTP is not loaded by a fleet in one process
        )

        credential = Credential(hub_token(self._settings.directory, member))
        connection = Connection(address, Fixed(credential), hub.ca.encode())
        return await stack.enter_async_context(RemoteClient(connection, user_agent=AGENT))

    @asynccontextmanager
    async def _here(self, hub: Listening) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        """The members in this process, for the length of a block; they begin when what it gets is awaited."""
        part = self._settings.part(self._settings.members)

        async def begin() -> None:
            found: list[Assembly | MemberAgent] = []
            for shape in part.members:
                self._say(self._step(shape.name))
                member = await listen(stack, member_place(part, shape))
                self._members[shape.name] = member
                self._serve(HUB, [member.context()])
                tasks.create_task(member.keep_house())
                client = await self._hub_client(stack, hub, shape.name)
                found += await assemble_member(part, shape, member, client)
            for each in found:
                tasks.create_task(each.run())
            for each in found:
                if isinstance(each, Assembly):
                    await each.started()

        async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
            yield begin

    @asynccontextmanager
    async def _elsewhere(self, hub: Listening) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        """The members in other processes, for the length of a block; what it gets waits until they work."""
        self._children = [
            Child(
                Task(
                    f"members-{number}",
                    os.getpid(),
                    part,
                    hub.address,
                    hub.ca,
                    self._settings.log_format,
                    self._addresses,
                ),
                self._hear,
                self._changed,
            )
            for number, part in enumerate(self._settings.parts(), 1)
        ]
        run = self.file.run
        run.processes = (*run.processes, *(child.record for child in self._children))

        async def working() -> None:
            for child in self._children:
                await child.working()

        async with supervised(self._children):
            yield working

    def _work_beside(self, hub: Listening) -> Awaitable[None] | None:
        if self._beside is None:
            return None
        return self._beside(LocalClient(hub.server, ADMIN, agent=_SCREEN), self._member_client)

    def _member_client(self, name: str) -> Client:
        """Straight to a member of this process, over HTTPS to one of another; LookupError for one that is nowhere."""
        if (here := self._members.get(name)) is not None:
            return LocalClient(here.server, ADMIN, agent=_SCREEN)
        from argosy.client.remote import (
            RemoteClient,  # HTTP is not loaded by a fleet in one process
        )

        at = self._contexts[name]
        connection = Connection(at.server, Fixed(Credential(at.token)), at.ca)
        return RemoteClient(connection, user_agent=_SCREEN)

    def _changed(self, child: Child) -> None:
        """Another process has begun, or has ended."""
        if child.record.pid == 0:
            self.file.unserve(child.record.name)
        self.file.write()

    def _hear(self, child: Child, news: News) -> None:
        """What another process says."""
        if news.step and not self.is_ready:
            self._say(self._step(news.step))
        if news.served:
            contexts = [
                Context(each.name, each.server, each.ca.encode(), each.token)
                for each in news.served
            ]
            is_moved = any(self._contexts.get(each.name) != each for each in contexts)
            self._serve(child.record.name, contexts)
            if is_moved and self.is_ready:
                self._rewrite_kubeconfig()

    def _step(self, member: str) -> str:
        names = [shape.name for shape in self._settings.members]
        return f"{member} ({names.index(member) + 1} of {len(names)})"

    def _say(self, step: str) -> None:
        self._tell(step)
        self.file.say(step=step)

    def _serve(self, process: str, contexts: Sequence[Context]) -> None:
        """Note where clusters are."""
        self._contexts |= {each.name: each for each in contexts}
        self.file.serve(process, {each.name: each.server for each in contexts})

    def _write_kubeconfig(self) -> None:
        order = [HUB, *(shape.name for shape in self._settings.members)]
        contexts = [self._contexts[name] for name in order if name in self._contexts]
        owner = str(self._settings.directory)
        kubeconfigs.merge(self._settings.kubeconfig, contexts, owner=owner, current=True)
        if self._settings.merged is not None:
            kubeconfigs.merge(self._settings.merged, contexts, owner=owner)

    def _rewrite_kubeconfig(self) -> None:
        """A cluster has moved while the fleet goes on."""
        try:
            self._write_kubeconfig()
        except (KubeconfigError, OSError) as error:
            _LOG.warning("the kubeconfig is not up to date: %s", error)

    def _record(self) -> None:
        """Write down what the fleet is, before anything of it is there."""
        settings, owner = self._settings, str(self._settings.directory)
        names = [HUB, *(shape.name for shape in settings.members)]
        for path in (settings.kubeconfig, settings.merged):
            if path is not None:
                kubeconfigs.check_mergeable(path, names, owner=owner)
        shapes: tuple[Object, ...] = msgspec.to_builtins(settings.members)
        before: list[Object] = msgspec.to_builtins(
            [each for olds in settings.founding.before.values() for each in olds]
        )
        record = FleetRecord(
            kubeconfig=str(settings.kubeconfig.absolute()),
            merged=str(settings.merged or ""),
            members=tuple(shapes),
            before=tuple(before),
        )
        self._state.write(record)

    def _settle(self) -> None:
        """Everything that is new has been brought."""
        record = self._state.record
        assert record is not None
        names = {shape.name for shape in self._settings.members}
        # A member that is not run now has what it had, and may come back.
        left = tuple(each for each in record.before if each["name"] not in names)
        if left == record.before:
            return
        try:
            self._state.write(msgspec.structs.replace(record, before=left))
        except OSError as error:
            _LOG.warning("the next start will bring the members' shapes once more: %s", error)

    def _line(self, hub: Listening) -> str:
        contexts = ", ".join([HUB, *(member.name for member in self._settings.members)])
        return (
            f"argosy: the fleet is ready; hub at {hub.address} "
            f"(kubeconfig {self._settings.kubeconfig}, contexts {contexts})"
        )


def _run(*processes: ProcessRun) -> Run:
    return Run(
        pid=processes[0].pid, started=runs.now(), argosy=__version__, processes=tuple(processes)
    )


@asynccontextmanager
async def _beside(work: Awaitable[None] | None) -> AsyncIterator[None]:
    """Have it done for the length of a block. A screen that fails does not end a fleet."""
    if work is None:
        yield
        return
    task = asyncio.ensure_future(work)
    task.add_done_callback(_failure)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))


def _failure(task: asyncio.Future[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.error("what ran beside the fleet failed", exc_info=error)
