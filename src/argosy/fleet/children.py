"""A process of a fleet that serves some of its members, for the process that serves the hub.

It is started by `processes` with what it has to do on its standard input, and tells on its standard output where its
clusters are and that they work: one JSON object per line. Its agents reach the hub over HTTPS, each with the token of
its own member and no other right than that. It ends on SIGTERM, and when the other end of its standard input is closed:
then whoever started it is gone, however that came about. On Linux the kernel kills it at that moment, too.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import pickle
import signal
import sys
import threading
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Final

import msgspec

from argosy.base import logs
from argosy.base.collecting import look_rarely, settle
from argosy.base.errors import StatusError
from argosy.client.credentials import Credential, Fixed
from argosy.client.kubeconfig import Connection
from argosy.client.remote import RemoteClient
from argosy.control.assemblies import Assembly
from argosy.fleet.agents import AGENT, MemberAgent
from argosy.fleet.fleets import MembersSettings, assemble_member, hub_token, listen, member_place
from argosy.fleet.loops import loop_factory, until
from argosy.store import DamagedStore, NewerStore, StoreInUse

_STDIN: Final = 0
_STDOUT: Final = 1
_STDERR: Final = 2
_LENGTH_BYTES: Final = 8
# When the parent is gone, an end in order may take this long.
_LEAVE_SECONDS: Final = 5.0
_PR_SET_PDEATHSIG: Final = 1


@dataclass(slots=True, frozen=True)
class Task:
    """What one child has to do: serve these members, which belong to the hub at this address; `doors` are the addresses
    of members that have one of their own there.
    """

    name: str
    parent: int
    settings: MembersSettings
    hub: str
    hub_ca: str
    log_format: str = "text"
    doors: dict[str, str] = field(default_factory=dict)

    def packed(self) -> bytes:
        body = pickle.dumps(self)
        return len(body).to_bytes(_LENGTH_BYTES, "big") + body


class Served(msgspec.Struct, frozen=True):
    """A cluster as a kubeconfig needs it."""

    name: str
    server: str
    ca: str
    token: str


class News(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line to the parent: what is being started, clusters that are served now, that all of them work, or why it
    cannot go on.
    """

    step: str = ""
    served: tuple[Served, ...] = ()
    works: bool = False
    failed: str = ""


def main() -> int:
    """Do the task that the parent sends."""
    look_rarely()
    _die_with_parent()
    # The terminal's Ctrl-C is the parent's; it says here when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    task = _receive()
    if task is None or os.getppid() != task.parent:
        return 1
    logs.configure(task.log_format, fields={"process": task.name})
    tell = _Telling()
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(_run(task, tell))
    except (StoreInUse, DamagedStore, NewerStore, OSError) as error:
        tell(News(failed=str(error)))
        return 1
    except StatusError as error:
        tell(News(failed=error.message))
        return 1
    return 0


async def _run(task: Task, tell: _Telling) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    _watch_parent(loop, stopped)
    await until(stopped, _serve(task, tell))


async def _serve(task: Task, tell: _Telling) -> None:
    settings = task.settings
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        found: list[Assembly | MemberAgent] = []
        for shape in settings.members:
            tell(News(step=shape.name))
            member = await listen(stack, member_place(settings, shape))
            tasks.create_task(member.keep_house())
            hub = await stack.enter_async_context(_hub_client(task, shape.name))
            found += await assemble_member(settings, shape, member, hub)
            tell(News(served=(Served(shape.name, member.address, member.ca, member.token),)))
        for each in found:
            tasks.create_task(each.run())
        for each in found:
            if isinstance(each, Assembly):
                await each.started()
        settle()
        tell(News(works=True))


def _hub_client(task: Task, member: str) -> RemoteClient:
    credential = Credential(hub_token(task.settings.directory, member))
    address = task.doors.get(member, task.hub)
    connection = Connection(address, Fixed(credential), task.hub_ca.encode())
    return RemoteClient(connection, user_agent=AGENT)


class _Telling:
    """The line to the parent. Whatever else is printed here goes to the log."""

    def __init__(self) -> None:
        self._descriptor = os.dup(_STDOUT)
        os.dup2(_STDERR, _STDOUT)

    def __call__(self, news: News) -> None:
        with suppress(BrokenPipeError):
            os.write(self._descriptor, msgspec.json.encode(news) + b"\n")


def _receive() -> Task | None:
    length = _read(_LENGTH_BYTES)
    size = int.from_bytes(length, "big")
    body = _read(size)
    if len(length) < _LENGTH_BYTES or len(body) < size:
        return None
    task = pickle.loads(body)  # noqa: S301  (from the process that started this one)
    assert isinstance(task, Task)
    return task


def _read(size: int) -> bytes:
    """So much of standard input, less if it ends."""
    found = b""
    while len(found) < size and (more := os.read(_STDIN, size - len(found))):
        found += more
    return found


def _watch_parent(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    """Wait in a thread for the end of standard input: it is noticed whatever the loop does."""

    def wait() -> None:
        # Nothing more is sent: this returns when it is closed.
        _read(1)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(stopped.set)
        threading.Event().wait(_LEAVE_SECONDS)
        os._exit(1)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def _die_with_parent() -> None:
    """On Linux, have the kernel end this process with its parent. Stores are written for such ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    # What arrives is of the module by its name.
    from argosy.fleet.children import main as run

    sys.exit(run())
