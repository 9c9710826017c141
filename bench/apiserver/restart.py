"""`python -m bench.apiserver.restart`: 100,000 pods of 2 KiB in one cluster, and a restart.

Fills a server, stops it, starts it again on the same files and reports the resident memory before
and after, the size on disk, and the time from the start of the process until it is ready and has
answered a first list. The peer takes the same, where it is built.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from bench.apiserver.generating import NAMESPACE, generate
from bench.apiserver.measuring import usage, use_two_cores
from bench.apiserver.rows import make_namespace
from bench.recording import add_recording, record
from peer.running import ControlPlane, control_plane, is_built
from peer.serving import bare_argosy

MIB = 2**20
CONNECTIONS = 64


@dataclass(slots=True, frozen=True)
class Restart:
    """One server, filled and started again."""

    fill_seconds: float
    filled_rss_bytes: int
    disk_bytes: int
    ready_seconds: float
    restarted_rss_bytes: int

    @property
    def cells(self) -> list[str]:
        return [
            f"{self.fill_seconds:,.0f} s, {self.filled_rss_bytes / MIB:,.0f} MiB",
            f"{self.disk_bytes / MIB:,.0f} MiB",
            f"{self.ready_seconds:.1f} s",
            f"{self.restarted_rss_bytes / MIB:,.0f} MiB",
        ]

    def __str__(self) -> str:
        return (
            f"filled in {self.fill_seconds:,.0f} s, RSS {self.filled_rss_bytes / MIB:,.0f} MiB, "
            f"{self.disk_bytes / MIB:,.0f} MiB on disk; restarted: ready in "
            f"{self.ready_seconds:.1f} s, RSS {self.restarted_rss_bytes / MIB:,.0f} MiB"
        )


def measure(
    start: Callable[[Path], AbstractContextManager[ControlPlane]], directory: Path, pods: int
) -> Restart:
    """Fill, stop, start again."""
    with start(directory) as plane:
        make_namespace(plane, NAMESPACE)
        load = generate(
            plane, work="create", prefix="p", count=pods, seconds=0, connections=CONNECTIONS
        )
        filled = usage(plane.processes.values())
    disk = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    began = time.monotonic()
    with start(directory) as plane:
        _first_list(plane)
        ready = time.monotonic() - began
        restarted = usage(plane.processes.values())
    return Restart(load.seconds, filled.rss_bytes, disk, ready, restarted.rss_bytes)


def _first_list(plane: ControlPlane) -> None:
    url = f"{plane.url}/api/v1/namespaces/{NAMESPACE}/pods?limit=500"
    headers = {"Authorization": f"Bearer {plane.tokens['admin']}"}
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, context=plane.tls()) as answer:
        answer.read()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.apiserver.restart", description=__doc__)
    parser.add_argument("--pods", type=int, default=100_000)
    parser.add_argument("--only", choices=["argosy", "kube-apiserver"], help="one server alone")
    parser.add_argument("--directory", type=Path, help="where the servers keep their files")
    add_recording(parser)
    options = parser.parse_args()
    use_two_cores()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=options.directory) as directory:
        measured: dict[str, Restart] = {}
        if options.only != "kube-apiserver":
            measured["argosy"] = measure(bare_argosy, Path(directory) / "argosy", options.pods)
            print(f"argosy: {measured['argosy']}", flush=True)
        if options.only != "argosy" and is_built("etcd", "kube-apiserver"):
            measured["kube-apiserver + etcd"] = measure(
                control_plane, Path(directory) / "p", options.pods
            )
            print(f"kube-apiserver: {measured['kube-apiserver + etcd']}")
    if options.record:
        lines = [[f"{options.pods:,} pods of 2 KiB", "filled", "disk", "ready again after", "then"]]
        lines += [[name, *each.cells] for name, each in measured.items()]
        record("restart", "make bench-store", lines)


if __name__ == "__main__":
    main()
