"""What a cluster costs before anything is in it: many of them in one process, each with its own file and housekeeping.

Run: make bench-clusters
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from argosy.api.builtin import builtin_kinds
from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.access.tokens import Signer, load_key
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.clusters import describing
from argosy.apiserver.servers import build
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.store import Store, open_store
from argosy.workloads.housekeeping import keep_house
from bench.recording import add_recording, record

CLUSTERS = 80
IDLE_SECONDS = 5.0


def resident_mib() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


async def start(directory: Path, number: int) -> tuple[Store, asyncio.Task[None]]:
    """One cluster with everything but a listener."""
    clock = RealClock()
    store = open_store(directory / f"{number}.db", describe=describing(builtin_kinds()))
    server = build(
        store,
        clock=clock,
        ids=RandomIds(),
        signer=Signer(load_key(None), clock),
        tokens={f"token-{number}": ADMIN},
    )
    await bootstrap(server.cluster)
    return store, asyncio.create_task(keep_house(server.cluster))


async def measure() -> list[list[str]]:
    """Start them, let them be, end them."""
    with tempfile.TemporaryDirectory(prefix="argosy-clusters-") as directory:
        begin = time.perf_counter()
        running = [await start(Path(directory), 0)]
        first, first_mib = time.perf_counter() - begin, resident_mib()
        running += [await start(Path(directory), number) for number in range(1, CLUSTERS)]
        took = time.perf_counter() - begin
        await asyncio.sleep(1.0)
        mib = resident_mib()
        cpu = time.process_time()
        await asyncio.sleep(IDLE_SECONDS)
        share = (time.process_time() - cpu) / IDLE_SECONDS
        rows = {
            "the first cluster": f"{first:.2f} s, {first_mib:.0f} MiB",
            f"{CLUSTERS} clusters": f"{took:.2f} s, {mib:.0f} MiB",
            "each more": f"{(mib - first_mib) / (CLUSTERS - 1):.2f} MiB",
            "CPU while idle, all together": f"{share:.2%} of a core",
        }
        for name, value in rows.items():
            print(f"{name:32}{value:>20}")
        for store, house in running:
            house.cancel()
            await asyncio.gather(house, return_exceptions=True)
            await store.close()
    return [["", ""], *([name, value] for name, value in rows.items())]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.clusters", description=__doc__)
    add_recording(parser)
    options = parser.parse_args()
    lines = asyncio.run(measure())
    if options.record:
        record("clusters", "make bench-clusters", lines)


if __name__ == "__main__":
    main()
