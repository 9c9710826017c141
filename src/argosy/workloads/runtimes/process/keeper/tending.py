"""One container from its start to its end, as the keeper sees it.

Output is pumped into the log and to those who are attached, a bounded piece at a time, so that one loud container does
not starve the others. A run is over when its first process has ended, nothing it started is left, and its output has
been read to the end; a stray process that holds a pipe open delays that by a second at most.

What does not fit into the pipe of somebody who is attached is lost to them: a slow client never holds up a container,
and the log has everything.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from argosy.workloads.runtimes.process.keeper import processes, spawning
from argosy.workloads.runtimes.process.keeper.logs import LogFile, Stream
from argosy.workloads.runtimes.process.keeper.orders import Order
from argosy.workloads.runtimes.process.keeper.spawning import Spawned, Stdio
from argosy.workloads.runtimes.process.keeper.starting import Sandbox

CHUNK_BYTES: Final = 64 * 1024
DRAIN_SECONDS: Final = 1.0
_KILLED: Final = 128 + signal.SIGKILL
# The longest that podman may take to remove a container.
_AFTER_SECONDS: Final = 30.0
_SWEEPS: Final = 20


class Tended:
    """A run that was ordered. `outputs` are the descriptors to read; -1 stands for what is closed."""

    def __init__(self, order: Order, complain: Callable[[str], None]) -> None:
        self.order: Final = order
        self.pid = 0
        self.started = 0.0
        self.ended = 0.0
        self.code: int | None = None
        self.was_out_of_memory = False
        # It did not end by itself: the keeper was to end everything.
        self.was_cut_off = False
        self.is_closed = False
        self.attached: list[tuple[int, int]] = []
        self.stdin = -1
        self.outputs: dict[int, Stream] = {}
        self.sandbox: Sandbox | None = None
        self._log = LogFile(Path(order.log), complain)
        self._errors = -1
        self._drain_until = 0.0
        # Who clears away behind it.
        self.after = 0
        self._after_until = 0.0
        self._was_killed = False

    def spawn(self) -> Spawned:
        """Fork it; the caller waits for the problems' end before it counts as started."""
        if self.order.tty:
            master, slave = pty.openpty()
            ours, theirs = [master], Stdio(slave, slave, slave, is_terminal=True)
            self.stdin = os.dup(master) if self.order.stdin else -1
            self.outputs = {master: Stream("stdout", self._log)}
        else:
            reading, self.stdin = os.pipe() if self.order.stdin else (os.open(os.devnull, 0), -1)
            out, out_end = os.pipe()
            self._errors, error_end = os.pipe()
            ours, theirs = [out, self._errors], Stdio(reading, out_end, error_end)
            self.outputs = {
                out: Stream("stdout", self._log),
                self._errors: Stream("stderr", self._log),
            }
        for one in ours:
            os.set_blocking(one, False)
        status, status_end = os.pipe() if self.order.program else (-1, -1)
        spawned = spawning.container(self.order, theirs, status_end)
        for one in {*theirs[:3], status_end} - {-1}:
            os.close(one)
        self.pid, self.started = spawned.pid, time.time()
        if status >= 0:
            self.sandbox = Sandbox(self.pid, status)
        if not self.pid:
            # Not even the first fork came about; the reason comes through the pipe.
            self.code, self.ended = 127, self.started
        return spawned

    def pump(self, descriptor: int) -> bool:
        """Take over what is there to read; False at the end of the output."""
        try:
            data = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            # A terminal whose last process has gone.
            data = b""
        if data:
            self.outputs[descriptor].feed(data)
            self._pass_on(data, is_error=descriptor == self._errors)
            return True
        return False

    def end_output(self, descriptor: int) -> None:
        """Close one that has been read to its end."""
        self.outputs.pop(descriptor).finish()
        os.close(descriptor)

    def _pass_on(self, data: bytes, *, is_error: bool) -> None:
        for ends in list(self.attached):
            try:
                os.write(ends[is_error], data)
            except BlockingIOError:
                continue
            except OSError:
                self.detach(ends)

    def attach(self, out: int, error: int) -> None:
        for one in (out, error):
            os.set_blocking(one, False)
            with contextlib.suppress(OSError):
                fcntl.fcntl(one, fcntl.F_SETPIPE_SZ, 1024 * 1024)
        self.attached.append((out, error))

    def detach(self, ends: tuple[int, int]) -> None:
        self.attached.remove(ends)
        for one in ends:
            os.close(one)

    def signal(self, number: int) -> None:
        """To the command and its group; process 1 of a container hands it on."""
        if self.code is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if self.order.isolation in {"namespaces", "podman"}:
                os.kill(self.pid, number)
            elif self.order.isolation == "bubblewrap":
                # The sandbox's own two processes would not hand it on but end.
                for one in processes.descendants(processes.look(), [self.inside])[1:]:
                    os.kill(one.pid, number)
            else:
                os.killpg(self.pid, number)

    def kill(self) -> None:
        """End every process of the container, those that left its group too."""
        if self.code is None:
            self._was_killed = True
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        if self.order.isolation == "namespaces":
            return
        for _ in range(_SWEEPS):
            left = self.members()
            for one in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one.pid, signal.SIGKILL)
            if not left:
                return

    def members(self) -> list[processes.Process]:
        """Its living processes."""
        found = processes.look()
        below = processes.descendants(found, [self.pid])
        known = {one.pid for one in below}
        if self.order.isolation != "namespaces":
            # Orphans have become the keeper's children.
            strays = [one.pid for one in processes.descendants(found, [os.getpid()])[1:]]
            below += [
                found[pid] for pid in processes.marked(strays, self.order.run) if pid not in known
            ]
        return [one for one in below if not one.is_zombie]

    @property
    def inside(self) -> int:
        """A process whose namespaces are the container's; 0 when it has none of its own."""
        if self.order.isolation == "namespaces":
            return self.pid
        return self.sandbox.first if self.sandbox is not None else 0

    def exited(self, code: int) -> None:
        """Its first process has ended."""
        self.code, self.ended = code, time.time()
        self._drain_until = time.monotonic() + DRAIN_SECONDS
        self.kill()
        if self.order.after and not self.after:
            self.after = spawning.afterwards(self.order)
            self._after_until = time.monotonic() + _AFTER_SECONDS

    def cleared(self, code: int) -> None:
        """What had to be cleared away is. Not every machine tells podman who was killed for its memory; but nobody
        else kills the first process of a container with a limit, if we have not.
        """
        self.after = 0
        self._after_until = 0.0
        by_nobody = bool(self.order.verdict) and self.code == _KILLED and not self._was_killed
        self.was_out_of_memory |= code == 1 or by_nobody

    @property
    def is_over(self) -> bool:
        now = time.monotonic()
        if self.code is None or now < self._after_until:
            return False
        return not self.outputs or now >= self._drain_until

    def close(self) -> None:
        """Give back what it held, and write down how it ended."""
        self.is_closed = True
        for descriptor in list(self.outputs):
            self.end_output(descriptor)
        for ends in list(self.attached):
            self.detach(ends)
        self.close_stdin()
        if self.sandbox is not None:
            self.sandbox.close()
        self._log.close()

    def close_stdin(self) -> None:
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def write_down(self) -> None:
        """Keep how it ended, or that it is being cut off, for an Argosy that is not there to hear it."""
        path = Path(self.order.record)
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        half.write_text(json.dumps(self.told()))
        half.replace(path)

    def told(self) -> dict[str, Any]:
        """The run in words for Argosy."""
        return {
            "run": self.order.run,
            "pid": self.pid,
            "started": self.started,
            "ended": self.ended,
            "code": self.code,
            "outOfMemory": self.was_out_of_memory,
            "cutOff": self.was_cut_off,
            "isolation": self.order.isolation,
        }
