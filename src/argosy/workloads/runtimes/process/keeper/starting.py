"""When a sandbox's command has begun, and why it has not: what bubblewrap tells, and what can be seen of it.

A forked child that becomes bubblewrap has not begun the container's command: the sandbox is made first, and somebody
who entered it then would see the host. bubblewrap tells the pid of the sandbox's process 1 through a pipe, and at the
end the command's exit code, but only if the command was begun. In between, the command has begun when process 1 has a
child that is no longer a copy of bubblewrap (nor setpriv, which changes the user on the way). A sandbox that ends
without an exit code has failed, and so has a setpriv that says so: the last words say why, and are put as container
runtimes put them.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Final

# How often a sandbox that is being made is looked at; it takes some ten milliseconds.
LOOK_SECONDS: Final = 0.005
_PREFIX: Final = "bwrap: "
_EXECS: Final = ("bwrap: execvp ", "setpriv: failed to execute ")
_SETPRIV: Final = b"setpriv\0"


class Sandbox:
    """One bubblewrap: `pid` is its outer process, `status` the pipe it tells its state through."""

    def __init__(self, pid: int, status: int) -> None:
        self._pid = pid
        self._status = status
        self._told = b""
        # Process 1 of the sandbox, as seen from outside; 0 as long as there is none.
        self.first = 0
        # The command, or what was to become it, has ended.
        self.has_ended = False
        os.set_blocking(status, False)

    def has_begun(self) -> bool:
        """Whether the command runs, or has run."""
        self._read()
        if self.has_ended or not self.first:
            return self.has_ended
        own = _command_line(self._pid)
        lines = [_command_line(child) for child in _children(self.first)]
        return any(line not in {own, b""} and not line.startswith(_SETPRIV) for line in lines)

    def close(self) -> None:
        if self._status >= 0:
            os.close(self._status)
            self._status = -1

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._status >= 0:
                data = os.read(self._status, 4096)
                if not data:
                    self.close()
                self._told += data
        *lines, self._told = self._told.split(b"\n")
        for line in lines:
            told = json.loads(line)
            self.first = told.get("child-pid", self.first)
            self.has_ended |= "exit-code" in told


def why_not(program: str, log: Path) -> str:
    """The reason why a sandbox has not begun its command, from the last line it has logged."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError as error:
        return f"the sandbox has failed, and its words are lost: {error}"
    words = [line.split(" ", 3)[-1] for line in lines]
    last = next((one for one in reversed(words) if one.startswith((_PREFIX, *_EXECS))), "")
    if not last:
        return "the sandbox has failed without a word"
    if not last.startswith(_EXECS):
        return f"bubblewrap: {last.removeprefix(_PREFIX)}"
    problem = last.rpartition(": ")[2].lower()
    if problem != "no such file or directory":
        return f'exec: "{program}": {problem}'
    if "/" in program:
        return f'exec: "{program}": stat {program}: {problem}'
    return f'exec: "{program}": executable file not found in $PATH'


def has_refused(log: Path) -> bool:
    """Whether all that was logged is that the user was changed for nothing."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return False
    return len(lines) == 1 and lines[0].split(" ", 3)[-1].startswith(_EXECS[1])


def _children(pid: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
