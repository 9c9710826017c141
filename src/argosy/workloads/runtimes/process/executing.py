"""Commands beside a container that Argosy itself runs: probes and hooks. Their output is kept, up to a bound."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from typing import Final, NamedTuple

from argosy.workloads.runtimes.process.descriptors import close_all, read_some
from argosy.workloads.runtimes.process.hosts import Host
from argosy.workloads.runtimes.process.keeper.orders import Command
from argosy.workloads.runtimes.process.links import KeeperGone, Refused
from argosy.workloads.runtimes.process.sandboxing import podman_exec

MAX_OUTPUT_BYTES: Final = 10 * 1024


class Done(NamedTuple):
    """How a command ended; no code when it took too long or could not be started."""

    code: int | None
    output: str


def beside(
    host: Host, run: str, argv: Sequence[str], *, stdin: bool = False, tty: bool = False
) -> Command:
    """The order for a command in a run's container."""
    if host.isolation == "podman":
        argv = podman_exec(podman_name(run), argv, stdin=stdin, tty=tty)
        return Command(run, list(argv), inside=False, tty=tty)
    return Command(run, list(argv), {"TERM": "xterm"} if tty else {}, tty=tty)


def podman_name(run: str) -> str:
    return "argosy-" + run.replace("/", "-")


async def capture(host: Host, run: str, argv: Sequence[str], timeout_seconds: float) -> Done:
    """Run a command to its end."""
    reading, writing = os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.set_blocking(reading, False)
    pid = 0
    try:
        async with asyncio.timeout(timeout_seconds):
            order = beside(host, run, argv)
            try:
                pid, done = await host.keeping.command(order, [nothing, writing, writing])
            except Refused as problem:
                return Done(None, str(problem))
            close_all(writing)
            writing = -1
            output = await _collect(reading, done)
            code = await done
            pid = 0
            return Done(code, output.decode(errors="replace"))
    except TimeoutError:
        return Done(
            None, f"command timed out: {' '.join(argv)!r} timed out after {timeout_seconds:g}s"
        )
    except KeeperGone as gone:
        return Done(None, str(gone))
    finally:
        close_all(*(one for one in (reading, writing, nothing) if one >= 0))
        if pid:
            await host.keeping.cancel(pid)


async def _collect(reading: int, done: asyncio.Future[int]) -> bytes:
    """Output until the command ends; a child that lives on keeps the pipe open but is not waited for."""
    output = b""
    while True:
        reader = asyncio.ensure_future(read_some(reading))
        await asyncio.wait((reader, done), return_when=asyncio.FIRST_COMPLETED)
        if not reader.done():
            reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reader
            return output
        data = reader.result()
        if not data:
            return output
        output = (output + data)[:MAX_OUTPUT_BYTES]
