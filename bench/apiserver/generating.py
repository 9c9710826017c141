"""Run the load generator on a server and read its result.

The generator is the Go program in peer/load where it is built: it costs a fraction of what a server
costs, and both servers get the same. Without Go, `python_load` sends the same requests from Python;
it takes more of the shared cores, so its figures compare with nothing but themselves.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from peer.build import binaries
from peer.running import ControlPlane, is_built

NAMESPACE = "bench"


class LoadError(Exception):
    """The generator failed, or the server refused its requests."""


@dataclass(slots=True, frozen=True)
class Load:
    """What the generator measured; `delivered` counts the events that watchers received."""

    operations: int
    errors: int
    seconds: float
    p50_ms: float
    p99_ms: float
    delivered: int = 0
    first_error: str = ""

    @property
    def per_second(self) -> float:
        return (self.delivered or self.operations) / self.seconds


def has_go_generator() -> bool:
    return is_built("load")


def generate(plane: ControlPlane, **flags: str | float) -> Load:
    """Run the generator with these flags; a request that fails fails the benchmark."""
    if has_go_generator():
        command = [str(binaries() / "load")]
    else:
        command = [sys.executable, str(Path(__file__).with_name("python_load.py"))]
    given: dict[str, str | float | Path] = {
        "server": plane.url,
        "ca": plane.ca_file,
        "token": plane.tokens["admin"],
        "namespace": NAMESPACE,
        **flags,
    }
    command += [f"-{name}={value}" for name, value in given.items()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LoadError(done.stderr.strip())
    load = Load(**json.loads(done.stdout))
    if load.errors:
        raise LoadError(f"{load.errors} of {load.operations} requests failed: {load.first_error}")
    return load
