"""Lists: pages in key order, of the present or of a recent revision.

A page of the present is a walk over the resource's keys. A page of the past is the same walk with the changes
since then undone: `changed` holds what each key changed since had at that revision, so those keys are skipped
in the walk and merged in as they were. That is how limit and continue stay consistent under writes without
copies of anything; it costs the page plus the events since.

Where a selector asks for `key=value`, the walk goes over the holders of the rarest such value, which are in
order too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import merge
from typing import Final, NamedTuple

from argosy.store.ordering import SortedKeys
from argosy.store.records import Key, Page, Record
from argosy.store.selections import NAME, Selection, compile_filters
from argosy.store.tables import Table

# A walk over fewer keys than this is cheaper than thinking about an index.
_SMALL: Final = 128


class _Range(NamedTuple):
    """The keys a page may hold: after `start` (or from it, if inclusive), before `end`."""

    start: Key
    inclusive: bool
    end: Key | None

    def __contains__(self, key: object) -> bool:
        assert isinstance(key, Key)
        return (key >= self.start if self.inclusive else key > self.start) and (
            self.end is None or key < self.end
        )


def list_page(
    resource: str,
    table: Table,
    selection: Selection,
    *,
    limit: int,
    after: tuple[str, str] | None,
    changed: Mapping[Key, Record | None],
    revision: int,
) -> Page:
    """At most `limit` records (0: all) that follow `after`, as of `revision`."""
    within = _range(resource, selection.scope, after)
    matches = compile_filters(selection)
    found: list[Record] = []
    for run in _runs(table, selection, within, limit, changed):
        found += run if matches is None else filter(matches, run)
        if limit and len(found) > limit:
            break
    more = limit > 0 and len(found) > limit
    del found[limit if more else len(found) :]
    remaining = -1 if matches is not None and more else 0
    if matches is None and more:
        remaining = _count(table, within, changed) - len(found)
    return Page(found, revision, more, remaining)


def _range(resource: str, scope: str | None, after: tuple[str, str] | None) -> _Range:
    start = Key(resource, scope or "", "")
    end = None if scope is None else Key(resource, scope + "\0", "")
    if after is not None and (passed := Key(resource, *after)) >= start:
        return _Range(passed, False, end)
    return _Range(start, True, end)


def _runs(
    table: Table,
    selection: Selection,
    within: _Range,
    limit: int,
    changed: Mapping[Key, Record | None],
) -> Iterator[list[Record]]:
    """The candidates in order, in runs."""
    records = table.records
    keys = _candidates(table, selection, within)
    runs = keys.walk(within.start, inclusive=within.inclusive, end=within.end)
    if not changed:
        for run in runs:
            # A run can be longer than the page by far: look at no more records than could be on it.
            step = limit + 1 if limit else len(run) or 1
            for i in range(0, len(run), step):
                yield [records[key] for key in run[i : i + step]]
        return
    now = (records[key] for run in runs for key in run if key not in changed)
    then = sorted(
        [r for r in changed.values() if r is not None and r.key in within], key=lambda r: r.key
    )
    for record in merge(now, then, key=lambda r: r.key):
        yield [record]


def _candidates(table: Table, selection: Selection, within: _Range) -> SortedKeys:
    """The smallest set of keys that holds every match."""
    if not selection.filters or not table.records:
        return table.order
    name = selection.name
    if name is not None:
        scope = selection.scope
        if scope is None and not table.order.last().namespace:
            scope = ""
        if scope is not None:
            key = Key(within.start.resource, scope, name)
            return SortedKeys((key,) if key in table.records else ())
    span = _span(table, within)
    if span <= _SMALL:
        return table.order
    terms = [(("label", k), v) for k, v in selection.exact_labels().items()]
    terms += [(("field", k), v) for k, v in selection.exact_fields().items()]
    if name is not None:
        terms.append((("field", NAME), name))
    found = min((table.holders(term, value) for term, value in terms), key=len, default=table.order)
    return found if len(found) < span else table.order


def _span(table: Table, within: _Range) -> int:
    order = table.order
    end = len(order) if within.end is None else order.position(within.end)
    return max(0, end - order.position(within.start, inclusive=not within.inclusive))


def _count(table: Table, within: _Range, changed: Mapping[Key, Record | None]) -> int:
    """How many records the range held then."""
    count = _span(table, within)
    for key, record in changed.items():
        if key in within:
            count += (record is not None) - (key in table.records)
    return count
