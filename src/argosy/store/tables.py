"""The objects of one resource: by key, in order, and indexed."""

from __future__ import annotations

from argosy.store.indexes import Indexes, Term
from argosy.store.ordering import SortedKeys
from argosy.store.records import Key, Record


class Table:
    """One resource."""

    __slots__ = ("indexes", "order", "records")

    def __init__(self, records: dict[Key, Record]) -> None:
        self.records = records
        self.order = SortedKeys(records)
        self.indexes = Indexes()

    def put(self, record: Record) -> Record | None:
        """Store a record; returns the one it replaces."""
        previous = self.records.get(record.key)
        self.records[record.key] = record
        if previous is None:
            self.order.add(record.key)
        self.indexes.change(record, previous)
        return previous

    def remove(self, key: Key) -> Record:
        previous = self.records.pop(key)
        self.order.remove(key)
        self.indexes.change(None, previous)
        return previous

    def holders(self, term: Term, value: str) -> SortedKeys:
        return self.indexes.find(term, value, self.records.values())
