"""The keeper's loop: requests from Argosy, output of containers, children that end, and time.

Requests and answers are lines of JSON on a Unix socket; descriptors travel beside them. One Argosy is served at a
time, the newest: the one before has ended. A request is `{"id": n, "op": name, ...}` and is answered by
`{"id": n, ...}`; what happens by itself is told as `{"event": name, ...}`.

    hello     what runs and what has ended          start    an order; answered when its command has started
    signal    to a container                        kill     every process of a container
    exec      a command beside a container          cancel   such a command
    attach    descriptors for output from now on; the answer brings the one for input
    forget    a run that is over                    shutdown end everything, then the keeper
    announce  that a shutdown will come: what ends from now on is cut off

Nobody connected: containers go on for the orphan time, then they are ended. A keeper without containers and without
Argosy ends at once.

When everything is ended, runs that had not ended by themselves are cut off: that is written down before they get a
signal, so nobody takes what they answer to it for their result, whoever is killed meanwhile. A keeper that is leaving
starts nothing and lets an Argosy that comes wait for its end.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from argosy.workloads.runtimes.process.keeper import kernel, processes, spawning
from argosy.workloads.runtimes.process.keeper.orders import VERSION, Command, Order
from argosy.workloads.runtimes.process.keeper.spawning import Stdio
from argosy.workloads.runtimes.process.keeper.starting import LOOK_SECONDS, has_refused, why_not
from argosy.workloads.runtimes.process.keeper.tending import Tended

Message = dict[str, Any]
WATCH_SECONDS: Final = 0.2
KILL_AFTER_SECONDS: Final = 10.0
# Exit codes of those who could not execute a command.
_NOT_EXECUTED: Final = frozenset({126, 127})
_MAX_DESCRIPTORS: Final = 8


class Keeper:
    """Owns the processes of one state directory."""

    def __init__(self, listener: socket.socket, orphan_seconds: float) -> None:
        self._listener = listener
        self._orphan_seconds = orphan_seconds
        self._selector = selectors.DefaultSelector()
        self._client: socket.socket | None = None
        self._heard = b""
        self._descriptors: deque[int] = deque()
        self._unsent: deque[tuple[bytes, list[int]]] = deque()
        self._runs: dict[str, Tended] = {}
        self._commands: dict[int, int] = {}  # pid -> the id of the request
        self._sandboxes: list[tuple[int, Tended]] = []  # being made, with the id of the request
        self._alone_since: float | None = time.monotonic()
        self._kill_at: float | None = None
        self._is_leaving = False
        self._watched = 0.0

    def run(self) -> None:
        """Work until there is nothing left to keep."""
        kernel.adopt_orphans()
        wake, waker = socket.socketpair()
        for one in (wake, waker, self._listener):
            one.setblocking(False)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._leave(KILL_AFTER_SECONDS))
        self._register(wake, lambda: wake.recv(4096))
        self._register(self._listener, self._accept)
        while not self._is_done():
            events = self._selector.select(self._patience())
            for act in (*(key.data for key, _ in events), self._reap, self._look_after):
                try:
                    act()
                except Exception:  # noqa: BLE001  (one defect must not end all containers)
                    traceback.print_exc()

    def _register(self, what: socket.socket | int, act: Callable[[], Any]) -> None:
        self._selector.register(what, selectors.EVENT_READ, act)

    def _is_done(self) -> bool:
        if self._unfinished():
            # They run, or it is not written down yet how they ended.
            return False
        if self._is_leaving:
            return not self._unsent
        alone = self._alone_since
        # A moment for an Argosy that has just started us, or comes back at once.
        return alone is not None and time.monotonic() - alone > min(5.0, self._orphan_seconds)

    def _patience(self) -> float | None:
        if self._sandboxes:
            return LOOK_SECONDS
        if self._unsent or any(
            one.order.memory_bytes or one.code is not None for one in self._unfinished()
        ):
            return WATCH_SECONDS
        return None if self._client is not None and not self._is_leaving else 0.5

    def _unfinished(self) -> list[Tended]:
        return [one for one in self._runs.values() if not one.is_closed]

    # Argosy comes, asks and goes.

    def _accept(self) -> None:
        accepted, _ = self._listener.accept()
        self._part()
        accepted.setblocking(False)
        self._client, self._heard, self._alone_since = accepted, b"", None
        self._register(accepted, self._hear)

    def _part(self) -> None:
        """The connection is over: commands run for nobody now."""
        if self._client is not None:
            self._selector.unregister(self._client)
            self._client.close()
            self._client, self._alone_since = None, time.monotonic()
        self._unsent.clear()
        while self._descriptors:
            os.close(self._descriptors.popleft())
        for pid in list(self._commands):
            self._end_command(pid)

    def _hear(self) -> None:
        assert self._client is not None
        try:
            data, descriptors, _, _ = socket.recv_fds(self._client, 1 << 16, _MAX_DESCRIPTORS)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        self._descriptors.extend(descriptors)
        if not data:
            self._part()
            return
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            self._answer(json.loads(line))

    def _answer(self, asked: Message) -> None:
        given = [self._descriptors.popleft() for _ in range(asked.get("descriptors", 0))]
        act = getattr(self, f"_on_{asked['op']}")
        try:
            answer = act(asked, given)
        except OSError as error:
            answer = {"problem": {"errno": error.errno, "text": str(error)}}
        if answer is not None:
            self._tell({"id": asked["id"], **answer})

    def _tell(self, message: Message, descriptors: list[int] | None = None) -> None:
        if self._client is not None:
            self._unsent.append((json.dumps(message).encode() + b"\n", descriptors or []))
            self._send()

    def _send(self) -> None:
        while self._unsent and self._client is not None:
            data, descriptors = self._unsent.popleft()
            try:
                if descriptors:
                    sent = socket.send_fds(self._client, [data], descriptors)
                else:
                    sent = self._client.send(data)
            except BlockingIOError:
                self._unsent.appendleft((data, descriptors))
                return
            except OSError:
                return
            if sent < len(data):
                self._unsent.appendleft((data[sent:], []))

    # Requests.

    def _on_hello(self, asked: Message, given: list[int]) -> Message:
        if not self._is_leaving:
            # Whoever announced a shutdown has not come to it.
            self._cut_off(value=False)
        return {
            "version": VERSION,
            "pid": os.getpid(),
            "leaving": self._is_leaving,
            "runs": [one.told() for one in self._runs.values()],
        }

    def _on_start(self, asked: Message, given: list[int]) -> None:
        if self._is_leaving:
            # The end of the connection is the answer.
            return
        order = Order.read(asked["order"])
        tended = Tended(
            order,
            lambda text: self._tell({"event": "trouble", "run": order.run, "text": text}),
        )
        spawned = tended.spawn()
        self._runs[order.run] = tended
        for one in tended.outputs:
            self._register(one, lambda one=one: self._pump(tended, one))  # type: ignore[misc]
        self._await_start(asked["id"], spawned.problems, tended)

    def _await_start(self, id_: int, problems: int, tended: Tended | None, pid: int = 0) -> None:
        """Answer when the child says what is wrong, or begins its command and so says nothing."""

        def heard() -> None:
            data = os.read(problems, 4096)
            self._selector.unregister(problems)
            os.close(problems)
            if data:
                if tended is not None:
                    self._failed_to_start(tended)
                self._commands.pop(pid, None)
                self._tell({"id": id_, "problem": json.loads(data)})
            elif tended is not None and tended.sandbox is not None:
                self._sandboxes.append((id_, tended))
            else:
                told = tended.told() if tended is not None else {"pid": pid}
                self._tell({"id": id_, **told})

        self._register(problems, heard)

    def _look_at_sandboxes(self) -> None:
        """Answer for those that are made, and for those that could not be."""
        for one in list(self._sandboxes):
            id_, tended = one
            assert tended.sandbox is not None
            has_begun = tended.sandbox.has_begun()
            if tended.sandbox.has_ended and tended.code is None:
                # Whether it was the command or the change of user that ended is told by what it said, in a moment.
                continue
            if tended.code is not None:
                # What it said is in the log by then.
                for descriptor in list(tended.outputs):
                    self._pump(tended, descriptor)
                if tended.order.is_dropping and tended.code in _NOT_EXECUTED:
                    has_begun &= not has_refused(Path(tended.order.log))
            if has_begun:
                self._tell({"id": id_, **tended.told()})
            elif tended.code is not None:
                self._failed_to_start(tended)
                text = why_not(tended.order.program, Path(tended.order.log))
                # These were not the container's words.
                Path(tended.order.log).unlink(missing_ok=True)
                self._tell({"id": id_, "problem": {"errno": 0, "text": text}})
            else:
                continue
            self._sandboxes.remove(one)

    def _failed_to_start(self, tended: Tended) -> None:
        for one in tended.outputs:
            self._selector.unregister(one)
        tended.close()
        self._runs.pop(tended.order.run, None)

    def _on_signal(self, asked: Message, given: list[int]) -> Message:
        tended = self._runs.get(asked["run"])
        if tended is not None and tended.code is None:
            tended.signal(asked["signal"])
        return {}

    def _on_kill(self, asked: Message, given: list[int]) -> Message:
        tended = self._runs.get(asked["run"])
        if tended is not None and tended.code is None:
            tended.kill()
        return {}

    def _on_exec(self, asked: Message, given: list[int]) -> Message | None:
        order = Command(**asked["command"])
        tended = self._runs.get(order.run)
        try:
            if tended is None or tended.code is not None:
                return {"problem": {"errno": 0, "text": "container not running"}}
            order.like(tended.order)
            target = tended.inside if order.inside else 0
            stdio = Stdio(given[0], given[1], given[2], is_terminal=order.tty)
            spawned = spawning.command(order, stdio, target)
        finally:
            for one in given:
                os.close(one)
        self._commands[spawned.pid] = asked["id"]
        self._await_start(asked["id"], spawned.problems, None, spawned.pid)
        return None

    def _on_cancel(self, asked: Message, given: list[int]) -> Message:
        self._end_command(asked["pid"])
        return {}

    def _end_command(self, pid: int) -> None:
        if pid in self._commands:
            for one in reversed(processes.descendants(processes.look(), [pid])):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one.pid, signal.SIGKILL)

    def _on_attach(self, asked: Message, given: list[int]) -> Message | None:
        tended = self._runs.get(asked["run"])
        if tended is None or tended.code is not None:
            for one in given:
                os.close(one)
            return {"problem": {"errno": 0, "text": "container not running"}}
        tended.attach(given[0], given[1])
        stdin = [tended.stdin] if asked["stdin"] and tended.stdin >= 0 else []
        self._tell({"id": asked["id"], "descriptors": len(stdin)}, stdin)
        if stdin and tended.order.stdin_once and not self._unsent:
            # It is the client's alone now, and ends with it.
            tended.close_stdin()
        return None

    def _on_forget(self, asked: Message, given: list[int]) -> Message:
        tended = self._runs.get(asked["run"])
        if tended is not None and tended.is_over:
            del self._runs[asked["run"]]
        return {}

    def _on_announce(self, asked: Message, given: list[int]) -> Message:
        self._reap()
        self._cut_off(value=True)
        return {}

    def _cut_off(self, *, value: bool) -> None:
        """Take down that whatever runs does not end by itself."""
        for tended in self._runs.values():
            if tended.code is None and tended.was_cut_off != value:
                tended.was_cut_off = value
                self._write_down(tended)

    def _on_shutdown(self, asked: Message, given: list[int]) -> Message:
        # Those that have ended by themselves just now are not cut off.
        self._reap()
        self._leave(asked["grace"])
        return {}

    def _leave(self, grace: float) -> None:
        """Cut everything off, and end."""
        self._is_leaving = True
        kill_at = time.monotonic() + grace
        # Asked again it may only be sooner.
        self._kill_at = kill_at if self._kill_at is None else min(self._kill_at, kill_at)
        self._cut_off(value=True)
        for tended in self._runs.values():
            tended.signal(signal.SIGTERM)

    # What happens by itself.

    def _pump(self, tended: Tended, descriptor: int) -> None:
        if not tended.pump(descriptor):
            self._selector.unregister(descriptor)
            tended.end_output(descriptor)

    def _reap(self) -> None:
        """Learn who ended; orphans that nobody asked about are only waited for."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            code = code if code >= 0 else 128 - code
            if pid in self._commands:
                self._tell({"event": "done", "command": self._commands.pop(pid), "code": code})
            for tended in self._runs.values():
                if tended.pid == pid and tended.code is None:
                    tended.exited(code)
                elif tended.after == pid:
                    tended.cleared(code)

    def _look_after(self) -> None:
        now = time.monotonic()
        self._send()
        self._look_at_sandboxes()
        for tended in self._runs.values():
            if tended.is_over and not tended.is_closed:
                self._finish(tended)
        if now - self._watched >= WATCH_SECONDS:
            self._watched = now
            self._watch_memory()
        alone = self._alone_since
        if alone is not None and now - alone > self._orphan_seconds and self._kill_at is None:
            self._leave(KILL_AFTER_SECONDS)
        if self._kill_at is not None and now >= self._kill_at:
            for tended in self._runs.values():
                if tended.code is None:
                    tended.kill()

    def _finish(self, tended: Tended) -> None:
        for one in tended.outputs:
            self._selector.unregister(one)
        tended.close()
        self._write_down(tended)
        self._tell({"event": "ended", **tended.told()})

    @staticmethod
    def _write_down(tended: Tended) -> None:
        try:
            tended.write_down()
        except OSError as error:
            print(f"{tended.order.run}: {error}", file=sys.stderr)

    def _watch_memory(self) -> None:
        limited = [
            one for one in self._runs.values() if one.order.memory_bytes and one.code is None
        ]
        if not limited:
            return
        found = processes.look()
        for tended in limited:
            below = processes.descendants(found, [tended.pid])
            if sum(one.memory_bytes for one in below) <= tended.order.memory_bytes:
                continue
            # Shared pages were counted for everybody; look closer.
            shares = sum(processes.proportional_bytes(one.pid) for one in below)
            if shares > tended.order.memory_bytes:
                tended.was_out_of_memory = True
                tended.kill()
