"""`make bench-queueing`: the load of Kueue's scheduler benchmark through the API, and the heart alone.

Kueue with kube-apiserver and etcd, driven by its own runner, needs 406 s for the baseline on two cores like these when
nothing else runs; the quota alone allows 66 s.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import mean

import uvloop

from bench.apiserver.measuring import cores, usage, use_two_cores
from bench.apiserver.printing import QUIET, aligned
from bench.queueing import heart
from bench.queueing.load import BASELINE, LARGE, Load, Runner, Seen
from bench.recording import add_recording, markdown, record
from peer.running import ControlPlane
from peer.serving import argosy

MIB = 2**20
DEADLINE_SECONDS = 1800.0
COLUMNS = (
    "load, workloads, wall, quota allows, wait small / medium / large, quota in use, evictions,"
    " CPU s, RSS MiB, others"
)


def measure(load: Load) -> list[str]:
    """One line of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as directory,
        argosy(Path(directory)) as plane,
    ):
        processes = list(plane.processes.values())
        busy, before = cores(), usage(processes)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            seen = runner.run(_run(plane, load))
        after = usage(processes)
        spent = after.cpu_seconds - before.cpu_seconds
        others = cores().others_since(busy, spent, seen.wall_seconds)
    quota = seen.wall_seconds * load.all_queues * 20
    waits = " / ".join(f"{mean(seen.waits[each.name]):.1f}" for each in load.classes)
    return [
        load.name,
        f"{load.workloads:,}",
        f"{seen.wall_seconds:.1f} s",
        f"{load.limit_seconds:.0f} s",
        f"{waits} s",
        f"{100 * seen.worked / quota:.0f} %",
        f"{seen.evictions:,}",
        f"{spent:.1f}",
        f"{after.rss_bytes / MIB:,.0f}",
        f"{100 * others:.0f} %" + ("" if others <= QUIET else " (not quiet)"),
    ]


async def _run(plane: ControlPlane, load: Load) -> Seen:
    async with asyncio.timeout(DEADLINE_SECONDS), Runner(plane, load) as runner:
        await runner.prepare()
        return await runner.run()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.queueing", description=__doc__)
    parser.add_argument(
        "--only",
        choices=["baseline", "large", "load", "heart"],
        help="one part alone (load: baseline and large)",
    )
    add_recording(parser)
    options = parser.parse_args()
    print(f"{use_two_cores()} cores, fsync on, driven and seen over HTTPS", flush=True)
    lines = [COLUMNS.split(", ")]
    for load in (BASELINE, LARGE):
        if options.only in (None, "load", load.name):
            lines.append(measure(load))
            print("  ".join(lines[-1]), flush=True)
    if len(lines) > 1:
        print(f"\n{aligned(lines)}\n")
        print(
            "aims: 100 s for the baseline, 300 s for the large load; "
            "Kueue with kube-apiserver and etcd, its own runner: 406 s for the baseline on two cores"
        )
    beats: list[list[str]] = []
    if options.only in (None, "heart"):
        beats = heart.main()
    if options.record:
        sections = [each for each in (lines[1:] and lines, beats) if each]
        record("queueing", "make bench-queueing", sections[0], *map(markdown, sections[1:]))


if __name__ == "__main__":
    main()
