"""Which isolation this machine allows: the strongest that works, found by trying.

podman runs images; bubblewrap sandboxes; namespaces of our own give a container its own view of files and processes;
without any of them a command is a plain process. Each is tried with a command that does nothing, in the way containers
will be run: that a program is installed does not mean that this machine lets it work. podman is given this machine's
own programs to run, read-only, because there may be no image yet.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Final

from argosy.workloads.runtimes.process.keeper.orders import Isolation, Order
from argosy.workloads.runtimes.process.keeping import Keeping
from argosy.workloads.runtimes.process.links import Refused
from argosy.workloads.runtimes.process.ordering import PATH, remove
from argosy.workloads.runtimes.process.sandboxing import podman_environment

WORDS: Final[dict[Isolation, str]] = {
    "podman": "podman runs their images",
    "bubblewrap": "in a bubblewrap sandbox: this machine's files read-only, own /tmp, own process space",
    "namespaces": "in namespaces of their own: a copy-on-write view of this machine's files, own /tmp, own process "
    "space; no boundary against hostile commands",
    "none": "without isolation: as plain processes with all rights of this user",
}
_TRIED: Final[tuple[Isolation, ...]] = ("podman", "bubblewrap", "namespaces")
_PROGRAMS: Final = {"podman": "podman", "bubblewrap": "bwrap"}
# Where programs and their libraries are, on all kinds of machines.
_SYSTEM: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "nix", "gnu")


def about_image(isolation: Isolation, image: str) -> str:
    """What becomes of a container's image, honestly."""
    how = {
        "podman": "by podman",
        "bubblewrap": "in a bubblewrap sandbox",
        "namespaces": "in namespaces of their own, over this machine's files",
        "none": "without isolation",
    }[isolation]
    return f'Image "{image}" is recorded, not pulled: containers run as local processes {how}'


async def choose(keeping: Keeping, state: Path) -> tuple[Isolation, list[str]]:
    """The isolation to use, and why stronger ones are not."""
    reasons: list[str] = []
    for isolation in _TRIED:
        problem = await find_problem(keeping, state, isolation)
        if problem is None:
            return isolation, reasons
        reasons.append(f"{isolation}: {problem}")
    return "none", reasons


async def find_problem(keeping: Keeping, state: Path, isolation: Isolation) -> str | None:
    """What keeps this machine from an isolation, or None."""
    program = _PROGRAMS.get(isolation)
    if program is not None and shutil.which(program) is None:
        return f"{program} is not installed"
    folder = state / "trial"
    for name in ("layer", "root"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    log = folder / f"{isolation}.log"
    argv = _trial(isolation, folder / "root")
    order = Order(
        run=f"trial/{isolation}/0",
        argv=argv,
        env={"PATH": PATH, **(podman_environment(os.environ) if program else {})},
        cwd="/",
        log=str(log),
        record=str(folder / f"{isolation}.json"),
        isolation="namespaces" if isolation == "namespaces" else "none",
        layer=str(folder / "layer"),
    )
    try:
        await keeping.start(order)
        ended = await keeping.end_of(order.run)
        return None if ended.code == 0 else _last_words(log) or f"{argv[0]} ended with {ended.code}"
    except Refused as problem:
        return str(problem)
    finally:
        await keeping.forget(order.run)
        _clear(folder)


def _trial(isolation: Isolation, root: Path) -> list[str]:
    match isolation:
        case "podman":
            argv = ["podman", "run", "--rm", "--log-driver", "none", "--network", "host"]
            for name in _SYSTEM:
                if Path(f"/{name}").is_dir():
                    argv += ["--volume", f"/{name}:/{name}:ro"]
            return [*argv, "--rootfs", str(root), "true"]
        case "bubblewrap":
            return ["bwrap", "--unshare-pid", "--ro-bind", "/", "/", "--", "true"]
        case _:
            return ["true"]


def _last_words(log: Path) -> str:
    """The last line a trial has printed, without the stamp of the log."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return ""
    return lines[-1].split(" ", 3)[-1].removeprefix("Error: ") if lines else ""


def _clear(folder: Path) -> None:
    """Remove what a trial has left. Its root had this machine's programs in it, so nothing there is removed but mount
    points, which are empty.
    """
    root = folder / "root"
    with contextlib.suppress(OSError):
        for one in root.iterdir():
            one.rmdir()
        root.rmdir()
        remove(folder)
