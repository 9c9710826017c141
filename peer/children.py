"""Child processes that cannot outlive us, and ports for them.

A child ends with its `with` block: SIGTERM, ten seconds, SIGKILL. It also ends when this process
dies in any way at all, because it asks the kernel (PR_SET_PDEATHSIG) for SIGKILL when its parent
goes; an interrupted benchmark leaves no servers behind.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

STOP_SECONDS = 10.0
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


@contextmanager
def child(
    command: list[str], log: int, *, stdout: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command with its output in `log`; `stdout` takes the standard output elsewhere."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log if stdout is None else stdout,
        stderr=log,
        env={**os.environ, "KUBECONFIG": os.devnull},
        preexec_fn=_end_with_parent,  # noqa: PLW1509  # one prctl call, safe after a fork
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def free_ports(count: int) -> list[int]:
    """Return ports that were free a moment ago, all different."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


def _end_with_parent() -> None:
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
