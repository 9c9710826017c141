"""`python -m bench.store`: what a store does per second, and what a restart of a hundred thousand objects
costs.

Every figure of the SQLite store is with fsync before the acknowledgement. The restart happens in a process of
its own, so that its memory is the store's alone. Prints one table; takes about 20 seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import io
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import TextIO

import msgspec

from argosy.base.selectors import fields, labels
from argosy.store import Key, MemoryStore, Meta, Record, Selection, SQLiteStore, Store, open_store
from bench.recording import add_recording, record

OBJECTS = 100_000
BYTES = 2048
NODES = 70_000


def pod(name: str, revision: int, job: int = 0) -> tuple[bytes, Meta]:
    """A pod of 2 KiB, one of the hundred of its job."""
    meta = Meta(
        uid=f"00000000-0000-4000-8000-{revision:012d}",
        labels={
            "app": "training",
            "batch.kubernetes.io/job-name": f"job-{job}",
            "kueue.x-k8s.io/queue-name": "team-a",
        },
        owners=(f"00000000-0000-4000-9000-{job:012d}",),
        fields={"spec.nodeName": f"node-{job}", "status.phase": "Running"},
    )
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": f"job-{job}", "uid": meta.owners[0]}
    metadata = {
        "labels": meta.labels,
        "name": name,
        "namespace": "team-a",
        "ownerReferences": [owner],
        "resourceVersion": str(revision),
        "uid": meta.uid,
    }
    spec = {"nodeName": f"node-{job}", "padding": ""}
    body = {"metadata": metadata, "spec": spec, "status": {"phase": "Running"}}
    spec["padding"] = "x" * (BYTES - len(msgspec.json.encode(body)))
    return msgspec.json.encode(body), meta


class Template:
    """Encodes pods as cheaply as possible, so that the store is what is measured."""

    def __init__(self) -> None:
        raw, self.meta = pod("x", 999_999_999)
        self.head, self.tail = raw.split(b'"999999999"')

    def at(self, revision: int) -> bytes:
        return b'%b"%d"%b' % (self.head, revision, self.tail)


async def creates(store: Store, writers: int, seconds: float) -> float:
    """Creates per second by concurrent writers, each of which waits for its own."""
    template, done, end = Template(), 0, time.perf_counter() + seconds

    async def write(writer: int) -> None:
        nonlocal done
        number = 0
        while time.perf_counter() < end:
            number += 1
            key = Key("pods", "team-a", f"{writers}-{writer}-{number}")
            await store.put(key, template.at(store.next_revision()), template.meta, expect=0)
            done += 1

    begin = time.perf_counter()
    await asyncio.gather(*[write(i) for i in range(writers)])
    return done / (time.perf_counter() - begin)


async def updates(store: Store, writers: int, seconds: float) -> float:
    """Updates per second, each writer of an object of its own: every write makes a row of garbage."""
    template, done, end = Template(), 0, time.perf_counter() + seconds

    async def write(writer: int) -> None:
        nonlocal done
        key, expect = Key("pods", "team-b", str(writer)), 0
        while time.perf_counter() < end:
            raw = template.at(store.next_revision())
            expect = (await store.put(key, raw, template.meta, expect=expect)).revision
            done += 1

    begin = time.perf_counter()
    await asyncio.gather(*[write(i) for i in range(writers)])
    return done / (time.perf_counter() - begin)


async def fan_out(store: Store, watchers: int, events: int) -> float:
    """Deliveries per second: a writer who does not wait for the disk, many watchers of the resource."""
    template = Template()
    start = store.revision

    async def follow() -> None:
        watch, seen = store.watch("jobs.batch", since=start), 0
        while seen < events:
            seen += len(await watch.next())
        watch.close()

    tasks = [asyncio.create_task(follow()) for _ in range(watchers)]
    await asyncio.sleep(0)
    begin = time.perf_counter()
    waiting: list[Awaitable[Record]] = []
    for number in range(events):
        key = Key("jobs.batch", "team-a", f"job-{number}")
        waiting.append(store.put(key, template.at(store.next_revision()), template.meta, expect=0))
        if len(waiting) == 50:
            await asyncio.gather(*waiting)
            waiting.clear()
    await asyncio.gather(*waiting, *tasks)
    return watchers * events / (time.perf_counter() - begin)


async def one_of_many_watchers() -> float:
    """Seconds per write while every node has a watcher of its own pods."""
    store, template = MemoryStore(), Template()
    for node in range(NODES):
        store.watch("pods", Selection(fields=fields.parse(f"spec.nodeName=node-{node}")))
    begin, times = time.perf_counter(), 5000
    for number in range(times):
        key = Key("pods", "team-a", str(number))
        await store.put(key, template.at(store.next_revision()), template.meta, expect=0)
    return (time.perf_counter() - begin) / times


async def fill(store: SQLiteStore) -> None:
    waiting: list[Awaitable[Record]] = []
    for number in range(OBJECTS):
        name = f"job-{number // 100}-{number % 100:05d}-x7x2z"
        raw, meta = pod(name, store.next_revision(), number // 100)
        waiting.append(store.put(Key("pods", "team-a", name), raw, meta, expect=0))
        if len(waiting) == 1000:
            await asyncio.gather(*waiting)
            waiting.clear()


def resident() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def timed(call: Callable[[], object], times: int = 20) -> str:
    call()
    begin = time.perf_counter()
    for _ in range(times):
        call()
    return f"{(time.perf_counter() - begin) / times * 1e6:,.0f} µs"


class _Metadata(msgspec.Struct, rename="camel"):
    uid: str
    labels: dict[str, str]
    owner_references: list[dict[str, str]]


class _Spec(msgspec.Struct, rename="camel"):
    node_name: str


class _Status(msgspec.Struct):
    phase: str


class _Pod(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec
    status: _Status


_POD = msgspec.json.Decoder(_Pod)


def describe(_resource: str, raw: bytes) -> Meta:
    """As the API server would, selectable fields included."""
    found = _POD.decode(raw)
    owners = tuple([owner["uid"] for owner in found.metadata.owner_references])
    selectable = {"spec.nodeName": found.spec.node_name, "status.phase": found.status.phase}
    return Meta(found.metadata.uid, found.metadata.labels, owners, selectable)


def restart(path: Path) -> None:
    gc.collect()
    before, begin = resident(), time.perf_counter()
    store = open_store(path, describe=describe)
    took, grown = time.perf_counter() - begin, resident() - before
    assert store.count("pods") == OBJECTS
    row(f"restart with {OBJECTS:,} objects of {BYTES} bytes", f"{took:.2f} s")
    row("  resident memory", f"{grown / 2**20:.0f} MiB")
    row("  per object (alike objects share bytes)", f"{grown / OBJECTS:.0f} B")
    job = Selection("team-a", labels.parse("batch.kubernetes.io/job-name=job-7"))
    row("list of the first 1,000 of 100,000", timed(lambda: store.list("pods", limit=1000)))
    row("list of 100 of 100,000 by label", timed(lambda: store.list("pods", job)))
    past = store.revision - 1000
    row(
        "list of 1,000, a thousand revisions ago",
        timed(lambda: store.list("pods", limit=1000, revision=past)),
    )
    asyncio.run(store.close())


async def measure(folder: Path) -> None:
    stores: list[tuple[str, MemoryStore | SQLiteStore]] = [
        ("memory", MemoryStore()),
        ("SQLite", open_store(folder / "rates.db")),
    ]
    for kind, store in stores:
        for writers in (1, 16, 64):
            rate = await creates(store, writers, 1.5)
            row(f"{kind}: creates/s, {writers} concurrent", f"{rate:,.0f}")
        row(f"{kind}: updates/s, 64 concurrent", f"{await updates(store, 64, 1.5):,.0f}")
        rate = await fan_out(store, 50, 2000)
        row(f"{kind}: watch deliveries/s, 50 watchers", f"{rate:,.0f}")
        await store.close()
    each = await one_of_many_watchers()
    row(f"memory: a write under {NODES:,} watchers by node", f"{each * 1e6:.0f} µs")
    many = open_store(folder / "many.db")
    begin = time.perf_counter()
    await fill(many)
    row(f"SQLite: {OBJECTS:,} creates, 1,000 at a time", f"{time.perf_counter() - begin:.1f} s")
    await many.close()


def row(what: str, figure: str) -> None:
    print(f"{what:<56}{figure:>14}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.store", description=__doc__)
    parser.add_argument("filled", type=Path, nargs="?", help=argparse.SUPPRESS)
    add_recording(parser)
    options = parser.parse_args()
    if options.filled is not None:
        restart(options.filled)
        return
    said = io.StringIO()
    with tempfile.TemporaryDirectory(dir=".") as folder, redirect_stdout(Both(said, sys.stdout)):
        asyncio.run(measure(Path(folder)))
        command = [sys.executable, "-m", "bench.store", f"{folder}/many.db"]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="")
    if options.record:
        lines = [re.split(r"\s{2,}", line.strip()) for line in said.getvalue().splitlines()]
        record("store", "make bench-store", [["", ""], *lines])


class Both(io.StringIO):
    """What is written goes to two places."""

    def __init__(self, kept: io.StringIO, shown: TextIO) -> None:
        super().__init__()
        self._kept, self._shown = kept, shown

    def write(self, text: str) -> int:
        self._shown.write(text)
        return self._kept.write(text)

    def flush(self) -> None:
        self._shown.flush()


if __name__ == "__main__":
    main()
