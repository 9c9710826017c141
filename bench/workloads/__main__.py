"""`make bench-workloads`: Jobs on simulated nodes, and the same Job on kwok with a real control plane.

Rows: (a) one Job of 10,000 pods of 60 s on 5,000 nodes; (b) 1,000 Jobs of 10 pods; (c) one Job of 2,000 pods on 1,000
nodes, on both: in several rounds with the peer's client rate limits lifted, and once, with 400 pods on 200 nodes, as
released, with the limits its components put on themselves. Times are seconds from the creation of the Jobs as seen by a
watch over HTTPS; Complete is without the time that pods ran. Without Go there is no peer, and that is said.
"""

from __future__ import annotations

import argparse

from bench.apiserver.measuring import use_two_cores
from bench.apiserver.printing import QUIET
from bench.recording import add_recording, record
from bench.workloads.contestants import STACK, Case, Contestant, Run, measure
from peer.running import is_built

LARGE = Case(nodes=5000, jobs=1, pods=10_000, run_seconds=60)
MANY = Case(nodes=1000, jobs=1000, pods=10, run_seconds=5)
SHARED = Case(nodes=1000, jobs=1, pods=2000, run_seconds=5)
# The peer as released makes some ten pods a second whatever the number.
SMALL = Case(nodes=200, jobs=1, pods=400, run_seconds=5)
MIB = 2**20
COLUMNS = "case, contestant, nodes ready, all running, pods/s, complete, pods/s, CPU s, CPU ms/pod, RSS MiB"


def cells(name: str, contestant: str, run: Run) -> list[str]:
    """One line of the table."""
    return [
        name,
        contestant,
        f"{run.nodes_ready_seconds:.1f} s",
        f"{run.running_seconds:.1f} s",
        f"{run.running_per_second:,.0f}",
        f"{run.complete_seconds:.1f} s",
        f"{run.complete_per_second:,.0f}",
        f"{run.cpu_seconds:.1f}",
        f"{1000 * run.cpu_seconds / run.case.all_pods:.2f}",
        f"{run.rss_bytes / MIB:,.0f}",
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.workloads", description=__doc__)
    parser.add_argument("--only", choices=["a", "b", "c"], help="one row alone")
    parser.add_argument(
        "--rounds", type=int, default=3, help="rounds of row c with limits lifted (default 3)"
    )
    parser.add_argument("--no-peer", action="store_true", help="leave kwok out")
    add_recording(parser)
    options = parser.parse_args()
    print(f"{use_two_cores()} cores, fsync on, seen over HTTPS", flush=True)
    lines = [COLUMNS.split(", ")]
    runs: list[Run] = []

    def add(name: str, contestant: Contestant, case: Case) -> Run:
        run = measure(contestant, case)
        lines.append(cells(name, contestant, run))
        runs.append(run)
        print("  ".join(lines[-1]), flush=True)
        return run

    if options.only in {None, "a"}:
        add("a: 1 x 10,000 pods, 60 s", "argosy", LARGE)
    if options.only in {None, "b"}:
        add("b: 1,000 x 10 pods, 5 s", "argosy", MANY)
    ratios: dict[Contestant, list[tuple[float, float]]] = {}

    def compare(contestant: Contestant, case: Case) -> None:
        name = f"c: 1 x {case.pods:,} pods, 5 s"
        ours = add(name, "argosy", case)
        theirs = add(name, contestant, case)
        pair = (
            ours.running_per_second / theirs.running_per_second,
            ours.complete_per_second / theirs.complete_per_second,
        )
        ratios.setdefault(contestant, []).append(pair)

    if options.only in {None, "c"}:
        if options.no_peer or not is_built(*STACK):
            print("the peer is left out: not wanted, or not built (python peer/build.py needs Go)")
            add("c: 1 x 2,000 pods, 5 s", "argosy", SHARED)
        else:
            for _ in range(options.rounds):
                compare("kwok, limits lifted", SHARED)
            compare("kwok", SMALL)
    print()
    print(_aligned(lines))
    notes = []
    for contestant, pairs in ratios.items():
        running, complete = (sorted(column) for column in zip(*pairs, strict=True))
        notes.append(
            f"ratio to {contestant}: running {_spread(running)}, complete {_spread(complete)}"
        )
    worst = max(run.others for run in runs)
    word = "quiet" if worst <= QUIET else "NOT QUIET, rates compare with nothing"
    notes.append(f"{word}: others used at most {worst:.0%} of the cores")
    if lost := sum(run.lost for run in runs):
        notes.append(f"DISTURBED: {lost} pods were deleted before their Job ended")
    print("\n".join(notes))
    if options.record:
        record("workloads", "make bench-workloads", lines, *notes)


def _spread(values: list[float]) -> str:
    return f"{values[len(values) // 2]:.1f} ({values[0]:.1f} to {values[-1]:.1f})"


def _aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[index]) for line in lines) for index in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


if __name__ == "__main__":
    main()
