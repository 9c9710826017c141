"""The jobs of a fleet, kept current object by object.

Ten thousand jobs are not read again because one has changed: what an object concerns is noted (`put`, `remove`), and
`settle` reads the jobs that were concerned, as many as there is time for. Jobs and placements are kept as the bytes
they came as, which in the process of a fleet are the store's own. Which placement a job belongs to is decided as
`sdk.selecting` does; the placements it could belong to are found by name.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.metadata import decoder
from argosy.api.prices import Prices
from argosy.base.types import Object
from argosy.client.objects import Key, Raw, decode
from argosy.client.resources import Resource
from argosy.placement.templating.children import is_template
from argosy.sdk import kinds
from argosy.sdk.jobs import FleetJob, JobState
from argosy.sdk.reading import placed_job
from argosy.sdk.selecting import PlacementIndex

# Is told of a job that reads differently: how it was before (None: it was not there), and how it is.
Tell: TypeAlias = Callable[[FleetJob | None, FleetJob], None]

_LOG: Final = logging.getLogger(__name__)
_read: Final = decoder(Placement)


class Ref(NamedTuple):
    """A job, whatever version it is served in."""

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(slots=True, frozen=True)
class _Entry:
    """What a placement selects: says it selected (`is_silent` False), or names while it says nothing yet. One that
    selects by labels, or a namespace, means any job of its namespace (`is_broad`).
    """

    raw: Raw
    refs: tuple[Ref, ...] = ()
    is_silent: bool = False
    is_broad: bool = False
    rank: tuple[bool, float, str] = (False, 0.0, "")


class Jobs:
    """All jobs. `prices` are those of the clusters, by name, and belong to somebody else."""

    def __init__(self, prices: Mapping[str, Prices], tell: Tell) -> None:
        self._prices = prices
        self._tell = tell
        self._raws: dict[Ref, Raw] = {}
        self._names: dict[str, dict[Ref, None]] = {}
        self._placements: dict[Key, _Entry] = {}
        self._named: dict[Ref, dict[Key, None]] = {}
        self._broad: dict[str, dict[Key, None]] = {}
        self._dirty: dict[Ref, None] = {}
        self._jobs: dict[Ref, FleetJob] = {}
        self.counts: Final[Counter[JobState]] = Counter()
        # Grows whenever a job reads differently.
        self.version = 0

    def __iter__(self) -> Iterator[FleetJob]:
        return iter(self._jobs.values())

    @property
    def is_settled(self) -> bool:
        return not self._dirty

    # What comes.

    def put(self, raw: Raw) -> None:
        """A job is there, or has changed."""
        ref = _ref(raw)
        self._raws[ref] = raw
        self._names.setdefault(ref.namespace, {})[ref] = None
        self._dirty[ref] = None

    def remove(self, raw: Raw) -> None:
        ref = _ref(raw)
        self._raws.pop(ref, None)
        self._names.get(ref.namespace, {}).pop(ref, None)
        self._dirty.pop(ref, None)
        if (had := self._jobs.pop(ref, None)) is not None:
            self.counts[had.state] -= 1
            self.version += 1

    def retain(self, resource: Resource, keys: set[Key]) -> None:
        """These are all there are of a kind."""
        gone = [
            raw
            for ref, raw in self._raws.items()
            if (ref.group, ref.kind) == (resource.group, resource.kind) and raw.key not in keys
        ]
        for raw in gone:
            self.remove(raw)

    def put_placement(self, raw: Raw) -> None:
        self.remove_placement(raw)
        try:
            placement = _decoded(raw)
        except msgspec.DecodeError as error:
            _LOG.error("%s %s cannot be read: %s", raw.resource.qualified, raw.key, error)
            return
        if is_template(placement):
            return
        entry = self._placements[raw.key] = _entry(raw, placement)
        for ref in entry.refs:
            self._named.setdefault(ref, {})[raw.key] = None
            self._concern(ref)
        if entry.is_broad:
            self._broad.setdefault(raw.namespace, {})[raw.key] = None
            self._concern_all(raw.namespace)

    def remove_placement(self, raw: Raw) -> None:
        entry = self._placements.pop(raw.key, None)
        if entry is None:
            return
        for ref in entry.refs:
            named = self._named[ref]
            del named[raw.key]
            if not named:
                del self._named[ref]
            self._concern(ref)
        if entry.is_broad:
            del self._broad[raw.namespace][raw.key]
            self._concern_all(raw.namespace)

    def retain_placements(self, resource: Resource, keys: set[Key]) -> None:
        gone = [
            entry.raw
            for key, entry in self._placements.items()
            if bool(key.namespace) == resource.namespaced and key not in keys
        ]
        for raw in gone:
            self.remove_placement(raw)

    def _concern(self, ref: Ref) -> None:
        if ref in self._raws:
            self._dirty[ref] = None

    def _concern_all(self, namespace: str) -> None:
        self._dirty |= self._names.get(namespace, {}) if namespace else dict.fromkeys(self._raws)

    # What it comes to.

    def settle(self, has_time: Callable[[], bool]) -> None:
        """Read the jobs that something has changed about, at least one, while there is time."""
        while self._dirty:
            ref = next(iter(self._dirty))
            del self._dirty[ref]
            self._settle(ref)
            if not has_time():
                return

    def _settle(self, ref: Ref) -> None:
        try:
            obj = decode(self._raws[ref])
            job = placed_job(obj, self._placement(ref, obj), self._prices)
        except Exception:  # noqa: BLE001  (one object nobody expected must not take the others from the screen)
            _LOG.exception("%s %s/%s cannot be shown", ref.kind, ref.namespace, ref.name)
            return
        had = self._jobs.get(ref)
        if had is not None and had.uid == job.uid and job.started is None:
            # An object that has ended does not tell any more when it began; who has seen it, knows.
            job = replace(job, started=had.started)
        if job == had:
            return
        self._jobs[ref] = job
        self.version += 1
        if had is not None:
            self.counts[had.state] -= 1
        self.counts[job.state] += 1
        self._tell(had, job)

    def _placement(self, ref: Ref, obj: Object) -> Placement | None:
        keys = self._named.get(ref, {})
        entries = [self._placements[key] for key in keys]
        selected = min(
            (each for each in entries if not each.is_silent),
            key=lambda each: each.rank,
            default=None,
        )
        found = _decoded(selected.raw) if selected is not None else None
        if found is not None and found.metadata.namespace:
            return found
        silent = [each.raw for each in entries if each.is_silent]
        for namespace in (ref.namespace, ""):
            silent += [self._placements[key].raw for key in self._broad.get(namespace, {})]
        meant = PlacementIndex(map(_decoded, silent)).of(obj) if silent else None
        if meant is not None and meant.metadata.namespace:
            return meant
        return found or meant


def _ref(raw: Raw) -> Ref:
    return Ref(raw.resource.group, raw.resource.kind, raw.namespace, raw.name)


@lru_cache(maxsize=64)
def _decode(body: bytes) -> Placement:
    """A placement may have ten thousand jobs, which are read one after the other."""
    found: Placement = _read(body)
    return found


def _decoded(raw: Raw) -> Placement:
    return _decode(bytes(raw.body))


def _entry(raw: Raw, placement: Placement) -> _Entry:
    meta, status = placement.metadata, placement.status
    created = meta.creation_timestamp
    rank = (not meta.namespace, created.timestamp() if created is not None else 0.0, meta.name)
    if status.selected_resources or status.conditions:
        refs = [
            Ref(each.group, each.kind, each.namespace, each.name)
            for each in status.selected_resources
            if kinds.is_job(each.group, each.kind)
        ]
        return _Entry(raw, tuple(dict.fromkeys(refs)), rank=rank)
    terms = placement.spec.resource_selectors
    if meta.namespace and all(each.name for each in terms):
        refs = [Ref(each.group, each.kind, meta.namespace, each.name) for each in terms]
        return _Entry(raw, tuple(dict.fromkeys(refs)), is_silent=True, rank=rank)
    return _Entry(raw, is_silent=True, is_broad=True, rank=rank)
