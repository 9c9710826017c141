"""Objects, revisions, watch history, durability: one store per cluster.

An object is bytes plus the few facts it is found by (`records`). What readers see is in `state`: objects by
key, in order (`ordering`) and indexed (`indexes`), lists (`listing`), the recent past (`histories`) and those
who wait for the future (`watches`). Two stores put writes there: `memory` at once, `sqlite` after the fsync of
a group commit: `pending` (the queue), `writers` (the threads), `logs` (the file), `restoring` (the way back).

A store belongs to one event loop. Nothing here knows HTTP, kinds or users.
"""

from argosy.store.describing import Describe, describe
from argosy.store.errors import (
    Closed,
    Compacted,
    DamagedStore,
    FutureRevision,
    Mismatch,
    NewerStore,
    StoreError,
    StoreInUse,
    StoreUnavailable,
    TooSlow,
)
from argosy.store.histories import Bounds
from argosy.store.memory import MemoryStore
from argosy.store.protocols import Store
from argosy.store.records import Event, EventType, Key, Meta, Page, Record, stamp
from argosy.store.selections import EVERYTHING, Selection
from argosy.store.sqlite import SQLiteStore, open_store
from argosy.store.watches import Watch

__all__ = [
    "EVERYTHING",
    "Bounds",
    "Closed",
    "Compacted",
    "DamagedStore",
    "Describe",
    "Event",
    "EventType",
    "FutureRevision",
    "Key",
    "MemoryStore",
    "Meta",
    "Mismatch",
    "NewerStore",
    "Page",
    "Record",
    "SQLiteStore",
    "Selection",
    "Store",
    "StoreError",
    "StoreInUse",
    "StoreUnavailable",
    "TooSlow",
    "Watch",
    "describe",
    "open_store",
    "stamp",
]
