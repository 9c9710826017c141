"""`argosy up` as tests of faults need it: its processes found again, its clusters asked, commands run against it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import yaml

from argosy.base.types import Object
from tests.support.connections import Connection, address_of
from tests.support.processes import command

T = TypeVar("T")
SECONDS = 40.0
# In the environment of everything that a test starts.
MARK = "ARGOSY_TEST_MARK"


def until(look: Callable[[], T], what: str) -> T:
    """Ask until the answer is true."""
    deadline = time.monotonic() + SECONDS
    while not (found := look()):
        assert time.monotonic() < deadline, f"not seen in {SECONDS:g} s: {what}"
        time.sleep(0.02)
    return found


def marked(mark: str) -> list[int]:
    """Processes that have the mark, wherever they hang."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"{MARK}={mark}".encode() in environment.split(b"\0"):
                found.append(int(entry.name))
    return found


def argosy(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=100, check=False
    )


def status(state: Path) -> Object:
    """What `argosy status` says."""
    found: Object = json.loads(argosy("status", "--state", str(state), "-o", "json").stdout)
    return found


def process_of(state: Path, name: str) -> Object:
    return next(each for each in status(state)["processes"] if each["name"] == name)


def connection(kubeconfig: Path, context: str) -> Connection:
    content = yaml.safe_load(kubeconfig.read_text()) | {"current-context": context}
    file = kubeconfig.with_name(f"as-{context}")
    file.write_text(yaml.safe_dump(content))
    return Connection(address_of(file))
