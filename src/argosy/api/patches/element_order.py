"""The order of a merged list: the patch's items as the patch has them, the server's own where they were.

Two lists without a common item are put together: `others`, which only the server has, and `ours`, which the patch
names. Both keep their inner order; an item of `others` goes before the first of `ours` that stood behind it on the
server. Items are told apart by a merge key, or by themselves when they are scalars.
"""

from __future__ import annotations

from argosy.base.types import Json


def by_key(items: list[Json], key: str) -> dict[Json, int]:
    """The place of the first item of each key value."""
    places: dict[Json, int] = {}
    for place, item in enumerate(items):
        value = item.get(key) if key else item
        if value.__hash__ is not None:
            places.setdefault(value, place)
    return places


def sorted_like(items: list[Json], order: list[Json], key: str = "") -> list[Json]:
    """`items`, which all stand in `order`, in its order."""
    places = by_key(order, key)
    return sorted(items, key=lambda item: places[item[key] if key else item])


def merge_orders(
    others: list[Json], ours: list[Json], server: list[Json], key: str = ""
) -> list[Json]:
    """Both lists in one, by the order of `server`."""
    places = by_key(server, key)
    others = sorted(others, key=lambda item: places.get(item[key] if key else item, -1))
    out: list[Json] = []
    waiting = iter(others)
    other = next(waiting, None)
    for item in ours:
        place = places.get(item[key] if key else item)
        while other is not None and place is not None:
            mine = places.get(other[key] if key else other)
            if mine is None or mine >= place:
                break
            out.append(other)
            other = next(waiting, None)
        out.append(item)
    while other is not None:
        out.append(other)
        other = next(waiting, None)
    return out
