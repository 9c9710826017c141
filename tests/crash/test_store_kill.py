"""kill -9 in the middle of a write load: what was acknowledged is there, what is there is whole.

The child writes with several writers at once, each to keys of its own and one write at a time, and says on a
pipe what was acknowledged. So after a kill the store may hold, besides all that was acknowledged, at most one
write more per writer. The history is kept short, so that compaction is killed too.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import msgspec

from argosy.store import Bounds, Key, Meta, SQLiteStore, open_store

ROOT = Path(__file__).parent.parent.parent
WRITERS = 8
KEYS = 3
HISTORY = Bounds(200, 1 << 24)


def encode(revision: int, text: str) -> bytes:
    """An object that can tell whether all of it is there."""
    sum_ = hashlib.sha256(text.encode()).hexdigest()
    return msgspec.json.encode(
        {"metadata": {"resourceVersion": str(revision)}, "spec": {"sum": sum_, "text": text}}
    )


def is_whole(raw: bytes, revision: int) -> bool:
    found = msgspec.json.decode(raw)
    text = found["spec"]["text"].encode()
    return (
        found["metadata"]["resourceVersion"] == str(revision)
        and found["spec"]["sum"] == hashlib.sha256(text).hexdigest()
    )


async def write(store: SQLiteStore, writer: int, seed: int) -> None:
    choice = random.Random(f"{seed}/{writer}")
    while True:
        key = Key("pods", f"w{writer}", f"k{choice.randrange(KEYS)}")
        current, revision = store.latest(key), store.next_revision()
        raw = encode(revision, "x" * choice.randrange(3000))
        if current is not None and choice.random() < 0.3:
            await store.delete(key, raw, expect=current.revision)
            kind = "deleted"
        else:
            expect = 0 if current is None else current.revision
            await store.put(key, raw, Meta(), expect=expect)
            kind = "put"
        os.write(1, f"{kind} {revision} {key.namespace} {key.name}\n".encode())


async def load(path: Path, seed: int) -> None:
    store = open_store(path, history=HISTORY)
    os.write(1, f"open {store.revision} - -\n".encode())
    await asyncio.gather(*[write(store, writer, seed) for writer in range(WRITERS)])


def killed(path: Path, seed: int, after: int) -> list[tuple[str, int, Key]]:
    """Run the load, kill it after so many acknowledgements; returns all it made."""
    command = [sys.executable, "-m", "tests.crash.test_store_kill", str(path), str(seed)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(after)]
        child.kill()
        lines += child.stdout.readlines()
    assert child.returncode == -9, "the child ended by itself"
    told = [line.decode().split() for line in lines if line.endswith(b"\n")]
    return [(kind, int(revision), Key("pods", space, name)) for kind, revision, space, name in told]


def test_twenty_kills_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    choice = random.Random(20)
    # What is known of each key: the revision that wrote or deleted it.
    known: dict[Key, tuple[str, int]] = {}
    last, acknowledged = 1, 0
    for seed in range(20):
        (_, opened, _), *acks = killed(path, seed, choice.randrange(2, 600))
        assert opened == last, "a revision was lost or made up while nobody wrote"
        for kind, revision, key in acks:
            assert revision > last
            known[key] = (kind, revision)
        acknowledged += len(acks)
        store = open_store(path, history=HISTORY)
        newest = max((revision for _, revision in known.values()), default=1)
        assert store.revision >= newest
        verify(store, known, last)
        last = store.revision
        asyncio.run(store.close())
    assert acknowledged > 1000
    assert store.compacted > 1


def verify(store: SQLiteStore, known: dict[Key, tuple[str, int]], before: int) -> None:
    """Compare with what was acknowledged, then take over what is there."""
    extra: dict[Key, list[int]] = {}
    for event in store.watch(None, since=max(store.compacted, before)).take():
        assert is_whole(event.record.raw, event.revision)
        if event.revision > known.get(event.record.key, ("", 0))[1]:
            extra.setdefault(event.record.key, []).append(event.revision)
    assert all(len(revisions) == 1 for revisions in extra.values())
    writers = [key.namespace for key in extra]
    assert len(writers) == len(set(writers)), "a writer had two writes under way"
    present = {record.key: record for record in store.list("pods").records}
    for record in present.values():
        assert is_whole(record.raw, record.revision)
    for key, (kind, revision) in list(known.items()):
        if key in extra:
            continue
        assert (key in present) == (kind == "put")
        assert kind == "deleted" or present[key].revision == revision
    for key, (revision,) in extra.items():
        known[key] = ("put" if key in present else "deleted", revision)
    assert set(present) <= set(known)


if __name__ == "__main__":
    asyncio.run(load(Path(sys.argv[1]), int(sys.argv[2])))
