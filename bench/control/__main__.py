"""`python -m bench.control`: what an informer costs on 20,000 pods of 2 KiB, through the local client.

Rows: the first sync; following changes with one handler, and with ten handlers and three indexes; coming back after
the history was lost. Each says objects or events per second and how often something was decoded, which must be once
per change, however many look. Memory is what the informer adds to the process, per object, beside the store.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.servers import build
from argosy.base.clock import RealClock
from argosy.base.ids import SeededIds
from argosy.client.local import LocalClient
from argosy.client.resources import PODS
from argosy.control.informers import Informer
from argosy.store import Key, MemoryStore, Meta, Store
from bench.recording import add_recording, record

NODES = 200
BURST = 1000


class ObjectMeta(msgspec.Struct, frozen=True, gc=False):
    name: str
    namespace: str
    uid: str = ""
    labels: dict[str, str] = {}


class Spec(msgspec.Struct, frozen=True, gc=False):
    nodeName: str = ""  # noqa: N815  (the wire's name)
    priority: int = 0


class Status(msgspec.Struct, frozen=True, gc=False):
    phase: str = ""


class Pod(msgspec.Struct, frozen=True, gc=False):
    metadata: ObjectMeta
    spec: Spec = Spec()
    status: Status = Status()


def write(store: Store, number: int, phase: str) -> None:
    """Put a pod of 2 KiB straight into the store: the writer is not what is measured."""
    key = Key("pods", f"ns-{number % 50}", f"pod-{number}")
    found = store.latest(key)
    labels = {"app": f"app-{number % 100}", "tier": "batch"}
    obj = {
        "metadata": {
            "labels": labels,
            "annotations": {"filler": "x" * 1500},
            "name": key.name,
            "namespace": key.namespace,
            "resourceVersion": str(store.next_revision()),
            "uid": f"00000000-0000-4000-8000-{number:012d}",
        },
        "spec": {
            "containers": [{"image": "example.com/image:1", "name": "main", "resources": {}}],
            "nodeName": f"node-{number % NODES}",
            "priority": number % 10,
        },
        "status": {"phase": phase},
    }
    raw = msgspec.json.encode(obj, order="deterministic")
    store.put(key, raw, Meta(labels=labels), expect=found.revision if found else 0)


def ignore(old: Pod | None, new: Pod | None) -> None:
    """A handler that costs nothing but its call."""


class Counting:
    """An informer and how often it has decoded."""

    def __init__(self, client: LocalClient) -> None:
        self.informer = Informer(client, PODS, Pod, clock=RealClock())
        self.decoded = 0
        decode = self.informer._decode  # noqa: SLF001

        def counted(body: Any) -> Pod:
            self.decoded += 1
            return decode(body)

        self.informer._decode = counted  # noqa: SLF001

    async def during(self, work: Callable[[], Awaitable[None]]) -> None:
        task = asyncio.create_task(self.informer.run())
        try:
            await work()
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def rss_bytes() -> int:
    """What the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


async def changes(store: Store, informer: Informer[Pod], count: int, phase: str) -> float:
    """Seconds the informer takes for `count` changes, written in bursts that are not counted."""
    spent = 0.0
    for first in range(0, count, BURST):
        last = min(first + BURST, count) - 1
        for number in range(first, last + 1):
            write(store, number, phase)
        started = time.perf_counter()
        await until(lambda last=last: _phase(informer, last) == phase)  # type: ignore[misc]
        spent += time.perf_counter() - started
    return spent


def _phase(informer: Informer[Pod], number: int) -> str:
    pod = informer.get(f"ns-{number % 50}", f"pod-{number}")
    return pod.status.phase if pod is not None else ""


async def until(reached: Callable[[], bool]) -> None:
    """Give turns until it is so; an event would have to be set by a handler, which would be measured too."""
    while not reached():  # noqa: ASYNC110
        await asyncio.sleep(0)


async def measure(count: int) -> list[tuple[str, float, int]]:
    """(row, seconds, decodings); prints the memory."""
    clock = RealClock()
    store = MemoryStore()
    signer = Signer(ec.generate_private_key(ec.SECP256R1()), clock)
    server = build(store, clock=clock, ids=SeededIds(1), signer=signer, tokens={})
    for number in range(count):
        write(store, number, "Pending")
    counting = Counting(LocalClient(server, ADMIN))
    informer = counting.informer
    rows: list[tuple[str, float, int]] = []

    def row(name: str, seconds: float) -> None:
        rows.append((name, seconds, counting.decoded))
        counting.decoded = 0

    gc.collect()
    before = rss_bytes()

    async def story() -> None:
        started = time.perf_counter()
        await informer.synced()
        row("first sync", time.perf_counter() - started)
        gc.collect()
        print(f"memory: {(rss_bytes() - before) / count:,.0f} bytes per object beside the store")
        informer.add_handler(ignore)
        row("changes, 1 handler", await changes(store, informer, count, "Running"))
        for _ in range(9):
            informer.add_handler(ignore)
        informer.add_index("node", lambda pod: [pod.spec.nodeName])
        informer.add_index("app", lambda pod: [pod.metadata.labels["app"]])
        informer.add_index("phase", lambda pod: [pod.status.phase])
        seconds = await changes(store, informer, count, "Succeeded")
        row("changes, 10 handlers, 3 indexes", seconds)

    await counting.during(story)
    informer._revision = ""  # noqa: SLF001  (as after an expiry: everything is read again)

    async def again() -> None:
        started = time.perf_counter()
        await until(lambda: bool(informer._revision))  # noqa: SLF001
        row("reading again, nothing changed", time.perf_counter() - started)

    await counting.during(again)
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.control", description=__doc__)
    parser.add_argument("--objects", type=int, default=20_000)
    add_recording(parser)
    options = parser.parse_args()
    rows = asyncio.run(measure(options.objects))
    lines = [["", "per second", "µs each", "decoded"]]
    for name, seconds, decoded in rows:
        each = seconds / options.objects
        lines.append([name, f"{1 / each:,.0f}", f"{each * 1e6:.1f}", f"{decoded:,}"])
    for name, *figures in lines:
        print(f"{name:34}{''.join(f'{figure:>12}' for figure in figures)}")
    if options.record:
        record("control", "make bench-control", lines)


if __name__ == "__main__":
    main()
