"""Each shared test runs on both stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from argosy.store import Bounds, MemoryStore, SQLiteStore, open_store
from argosy.store.histories import HISTORY
from tests.unit.store.writing import describe


@pytest.fixture(params=["memory", "sqlite"])
def make(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Callable[..., MemoryStore | SQLiteStore]:
    """Opens a new store; called inside the test's event loop."""

    def opened(history: Bounds = HISTORY) -> MemoryStore | SQLiteStore:
        if request.param == "memory":
            return MemoryStore(history=history)
        return open_store(tmp_path / "store.db", describe=describe, history=history)

    return opened
