"""The demo's directory: everything it writes is in it, and it goes with the demo.

    .argosy-demo   says whose it is: nothing else is ever deleted
    fleet/         the fleet's state
    kubeconfig     contexts hub, cluster-1, ...
    cache/         kubectl's

A directory is taken if it is not there, empty, or a demo's whose fleet does not run (of one that was killed).
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argosy.fleet import states

_MARK: Final = ".argosy-demo"
_TEXT: Final = (
    "A demo of Argosy lives here. `argosy demo` deletes this directory when it is over.\n"
)


class DirectoryError(Exception):
    """The directory cannot be had; the message is for the user."""


@dataclass(slots=True, frozen=True)
class Directory:
    """One that was taken."""

    path: Path

    @property
    def fleet(self) -> Path:
        return self.path / "fleet"

    @property
    def kubeconfig(self) -> Path:
        return self.path / "kubeconfig"

    @property
    def cache(self) -> Path:
        return self.path / "cache"

    @property
    def log(self) -> Path:
        return self.fleet / states.LOG

    def remove(self) -> None:
        shutil.rmtree(self.path)


def take(given: Path | None, *, keep: bool) -> Directory:
    """The directory that was asked for, else a new one; marked and otherwise empty."""
    if given is None and not keep:
        path = Path(tempfile.mkdtemp(prefix="argosy-demo-"))
    else:
        path = (given or states.default_directory().with_name("demo")).expanduser().absolute()
        _check(path)
        if path.exists():
            _empty(path)
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    (path / _MARK).write_text(_TEXT)
    return Directory(path)


def _check(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise DirectoryError(f"{path} is a file: give --state a new or an empty directory")
    if not path.exists():
        return
    names = sorted(each.name for each in path.iterdir())
    if names and _MARK not in names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise DirectoryError(
            f"{path} is no demo's directory (it has {names[0]}{more}): nothing was changed; give --state a new or "
            "an empty one"
        )
    fleet = path / "fleet"
    if (pid := states.holder(fleet)) is not None:
        raise DirectoryError(
            f"the fleet of another demo runs in {path} (process {pid or 'unknown'}): "
            f"`argosy down --state {fleet}` ends it, --state DIR makes another one"
        )


def _empty(path: Path) -> None:
    """Of a demo that had no time to clear away."""
    for each in path.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        elif each.name != _MARK:
            each.unlink()
