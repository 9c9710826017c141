"""`kubectl exec`, `attach` and `port-forward` for containers that are processes.

A command's streams are pipes, or a terminal, that the keeper hands to the command; bytes never pass through the
keeper. The client's side paces both directions. Whoever goes away takes the command along.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import Awaitable, Callable

from argosy.apiserver.specials.streams import ExecRequest, Streams, container_not_found
from argosy.base.errors import InternalError
from argosy.workloads.runtimes.process.descriptors import close_all, read_some, write_all
from argosy.workloads.runtimes.process.executing import beside
from argosy.workloads.runtimes.process.hosts import Host
from argosy.workloads.runtimes.process.keeping import Known
from argosy.workloads.runtimes.process.links import KeeperGone, Refused


async def execute(host: Host, run: str, request: ExecRequest, streams: Streams) -> int:
    """Run a command in the container of a run; its exit code."""
    ends = _Ends.terminal() if request.tty else _Ends.pipes()
    pid = 0
    try:
        order = beside(host, run, request.command, stdin=request.stdin, tty=request.tty)
        try:
            pid, done = await host.keeping.command(order, ends.theirs)
        except Refused as problem:
            raise _not_run(request, problem) from problem
        except KeeperGone as gone:
            raise container_not_found(request.container) from gone
        ends.give_away()
        code = await _attend(ends, streams, done, has_stdin=request.stdin)
        pid = 0
        return code
    finally:
        ends.close()
        if pid:
            await host.keeping.cancel(pid)


def _not_run(request: ExecRequest, problem: Refused) -> InternalError:
    if problem.errno == 0:
        return container_not_found(request.container)
    return InternalError(
        "Internal error occurred: error executing command in container: failed to exec in container: "
        f"failed to start exec: unable to start container process: {problem}"
    )


async def attach(
    host: Host, run: str, request: ExecRequest, streams: Streams, ended: asyncio.Future[Known]
) -> int:
    """Join the streams of a run until it ends; its exit code."""
    ends = _Ends.outputs()
    try:
        try:
            out, error = ends.theirs
            stdin = await host.keeping.attach(run, out, error, stdin=request.stdin)
        except (Refused, KeeperGone) as problem:
            raise container_not_found(request.container) from problem
        ends.give_away()
        if stdin is not None:
            os.set_blocking(stdin, False)
            ends.stdin = stdin
            ends.is_terminal = request.tty

        async def code() -> int:
            known = await asyncio.shield(ended)
            return known.code or 0

        done = asyncio.ensure_future(code())
        return await _attend(ends, streams, done, has_stdin=request.stdin and stdin is not None)
    finally:
        ends.close()


class _Ends:
    """Our ends of a command's streams, and the ones to hand over (`theirs`); -1 is none."""

    def __init__(
        self, stdin: int, stdout: int, stderr: int, theirs: list[int], *, is_terminal: bool = False
    ) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.theirs = theirs
        self.is_terminal = is_terminal
        for one in (stdin, stdout, stderr):
            if one >= 0:
                os.set_blocking(one, False)

    @staticmethod
    def pipes() -> _Ends:
        in_read, in_write = os.pipe()
        out_read, out_write = os.pipe()
        error_read, error_write = os.pipe()
        return _Ends(in_write, out_read, error_read, [in_read, out_write, error_write])

    @staticmethod
    def outputs() -> _Ends:
        out_read, out_write = os.pipe()
        error_read, error_write = os.pipe()
        return _Ends(-1, out_read, error_read, [out_write, error_write])

    @staticmethod
    def terminal() -> _Ends:
        master, slave = pty.openpty()
        return _Ends(os.dup(master), master, -1, [slave, slave, slave], is_terminal=True)

    def give_away(self) -> None:
        """The command has its ends; ours of the same pipes would keep them open."""
        close_all(*set(self.theirs))
        self.theirs = []

    def close_stdin(self) -> None:
        if self.stdin >= 0:
            close_all(self.stdin)
            self.stdin = -1

    def resize(self, width: int, height: int) -> None:
        with contextlib.suppress(OSError):
            size = struct.pack("HHHH", height, width, 0, 0)
            fcntl.ioctl(self.stdin, termios.TIOCSWINSZ, size)

    def close(self) -> None:
        self.give_away()
        self.close_stdin()
        close_all(*(one for one in (self.stdout, self.stderr) if one >= 0))
        self.stdout = self.stderr = -1


async def _attend(
    ends: _Ends, streams: Streams, done: asyncio.Future[int], *, has_stdin: bool
) -> int:
    """Carry bytes both ways until the command has ended and its output is through."""
    outputs = [asyncio.create_task(_carry_out(ends.stdout, streams.write_stdout))]
    if ends.stderr >= 0:
        outputs.append(asyncio.create_task(_carry_out(ends.stderr, streams.write_stderr)))
    aside = []
    if has_stdin:
        aside.append(asyncio.create_task(_carry_in(ends, streams)))
    elif not ends.is_terminal:
        ends.close_stdin()
    if ends.is_terminal:
        aside.append(asyncio.create_task(_follow_size(ends, streams)))
    try:
        code = await done
        # A child in the background may hold the pipe open; what is there by now is enough.
        await asyncio.wait(outputs, timeout=1.0)
        return code
    except KeeperGone:
        return 137
    finally:
        for task in (*outputs, *aside):
            task.cancel()
        await asyncio.gather(*outputs, *aside, return_exceptions=True)


async def _carry_out(descriptor: int, write: Callable[[bytes], Awaitable[None]]) -> None:
    while data := await read_some(descriptor):
        await write(data)


async def _carry_in(ends: _Ends, streams: Streams) -> None:
    with contextlib.suppress(BrokenPipeError):
        while data := await streams.read_stdin():
            await write_all(ends.stdin, data)
    if ends.is_terminal:
        # A terminal has no end of input; ^D asks for one.
        with contextlib.suppress(OSError):
            await write_all(ends.stdin, b"\x04")
    else:
        ends.close_stdin()


async def _follow_size(ends: _Ends, streams: Streams) -> None:
    while True:
        size = await streams.next_size()
        ends.resize(size.width, size.height)
