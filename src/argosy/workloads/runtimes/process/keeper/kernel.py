"""System calls of Linux that Python 3.11 has no function for: namespaces, mounts, and ties between processes.

Each raises OSError as `os` functions do. Nothing here decides anything.
"""

from __future__ import annotations

import ctypes
import os
from typing import Final

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_REMOUNT: Final = 32
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_SLAVE: Final = 1 << 19
MNT_DETACH: Final = 2

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}

_libc: Final = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave the namespaces of these kinds for new ones; a new pid space begins with the next child."""
    _check(_libc.unshare(flags), "unshare")


def setns(descriptor: int, kind: int = 0) -> None:
    """Enter a namespace."""
    _check(_libc.setns(descriptor, kind), "setns")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount or bind `source` at `target`."""
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), options.encode() or None
    )  # fmt: skip
    _check(result, f"mount {source} at {target}")


def unmount(target: str) -> None:
    """Take a mount away as soon as nobody uses it."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"unmount {target}")


def pivot_root(root: str, old: str) -> None:
    """Make `root` the root of this mount namespace and show the old one at `old`, a path below it."""
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(38, f"pivot_root is not known on {os.uname().machine}")
    _check(_libc.syscall(number, root.encode(), old.encode()), "pivot_root")


def die_with_parent(signal: int) -> None:
    """Have the kernel send this process a signal when the parent that forked it ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal, 0, 0, 0), "prctl")


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent ends."""
    _check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl")
