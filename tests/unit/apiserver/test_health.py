"""Health endpoints: alive is not ready, and a store that refuses writes is neither hidden nor explained."""

from __future__ import annotations

import pytest

from argosy.apiserver.clusters import Cluster
from argosy.apiserver.health import health_handlers
from argosy.apiserver.http.messages import Request
from argosy.base.clock import RealClock
from argosy.base.ids import SeededIds
from argosy.store import MemoryStore, StoreUnavailable

FAILED = b"[+]ping ok\n[-]store failed: reason withheld\n%b check failed\n"

ANSWERS = {
    "/healthz": (500, FAILED % b"healthz"),
    "/readyz": (500, FAILED % b"readyz"),
    "/readyz/ping": (200, b"ok"),
    "/readyz/store": (500, b"[-]store failed: reason withheld\nreadyz check failed\n"),
    "/livez": (200, b"ok"),
}


def ask(path: str, *, fault: StoreUnavailable | None, verbose: bool = False) -> tuple[int, bytes]:
    cluster = Cluster(MemoryStore(), clock=RealClock(), ids=SeededIds(1))
    cluster.store.fault = fault
    query = {"verbose": ""} if verbose else {}
    answer = health_handlers(cluster)[path](Request("GET", path, query, {}))
    return answer.status, answer.body


@pytest.mark.parametrize(("path", "want"), ANSWERS.items(), ids=ANSWERS.keys())
def test_with_a_full_disk(path: str, want: tuple[int, bytes]) -> None:
    assert ask(path, fault=StoreUnavailable("store.db: disk full")) == want


@pytest.mark.parametrize("path", ANSWERS)
def test_when_all_is_well(path: str) -> None:
    assert ask(path, fault=None) == (200, b"ok")


def test_verbose_names_every_check() -> None:
    want = (200, b"[+]ping ok\n[+]store ok\nreadyz check passed\n")
    assert ask("/readyz", fault=None, verbose=True) == want
