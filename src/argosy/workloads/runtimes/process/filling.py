"""Writing volumes that are made of files, so that readers see a change all at once.

The files stand in a folder named by time; `..data` points to it, and each name in the volume points through `..data`.
An update writes a new folder and turns `..data` around in one step, as kubelets do, so programs that watch for it
work. Nothing is written when nothing has changed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from argosy.workloads.runtimes.process.volumes import File

_DATA: Final = "..data"


def fill(folder: Path, files: Mapping[str, File], stamp: str) -> bool:
    """Make the folder hold these files; whether that changed anything. `stamp` names the new version."""
    folder.mkdir(parents=True, exist_ok=True)
    current = folder / _DATA
    if current.is_symlink() and _read(current.resolve()) == {k: v.data for k, v in files.items()}:
        return False
    version = folder / f"..{stamp}"
    for path, file in files.items():
        place = version / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
        place.chmod(file.mode)
    version.mkdir(exist_ok=True)
    old = current.resolve() if current.is_symlink() else None
    turning = folder / "..data_tmp"
    turning.unlink(missing_ok=True)
    turning.symlink_to(version.name)
    turning.replace(current)
    _show(folder, {path.split("/")[0] for path in files})
    if old is not None and old != version:
        shutil.rmtree(old, ignore_errors=True)
    return True


def _show(folder: Path, names: set[str]) -> None:
    """One link for each name; links of names that are gone go."""
    for name in names:
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(f"{_DATA}/{name}")
    for entry in folder.iterdir():
        if not entry.name.startswith("..") and entry.name not in names:
            entry.unlink()


def _read(version: Path) -> dict[str, bytes]:
    found = {}
    for place, _, names in os.walk(version):
        for name in names:
            path = Path(place) / name
            found[str(path.relative_to(version))] = path.read_bytes()
    return found
