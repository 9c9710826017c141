"""A write load over HTTPS that knows what it was promised.

Each writer has keys of its own and one write under way at a time, so after a crash the server may hold, besides
all that was acknowledged, at most one write more per writer. Objects carry a checksum of their text and tell
whether all of them is there.
"""

from __future__ import annotations

import hashlib
import http.client
import random
import threading
from dataclasses import dataclass, field
from typing import Any

from tests.support.connections import Address, Connection

PATH = "/api/v1/namespaces/default/configmaps"
WRITERS = 4
KEYS = 4


@dataclass(slots=True)
class Known:
    """What was acknowledged of one key: the revision of its last write, and whether it was a delete."""

    revision: int
    present: bool


@dataclass(slots=True)
class Load:
    """Writers that run until their server is gone."""

    address: Address
    seed: int
    known: dict[str, Known]
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)
    # A write was sent and its answer never came.
    in_doubt: set[str] = field(default_factory=set)
    enough: threading.Event = field(default_factory=threading.Event)
    wanted: int = 0
    _threads: list[threading.Thread] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, wanted: int) -> None:
        """Begin to write; `enough` is set after so many acknowledgements."""
        self.wanted = wanted
        self._threads = [
            threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)
        ]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()
        assert self.problems == []

    def _write(self, writer: int) -> None:
        choice = random.Random(f"{self.seed}/{writer}")
        connection = Connection(self.address)
        while True:
            name = f"w{writer}-k{choice.randrange(KEYS)}"
            try:
                self._write_once(connection, choice, name)
            except (OSError, http.client.HTTPException):
                self.in_doubt.add(name)
                connection.close()
                return

    def _write_once(self, connection: Connection, choice: random.Random, name: str) -> None:
        before = self.known.get(name)
        body = whole(name, "x" * choice.randrange(3000))
        if before is None or not before.present:
            reply, present = connection.request("POST", PATH, body), True
        elif choice.random() < 0.2:
            reply, present = connection.request("DELETE", f"{PATH}/{name}"), False
        else:
            body["metadata"]["resourceVersion"] = str(before.revision)
            reply, present = connection.request("PUT", f"{PATH}/{name}", body), True
        if reply.code >= 300:
            self.problems.append(f"{name}: {reply}")
            raise ConnectionAbortedError
        revision = int(reply.body["metadata"]["resourceVersion"]) if present else 0
        with self._lock:
            self.known[name] = Known(revision, present)
            self.acknowledged += 1
            if self.acknowledged >= self.wanted:
                self.enough.set()


def whole(name: str, text: str) -> dict[str, Any]:
    """An object that can tell whether all of it is there."""
    sum_ = hashlib.sha256(text.encode()).hexdigest()
    return {
        "metadata": {"name": name, "labels": {"load": "yes"}},
        "data": {"sum": sum_, "text": text},
    }


def is_whole(raw: dict[str, Any]) -> bool:
    data = raw["data"]
    got = hashlib.sha256(data["text"].encode()).hexdigest()
    return bool(got == data["sum"]) and bool(raw["metadata"]["uid"])
