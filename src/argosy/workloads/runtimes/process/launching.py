"""Starting the keeper, and finding one that an earlier Argosy has left.

The keeper listens on `STATE/keeper.sock`. Its process gets the listening socket as standard input, so it can be
talked to from the first moment. It runs without the rest of the project: packages on the way to its modules are
empty shells there, which keeps it at a few megabytes and its forks fast.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_SOCKET: Final = "keeper.sock"
_BOOT: Final = """\
import sys, types
name, folder = "", sys.argv.pop(1)
for part in "argosy.workloads.runtimes.process".split("."):
    name, folder = f"{name}.{part}".lstrip("."), f"{folder}/{part}"
    shell = sys.modules[name] = types.ModuleType(name)
    shell.__path__ = [folder]
from argosy.workloads.runtimes.process.keeper import __main__
"""


def connect(state: Path) -> socket.socket | None:
    """A connection to the keeper of a state directory; None if there is no keeper."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(state) as address:
            connection.connect(address)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    return connection


def launch(state: Path, orphan_seconds: float) -> int:
    """Start a keeper where there is none; its pid. It leaves our session, so no terminal's signal reaches it."""
    (state / _SOCKET).unlink(missing_ok=True)
    source = Path(__file__).parents[4]
    argv = [sys.executable, "-I", "-S", "-c", _BOOT, str(source), str(orphan_seconds)]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        with _address(state) as address:
            listener.bind(address)
        listener.listen(4)
        (state / _SOCKET).chmod(0o600)
        log = os.open(state / "keeper.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            return os.posix_spawn(
                sys.executable,
                argv,
                {"PATH": os.defpath},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, listener.fileno(), 0),
                    (os.POSIX_SPAWN_DUP2, log, 1),
                    (os.POSIX_SPAWN_DUP2, log, 2),
                ],
                setsid=True,
            )
        finally:
            os.close(log)


@contextlib.contextmanager
def _address(state: Path) -> Iterator[str]:
    """The socket's path, however deep the directory: the kernel allows 107 bytes."""
    folder = os.open(state, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{_SOCKET}"
    finally:
        os.close(folder)
