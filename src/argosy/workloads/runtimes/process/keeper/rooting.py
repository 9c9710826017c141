"""A container's own view of the file system, made from the host's without copying it.

The root is an overlay: the host's files below, a layer of the container's own above. So a command finds the programs
that are installed here, may write anywhere, and changes nothing but its own layer. Mount points of volumes are made
in that layer too. On top come a fresh /proc, a /dev with the host's devices, a private /tmp and the volumes; other
file systems of the host are there to read. Folders and files that hold secrets of others are hidden.

Called in a process that is alone in fresh mount and pid namespaces. It is no boundary against a hostile command that
runs as root; it keeps honest commands apart.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

from argosy.workloads.runtimes.process.keeper import kernel
from argosy.workloads.runtimes.process.keeper.orders import Bind

_OLD: Final = "/.argosy-host"
_LINKS: Final = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
_SPECIAL: Final = ("/proc", "/sys", "/dev", "/tmp")  # noqa: S108  (names of mount points)


def enter(
    layer: str, binds: list[Bind], hidden: list[str], cwd: str, *, in_user_namespace: bool
) -> None:
    """Make the view over the layer's folders and move into it; the command's folder is made where it is missing."""
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_SLAVE)
    mounts = _host_mounts(Path("/proc/self/mountinfo").read_text())
    os.chdir(layer)
    for name in ("upper", "work", "root", "tmp"):
        Path(name).mkdir(exist_ok=True)
    Path("tmp").chmod(0o1777)
    # Relative paths: a comma or colon in a folder's name would end the option.
    options = "lowerdir=/,upperdir=upper,workdir=work"
    kernel.mount("overlay", "root", "overlay", options=options + ",userxattr" * in_user_namespace)
    Path(f"root{_OLD}").mkdir(exist_ok=True)
    os.chdir("root")
    kernel.pivot_root(".", f".{_OLD}")
    os.chdir("/")
    _show_mounts(mounts)
    kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    kernel.mount(f"{_OLD}/sys", "/sys", flags=kernel.MS_BIND | kernel.MS_REC)
    _devices()
    kernel.mount(f"{_OLD}{layer}/tmp", "/tmp", flags=kernel.MS_BIND)  # noqa: S108
    for folder in hidden:
        if Path(folder).is_dir():
            kernel.mount("tmpfs", folder, "tmpfs", kernel.MS_RDONLY, "size=0,mode=000")
        elif Path(folder).exists():
            kernel.mount("/dev/null", folder, flags=kernel.MS_BIND)
    for bind in binds:
        _show(f"{_OLD}{bind.source}", bind.target, read_only=bind.read_only)
    Path(cwd).mkdir(parents=True, exist_ok=True)
    kernel.unmount(_OLD)
    Path(_OLD).rmdir()


def _show_mounts(points: list[str]) -> None:
    """Show the host's other file systems, but for those that somebody has unmounted since they were listed."""
    for point in points:
        with contextlib.suppress(FileNotFoundError):
            _show(f"{_OLD}{point}", point, read_only=True)


def _show(source: str, target: str, *, read_only: bool) -> None:
    """Bind a file or folder, making its mount point."""
    if Path(source).is_dir():
        Path(target).mkdir(parents=True, exist_ok=True)
    else:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).touch()
    kernel.mount(source, target, flags=kernel.MS_BIND | kernel.MS_REC)
    if read_only:
        # A namespace that is not root's must keep the restrictions the mount came with.
        kept = os.statvfs(target).f_flag & (kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
        kernel.mount(
            "none", target, flags=kernel.MS_BIND | kernel.MS_REMOUNT | kernel.MS_RDONLY | kept
        )


def _devices() -> None:
    """A /dev of its own with the host's character devices (GPUs among them), terminals and shared memory."""
    kernel.mount("tmpfs", "/dev", "tmpfs", kernel.MS_NOSUID, "mode=755,size=64k")
    host = Path(f"{_OLD}/dev")
    for device in host.iterdir():
        if device.is_symlink() or device.name in {"pts", "shm", "mqueue", "hugepages"}:
            continue
        mode = device.stat().st_mode
        if stat.S_ISDIR(mode) or (
            stat.S_ISCHR(mode) and not device.name.startswith(("tty", "vcs"))
        ):
            _show(str(device), f"/dev/{device.name}", read_only=False)
    _show(f"{host}/tty", "/dev/tty", read_only=False)
    for name, target in _LINKS.items():
        Path(f"/dev/{name}").symlink_to(target)
    # The host's terminals: those of `kubectl exec` are made there and have to be found by name.
    _show(f"{host}/pts", "/dev/pts", read_only=False)
    if not Path("/dev/ptmx").exists():
        Path("/dev/ptmx").symlink_to("pts/ptmx")
    shared = Path("/dev/shm")  # noqa: S108  (the container's own)
    shared.mkdir()
    kernel.mount("tmpfs", str(shared), "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=1777")


def _host_mounts(table: str) -> list[str]:
    """Mount points of the host's other file systems, outermost first; what lies below a bind comes along with it."""
    found: list[str] = []
    for line in table.splitlines():
        point = line.split(" ")[4].encode().decode("unicode_escape")
        inside = (*_SPECIAL, *found)
        if point != "/" and not any(point == one or point.startswith(f"{one}/") for one in inside):
            found.append(point)
    return found
