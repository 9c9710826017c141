"""`python -m bench.apiserver`: all rows on Argosy and on kube-apiserver + etcd, and a table.

One server runs at a time, bound with the load generator to the same two cores; both write to the
same disk and call fsync before they acknowledge a write. The servers take turns, fresh in every
round and in alternating order, so that a disturbance or a slow disk meets both. Without the peer's binaries (see
peer/build.py) Argosy is measured alone, and the table says so.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from bench.apiserver.generating import has_go_generator
from bench.apiserver.measuring import use_two_cores
from bench.apiserver.printing import Results, aligned, table, verdict
from bench.apiserver.rows import measure
from bench.recording import add_recording, record
from peer.running import ControlPlane, control_plane, is_built
from peer.serving import bare_argosy

Start = Callable[[Path], AbstractContextManager[ControlPlane]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.apiserver", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="time of each row")
    parser.add_argument("--rounds", type=int, default=3, help="fresh runs of each server")
    parser.add_argument("--only", choices=["argosy", "kube-apiserver"], help="one server alone")
    parser.add_argument("--directory", type=Path, help="where the servers keep their files")
    add_recording(parser)
    options = parser.parse_args()
    servers: dict[str, Start] = {"argosy": bare_argosy}
    if is_built("etcd", "kube-apiserver"):
        servers["kube-apiserver"] = control_plane
    else:
        print("kube-apiserver is not built here (python peer/build.py needs Go): Argosy alone")
    if not has_go_generator():
        print("the load generator is Python, which shares the cores: compare with nothing else")
    if options.only:
        servers = {options.only: servers[options.only]}
    print(
        f"{use_two_cores()} cores shared by server and load generator, "
        f"{options.rounds} rounds, {options.seconds} s a row"
    )
    results: Results = {name: [] for name in servers}
    with tempfile.TemporaryDirectory(prefix="bench-", dir=options.directory) as directory:
        for number in range(options.rounds):
            order = list(servers) if number % 2 == 0 else list(reversed(servers))
            for name in order:
                with servers[name](Path(directory) / f"{name}-{number}") as plane:
                    measured = list(measure(plane, options.seconds))
                results[name].append([each for _, each in measured])
                print(f"  round {number + 1}: {name} is measured", flush=True)
    lines = table(results)
    print(aligned(lines))
    print(verdict(results))
    if options.record:
        record("apiserver", "make bench-apiserver", lines, verdict(results))


if __name__ == "__main__":
    main()
