"""Finding records by a value they hold.

`Buckets` maps a value to the keys that hold it, in order, so that a list by label is a walk like any other.
Most values of most indexes have one holder (a node's name, an owner of one), so a bucket is the bare key until
there are two.

A resource's label and field indexes come into being with the first list that asks for `key=value`, and are kept
current from then on: what nobody asks for costs neither memory nor time, and that is nearly every label of a
hundred thousand pods. The number of indexes is bounded; the one not used for longest goes. Building one costs a
walk over the resource, the price of the list it serves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from argosy.store.ordering import SortedKeys
from argosy.store.records import Key, Record


class Buckets:
    """A value's holders."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[str, Key | SortedKeys] = {}

    def add(self, value: str, key: Key) -> None:
        held = self._held.setdefault(value, key)
        if isinstance(held, SortedKeys):
            if key not in held:
                held.add(key)
        elif held != key:
            self._held[value] = SortedKeys((held, key))

    def discard(self, value: str, key: Key) -> None:
        held = self._held.get(value)
        if isinstance(held, SortedKeys):
            if key in held:
                held.remove(key)
                if len(held) == 1:
                    self._held[value] = held.last()
        elif held == key:
            del self._held[value]

    def get(self, value: str) -> SortedKeys:
        held = self._held.get(value)
        if isinstance(held, SortedKeys):
            return held
        return SortedKeys(() if held is None else (held,))

    def __len__(self) -> int:
        return len(self._held)


# A term a selector may ask for: ("label", "job-name") or ("field", "spec.nodeName").
Term = tuple[str, str]


def _reader(term: Term) -> Callable[[Record], str | None]:
    kind, name = term
    if kind == "label":
        return lambda record: record.meta.labels.get(name)
    if name == "metadata.name":
        return lambda record: record.key.name
    return lambda record: record.meta.fields.get(name, "")


class Indexes:
    """The indexes of one resource."""

    __slots__ = ("_live",)

    LIMIT: Final = 16

    def __init__(self) -> None:
        # Least recently used first.
        self._live: dict[Term, tuple[Callable[[Record], str | None], Buckets]] = {}

    def find(self, term: Term, value: str, records: Iterable[Record]) -> SortedKeys:
        """The holders of a value; `records` are all there are, read if the index has to be built."""
        found = self._live.pop(term, None)
        if found is None:
            if len(self._live) >= self.LIMIT:
                del self._live[next(iter(self._live))]
            found = (_reader(term), Buckets())
            read, buckets = found
            for record in records:
                if (held := read(record)) is not None:
                    buckets.add(held, record.key)
        self._live[term] = found
        return found[1].get(value)

    def change(self, new: Record | None, old: Record | None) -> None:
        """Follow one change; None stands for an absent object."""
        if new is not None and old is not None:
            was, now = old.meta, new.meta
            if was.labels is now.labels and was.fields is now.fields:
                return
        for read, buckets in self._live.values():
            before = None if old is None else read(old)
            after = None if new is None else read(new)
            if before == after:
                continue
            if before is not None and old is not None:
                buckets.discard(before, old.key)
            if after is not None and new is not None:
                buckets.add(after, new.key)

    @property
    def terms(self) -> list[Term]:
        return list(self._live)
