"""The rows of the benchmark: what is done to a server, in this order, and what is read off it.

Objects are config maps of 0.5 KiB (the size of the orientation figures) and pods of 2 KiB of JSON,
created without a service account token so that both servers store what was sent plus their
defaults. Every row runs for the same time, over HTTPS and HTTP/1.1 with connections kept alive.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field

from bench.apiserver.generating import NAMESPACE, Load, generate
from bench.apiserver.measuring import cores, usage
from peer.running import ControlPlane

LISTED = 1000


@dataclass(slots=True, frozen=True)
class Row:
    """One line of the table and the generator's flags for it."""

    name: str
    flags: dict[str, str | float] = field(default_factory=dict)
    unit: str = "requests/s"


@dataclass(slots=True, frozen=True)
class Measurement:
    """One row on one server."""

    load: Load
    cpu_seconds: float
    rss_bytes: int
    others: float

    @property
    def cpu_micros(self) -> float:
        """CPU of the server for one request, or for one event that was delivered."""
        return 1e6 * self.cpu_seconds / (self.load.delivered or self.load.operations)


ROWS = (
    Row(
        "create config maps of 0.5 KiB, 16 connections",
        {"work": "create", "kind": "configmaps", "size": 512, "connections": 16, "prefix": "a"},
    ),
    Row(
        "create config maps of 0.5 KiB, 64 connections",
        {"work": "create", "kind": "configmaps", "size": 512, "connections": 64, "prefix": "b"},
    ),
    Row(
        "create pods of 2 KiB, 16 connections",
        {"work": "create", "kind": "pods", "size": 2048, "connections": 16, "prefix": "c"},
    ),
    Row(
        "create pods of 2 KiB, 64 connections",
        {"work": "create", "kind": "pods", "size": 2048, "connections": 64, "prefix": "d"},
    ),
    Row(
        "get a pod, 16 connections",
        {"work": "get", "connections": 16, "prefix": "x", "count": LISTED},
    ),
    Row(
        "merge patch of pods/status, 16 connections",
        {"work": "status", "connections": 16, "prefix": "x", "count": LISTED},
    ),
    Row(
        "merge patch of pods/status, 64 connections",
        {"work": "status", "connections": 64, "prefix": "x", "count": LISTED},
    ),
    Row(
        f"list {LISTED:,} pods of 2 KiB, 4 connections",
        {"work": "list", "connections": 4, "namespace": f"{NAMESPACE}-list"},
    ),
    Row(
        "watch: 1 writer of pods/status, 50 watchers",
        {"work": "watch", "watchers": 50, "prefix": "x", "count": LISTED},
        unit="events/s",
    ),
)


def measure(plane: ControlPlane, seconds: float) -> Iterator[tuple[Row, Measurement]]:
    """Fill a fresh server with what the rows need, then run them one after the other."""
    for namespace in (NAMESPACE, f"{NAMESPACE}-list"):
        make_namespace(plane, namespace)
        generate(plane, work="create", prefix="x", count=LISTED, seconds=0, namespace=namespace)
    for row in ROWS:
        began, busy, before = time.monotonic(), cores(), usage(plane.processes.values())
        load = generate(plane, seconds=seconds, **row.flags)
        after = usage(plane.processes.values())
        spent = after.cpu_seconds - before.cpu_seconds
        others = cores().others_since(busy, spent, time.monotonic() - began)
        yield row, Measurement(load, spent, after.rss_bytes, others)


def make_namespace(plane: ControlPlane, name: str) -> None:
    """Create a namespace and the service account that admission of pods looks for."""
    _post(plane, "/api/v1/namespaces", {"metadata": {"name": name}})
    path = f"/api/v1/namespaces/{name}/serviceaccounts"
    _post(plane, path, {"metadata": {"name": "default"}})


def _post(plane: ControlPlane, path: str, body: dict[str, dict[str, str]]) -> None:
    """Create one object; one that is there already will do."""
    headers = {
        "Authorization": f"Bearer {plane.tokens['admin']}",
        "Content-Type": "application/json",
    }
    request = urllib.request.Request(plane.url + path, json.dumps(body).encode(), headers)
    try:
        urllib.request.urlopen(request, context=plane.tls()).close()
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise
