"""The kubeconfig that clients of our clusters use: one context per cluster, CA and token inside, readable by its
owner only.

A fleet puts its entries into a file of its own, and on request into the user's. They carry a mark that names the
fleet's state directory (an `extension`, which kubectl keeps and nobody else reads), so that a later start replaces
them, `argosy reset` removes them, and what others put into the file is never touched: a name that somebody else has is
refused.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from argosy.apiserver.access.tokens import write_private
from argosy.base.types import Object

MARK: Final = "argosy.dev/fleet"
SECTIONS: Final = ("clusters", "users", "contexts")
# kubectl needs milliseconds.
_LOCK_SECONDS: Final = 3.0
_STALE_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.02


class KubeconfigError(Exception):
    """The file cannot be written as asked; the message is for the user."""


@dataclass(slots=True, frozen=True)
class Context:
    """One cluster as a client reaches it."""

    name: str
    server: str
    ca: bytes
    token: str


def write(path: Path, contexts: Sequence[Context]) -> None:
    """These and nothing else; the first one is the current one."""
    config: Object = {"apiVersion": "v1", "kind": "Config", "current-context": contexts[0].name}
    config |= _entries(contexts)
    path.parent.mkdir(parents=True, exist_ok=True)
    _put(path, config)


def merge(path: Path, contexts: Sequence[Context], *, owner: str, current: bool = False) -> None:
    """Put them among what the file has, in place of those the owner had there; the owner is a fleet, by its state
    directory. `current`: the first of these is the current context, as it is where there was none.
    """

    def put(config: Object) -> None:
        _check(path, config, [each.name for each in contexts], owner)
        _drop(config, owner)
        for section, entries in _entries(contexts, owner).items():
            config[section] = [*(config.get(section) or ()), *entries]
        if current or not config.get("current-context"):
            config["current-context"] = contexts[0].name

    _change(path.expanduser(), put)


def forget(path: Path, *, owner: str) -> bool:
    """Remove the owner's entries; a file that has nothing else goes whole. Returns whether there were any."""
    path = path.expanduser()
    if not path.exists() or not _drop(_read(path), owner):
        return False

    def drop(config: Object) -> None:
        gone = _drop(config, owner)
        if config.get("current-context") in gone:
            config["current-context"] = ""

    _change(path, drop)
    if not any(_read(path).get(section) for section in SECTIONS):
        path.unlink()
    return True


def check_mergeable(path: Path, names: Sequence[str], *, owner: str) -> None:
    """Raises KubeconfigError where `merge` would."""
    path = path.expanduser()
    if path.exists():
        _check(path, _read(path), names, owner)


def _entries(contexts: Sequence[Context], owner: str = "") -> dict[str, list[Object]]:
    mark: Object = {"extensions": [{"name": MARK, "extension": {"state": owner}}]} if owner else {}
    return {
        "clusters": [
            {
                "name": c.name,
                "cluster": {
                    "server": c.server,
                    "certificate-authority-data": base64.b64encode(c.ca).decode(),
                }
                | mark,
            }
            for c in contexts
        ],
        "users": [{"name": f"{c.name}-admin", "user": {"token": c.token} | mark} for c in contexts],
        "contexts": [
            {"name": c.name, "context": {"cluster": c.name, "user": f"{c.name}-admin"} | mark}
            for c in contexts
        ],
    }


def _check(path: Path, config: Object, names: Sequence[str], owner: str) -> None:
    """No entry of a name we need may be somebody else's."""
    wanted = {
        "clusters": set(names),
        "users": {f"{name}-admin" for name in names},
        "contexts": set(names),
    }
    for section in SECTIONS:
        kind = section[:-1]
        for entry in config.get(section) or ():
            whose = _marked(entry, kind)
            if _name(entry) in wanted[section] and whose != owner:
                of = f"of the fleet in {whose}" if whose else "of somebody else"
                remedy = (
                    f"`argosy reset --state {whose}` removes it"
                    if whose
                    else f"rename it (kubectl config rename-context {_name(entry)} NEW-NAME) or remove it"
                )
                raise KubeconfigError(
                    f'{path} has a {kind} "{_name(entry)}" {of}, and it stays as it is: {remedy}, or have this '
                    "fleet's contexts in a file of their own (--kubeconfig FILE, without --merge-kubeconfig)"
                )


def _drop(config: Object, owner: str) -> set[str]:
    """Take the owner's entries out; returns the names of its contexts."""
    gone: set[str] = set()
    for section in SECTIONS:
        kind = section[:-1]
        kept = [each for each in config.get(section) or () if _marked(each, kind) != owner]
        if section == "contexts":
            gone = {_name(each) for each in config.get(section) or ()} - {_name(e) for e in kept}
        if section in config:
            config[section] = kept
    return gone


def _marked(entry: Object, kind: str) -> str:
    """The state directory of the fleet whose entry this is, or nothing."""
    for extension in (entry.get(kind) or {}).get("extensions") or ():
        if extension.get("name") == MARK:
            return str((extension.get("extension") or {}).get("state") or "")
    return ""


def _name(entry: Object) -> str:
    return str(entry.get("name") or "")


def _read(path: Path) -> Object:
    try:
        config = yaml.safe_load(path.read_text()) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise KubeconfigError(f"kubeconfig {path} cannot be read: {error}") from None
    lists = [config.get(section) or [] for section in SECTIONS] if isinstance(config, dict) else [0]
    if not all(isinstance(each, list) and all(isinstance(e, dict) for e in each) for each in lists):
        raise KubeconfigError(f"{path} is no kubeconfig, and stays as it is")
    found: Object = config
    return found


def _change(path: Path, change: Callable[[Object], None]) -> None:
    """Read, change and write a user's file, while kubectl does not."""
    # A link stays one.
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(path):
        config = _read(path) if path.exists() else {"apiVersion": "v1", "kind": "Config"}
        change(config)
        _put(path, config)


def _put(path: Path, config: Object) -> None:
    """Write what is new; what is there already needs no room on a disk that may be full."""
    content = yaml.safe_dump(config, sort_keys=False).encode()
    if not path.exists() or path.read_bytes() != content:
        write_private(path, content)
    else:
        path.chmod(0o600)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """As kubectl locks a kubeconfig: by a file beside it that only one can make. One that nobody removed in a long
    time is of a program that was killed.
    """
    lock = path.with_name(f"{path.name}.lock")
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0o600))
            break
        except FileExistsError:
            if time.monotonic() > until:
                raise KubeconfigError(
                    f"{path} is locked by another program: try again, or remove {lock} if none runs"
                ) from None
        with suppress(FileNotFoundError):
            if time.time() - lock.stat().st_mtime > _STALE_SECONDS:
                lock.unlink()
        time.sleep(_LOOK_SECONDS)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
