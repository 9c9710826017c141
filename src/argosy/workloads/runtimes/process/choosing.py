"""Which isolation this machine allows: the strongest that works, found by trying.

podman runs images; bubblewrap sandboxes; namespaces of our own give a container its own view of files and processes;
without any of them a command is a plain process. Each is tried with a command that does nothing.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from argosy.workloads.runtimes.process.keeper.orders import Isolation, Order
from argosy.workloads.runtimes.process.keeping import Keeping
from argosy.workloads.runtimes.process.links import Refused
from argosy.workloads.runtimes.process.ordering import PATH, remove

WORDS: Final[dict[Isolation, str]] = {
    "podman": "podman runs their images",
    "bubblewrap": "in a bubblewrap sandbox: this machine's files read-only, own /tmp, own process space",
    "namespaces": "in namespaces of their own: a copy-on-write view of this machine's files, own /tmp, own process "
    "space; no boundary against hostile commands",
    "none": "without isolation: as plain processes with all rights of this user",
}
_TRIALS: Final[dict[Isolation, list[str]]] = {
    "podman": ["podman", "info"],
    "bubblewrap": ["bwrap", "--unshare-pid", "--ro-bind", "/", "/", "--", "true"],
    "namespaces": ["true"],
}


def about_image(isolation: Isolation, image: str) -> str:
    """What becomes of a container's image, honestly."""
    if isolation == "podman":
        return f'Container image "{image}" is run by podman'
    how = {
        "bubblewrap": "in a bubblewrap sandbox",
        "namespaces": "in namespaces of their own, over this machine's files",
        "none": "without isolation",
    }[isolation]
    return f'Image "{image}" is recorded, not pulled: containers run as local processes {how}'


async def choose(keeping: Keeping, state: Path) -> tuple[Isolation, list[str]]:
    """The isolation to use, and why stronger ones are not."""
    reasons: list[str] = []
    for isolation, argv in _TRIALS.items():
        problem = await _try(keeping, state, isolation, argv)
        if problem is None:
            return isolation, reasons
        reasons.append(f"{isolation}: {problem}")
    return "none", reasons


async def _try(keeping: Keeping, state: Path, isolation: Isolation, argv: list[str]) -> str | None:
    """What is wrong with it, or None."""
    if isolation in {"podman", "bubblewrap"} and shutil.which(argv[0]) is None:
        return f"{argv[0]} is not installed"
    folder = state / "trial"
    (folder / "layer").mkdir(parents=True, exist_ok=True)
    order = Order(
        run=f"trial/{isolation}/0",
        argv=argv,
        env={"PATH": os.environ.get("PATH", PATH), "HOME": str(Path.home())},
        cwd="/",
        log=str(folder / f"{isolation}.log"),
        record=str(folder / f"{isolation}.json"),
        isolation="namespaces" if isolation == "namespaces" else "none",
        layer=str(folder / "layer"),
    )
    try:
        await keeping.start(order)
        ended = await keeping.end_of(order.run)
    except Refused as problem:
        return str(problem)
    finally:
        await keeping.forget(order.run)
        remove(folder)
    return None if ended.code == 0 else f"{' '.join(argv)} ended with {ended.code}"
