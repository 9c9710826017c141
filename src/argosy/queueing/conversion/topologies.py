"""Places of pods, listed one by one (v1beta1) and packed into slices (v1beta2).

A slice says once what the names of its places have in common on each level: everything (`universal`), or a prefix and
a suffix around roots. Packing keeps the order. It tries one slice for all, and slices for runs of hosts whose names
begin alike up to a dash; the shorter JSON wins, the runs when both are as long. A host's prefix is the longest that
another host has too; where that would make more slices than the API allows, shorter ones are tried.

Mirrors Kueue's encoding (KEP-2724). Laws, checked by tests/unit/queueing/conversion: unpacking what was packed gives
the same places in the same order; no slice and no list of them is longer than the API allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import msgspec

from argosy.api.wellknown import HOSTNAME
from argosy.base.errors import BadRequest
from argosy.base.types import Json, Object

_MOST_PLACES: Final = 100_000
_MOST_SLICES: Final = 1_000


class Place(NamedTuple):
    """A domain: its name level by level, and how many pods it has."""

    values: tuple[str, ...]
    pods: int


def packed(levels: Sequence[str], places: Sequence[Place]) -> Object:
    """A v1beta2 topologyAssignment."""
    runs = packed_in_runs(levels, places)
    if len(runs["slices"]) <= 1 or len(places) > _MOST_PLACES:
        return runs
    whole = _encoded(levels, [places])
    return whole if len(msgspec.json.encode(whole)) < len(msgspec.json.encode(runs)) else runs


def packed_in_runs(levels: Sequence[str], places: Sequence[Place]) -> Object:
    """A v1beta2 topologyAssignment with a slice for each run of hosts whose names begin alike."""
    return _encoded(levels, _runs(levels, places))


def unpacked(assignment: Object) -> Iterator[Place]:
    """The places of a v1beta2 topologyAssignment, in order."""
    for part in assignment.get("slices") or ():
        size = part["domainCount"]
        columns = [_names(level, size) for level in part["valuesPerLevel"]]
        counts = part["podCounts"]
        numbers = counts.get("individual") or [counts["universal"]] * size
        yield from map(Place, zip(*columns, strict=True), numbers)


def to_slices(assignment: Object, path: str) -> Object:
    """A v1beta1 topologyAssignment in v1beta2. `path` is where it stands, for what is said of it."""
    levels: Json = assignment.get("levels")
    domains: Json = assignment.get("domains")
    if not _is_texts(levels) or not _is_domains(domains):
        return assignment
    for index, domain in enumerate(domains):
        if len(domain["values"]) != len(levels):
            raise BadRequest(
                f"{path}.domains[{index}].values: {len(domain['values'])} values for {len(levels)} levels; "
                "give one value for each level"
            )
    places = [Place(tuple(domain["values"]), domain["count"]) for domain in domains]
    return packed(levels, places)


def to_domains(assignment: Object) -> Object:
    """A v1beta2 topologyAssignment in v1beta1."""
    if "slices" not in assignment:
        return assignment
    domains = [
        {"values": list(place.values), "count": place.pods} for place in unpacked(assignment)
    ]
    return {"levels": assignment.get("levels"), "domains": domains}


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_domains(value: Json) -> bool:
    return isinstance(value, list) and all(
        isinstance(domain, dict)
        and _is_texts(domain.get("values"))
        and isinstance(domain.get("count"), int)
        for domain in value
    )


def _names(level: Object, size: int) -> list[str]:
    if "universal" in level:
        return [level["universal"]] * size
    own = level["individual"]
    prefix, suffix = own.get("prefix") or "", own.get("suffix") or ""
    return [f"{prefix}{root}{suffix}" for root in own["roots"]]


def _encoded(levels: Sequence[str], runs: Sequence[Sequence[Place]]) -> Object:
    slices = [
        _slice(run[start : start + _MOST_PLACES])
        for run in runs
        for start in range(0, len(run), _MOST_PLACES)
    ]
    return {"levels": list(levels), "slices": slices}


def _slice(places: Sequence[Place]) -> Object:
    counts = [place.pods for place in places]
    alike = all(count == counts[0] for count in counts)
    return {
        "domainCount": len(places),
        "valuesPerLevel": [
            _level(column) for column in zip(*(place.values for place in places), strict=True)
        ],
        "podCounts": {"universal": counts[0]} if alike else {"individual": counts},
    }


def _level(names: Sequence[str]) -> Object:
    """What names have in common: a suffix as long as can be, and a prefix of what is left."""
    first = names[0]
    if all(name == first for name in names):
        return {"universal": first}
    shortest, low, high = min(map(len, names)), min(names), max(names)
    suffix = _common(*(name[::-1] for name in _outermost(names)), longest=shortest)
    # The lowest and the highest of sorted names have in common what all have.
    prefix = _common(low, high, longest=shortest - suffix)
    own: Object = {"roots": [name[prefix : len(name) - suffix] for name in names]}
    if prefix:
        own["prefix"] = first[:prefix]
    if suffix:
        own["suffix"] = first[len(first) - suffix :]
    return {"individual": own}


def _outermost(names: Sequence[str]) -> tuple[str, str]:
    """The two names that have the least in common at their ends."""
    return min(names, key=_backwards), max(names, key=_backwards)


def _backwards(name: str) -> str:
    return name[::-1]


def _common(one: str, other: str, *, longest: int) -> int:
    """How many characters two texts have in common at their beginning."""
    for index in range(min(longest, len(one), len(other))):
        if one[index] != other[index]:
            return index
    return min(longest, len(one), len(other))


def _runs(levels: Sequence[str], places: Sequence[Place]) -> list[Sequence[Place]]:
    """Runs of places whose hosts begin alike."""
    if not places:
        return []
    if len(places) < 2 or not levels or levels[-1] != HOSTNAME:
        return [places]
    candidates = [_prefixes(place.values[-1]) for place in places]
    uses = Counter(prefix for prefixes in candidates for prefix in prefixes)
    shared = [[prefix if uses[prefix] > 1 else "" for prefix in each] for each in candidates]
    for depth in range(max(map(len, shared)), 0, -1):
        keys = [next(filter(None, reversed(each[:depth])), "") for each in shared]
        runs = [list(run) for _, run in groupby(range(len(places)), keys.__getitem__)]
        if sum(-(-len(run) // _MOST_PLACES) for run in runs) <= _MOST_SLICES:
            return [places[run[0] : run[-1] + 1] for run in runs]
    return [places]


def _prefixes(host: str) -> list[str]:
    """What stands before each dash, the dash included, from the shortest; a dash at the end begins nothing."""
    return [host[: at + 1] for at, letter in enumerate(host[:-1]) if letter == "-"]
