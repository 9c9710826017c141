"""Follows the Works of one member, and takes each through a pass when it is due.

A Work is looked at when its generation changes, when its time has come (`backoffs`), and, for the sake of its jobs
only, a moment after one of them has news. Nothing is written that is there already: a Work at rest costs its member a
read per manifest now and then, and the hub nothing.

Whoever has not joined the fleet applies nothing. Until then, and after leaving, Works are left as they are. A Work that
may have been given to another cluster is not applied either (`permits`); it is ended all the same when it is deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.works import AVAILABLE, DIFF_REPORTED, AppliedWork, Work
from argosy.api.objects.metadata import find_condition
from argosy.base.errors import NotFound
from argosy.client.objects import Key
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.member.applying.backoffs import PACE, Backoff, Pace, after
from argosy.member.applying.catalogs import Catalog
from argosy.member.applying.ending import end
from argosy.member.applying.following import Following, are_over
from argosy.member.applying.holding import Holding
from argosy.member.applying.manifests import Identity
from argosy.member.applying.passing import Passed, Passing, leaves_queues
from argosy.member.applying.permits import Fenced, NoPermits, Permits
from argosy.member.applying.processing import Settled
from argosy.member.applying.reasons import ResultType
from argosy.member.applying.statuses import is_reporting, with_outcomes
from argosy.member.applying.views import Views
from argosy.member.metrics import ApplyingMetrics

WORKERS: Final = 20
# How long somebody who has not joined waits before asking again.
_JOIN_SECONDS: Final = 5.0
# Changes of jobs within this time are written together.
_BATCH_SECONDS: Final = 1.0
# The member tells when an AppliedWork has gone; this is for one that tells nothing.
_ENDING_SECONDS: Final = 5.0
_LEAVING_SECONDS: Final = 1.0
# Whoever gives leave says so; this is for the sake of what nobody thought of.
_FENCED_SECONDS: Final = 5.0


@dataclass(slots=True)
class _Memory:
    """What is known of a Work between passes. `due` is when the next one is to be."""

    generation: int
    leaves_queues: bool
    terms: str
    owner: str
    settled: dict[Identity, Settled] = field(default_factory=dict)
    backoff: Backoff | None = None
    due: float = 0.0
    # A manifest's kind is not served here; it may be one day.
    is_unresolved: bool = False


class Applying:
    """The work applier of the member `cluster`. `joined` tells whether it belongs to the fleet, `has_left` whether it
    did and does no more.
    """

    def __init__(
        self,
        hub: Assembly,
        member: Assembly,
        cluster: str,
        *,
        joined: Callable[[], bool] = lambda: True,
        has_left: Callable[[], bool] = lambda: False,
        pace: Pace = PACE,
        holds_jobs: bool = True,
        permits: Permits | None = None,
        workers: int = WORKERS,
    ) -> None:
        self._clock = hub.clock
        self._member = member
        self._joined = joined
        self._pace = pace
        self._permits = permits or NoPermits()
        self._permits.serve(self._take_up, self._is_over)
        self._views = Views(hub, member, cluster)
        self._catalog = Catalog(member, self._kinds_changed)
        self._following = Following(member, self._job_changed)
        Holding(member, cluster, self._views, has_left)
        self._passing = Passing(
            member.client,
            hub.clock,
            self._views,
            self._catalog.find,
            self._following,
            self._permits,
            holds_jobs=holds_jobs,
        )
        self._memories: dict[Key, _Memory] = {}
        self._metrics = ApplyingMetrics(hub.metrics, hub.clock)
        self._queue = hub.controller(
            f"work-applier-controller/{cluster}", self._reconcile, workers=workers
        )
        self._views.works.add_handler(self._work_changed)
        self._views.applied.add_handler(self._applied_changed)

    def look_again(self) -> None:
        """Take up every Work at once, after joining."""
        for work in self._views.works:
            self._queue.add(Key(*work.metadata.key))

    def _take_up(self, work: str) -> None:
        self._queue.add(self._views.key(work))

    def _is_over(self, applied: AppliedWork) -> bool:
        """Whether nothing of what a Work brought runs, or will run by itself."""
        outcomes = self._following.outcomes(applied.metadata.name, applied.metadata.uid)
        return are_over(applied.status.applied_resources, outcomes)

    # What is worth a look.

    def _work_changed(self, old: Work | None, new: Work | None) -> None:
        if new is None:
            if old is not None:
                self._forget(Key(*old.metadata.key))
            return
        self._metrics.changed(old, new)
        if old is None or _is_changed(old, new):
            self._queue.add(Key(*new.metadata.key))

    def _applied_changed(self, old: AppliedWork | None, new: AppliedWork | None) -> None:
        """Gone, whether we wanted it or not."""
        if old is None or new is not None:
            return
        key = self._views.key(old.metadata.name)
        if (memory := self._memories.get(key)) is not None:
            memory.due = 0.0
        self._queue.add(key)

    def _job_changed(self, work: str) -> None:
        self._queue.add_after(self._views.key(work), _BATCH_SECONDS)

    def _kinds_changed(self) -> None:
        for key, memory in self._memories.items():
            if memory.is_unresolved:
                memory.due = 0.0
                self._queue.add(key)

    def _forget(self, key: Key) -> None:
        self._memories.pop(key, None)
        self._following.forget(key.name)
        self._permits.forget(key.name)
        self._metrics.gone(key)

    # A look.

    async def _reconcile(self, key: Key) -> Result:
        if not self._joined():
            return Result(_JOIN_SECONDS)
        await self._member.started()
        work = self._views.work(key)
        if work is None:
            return DONE
        try:
            if work.metadata.deletion_timestamp is not None:
                return await self._end(key, work)
            permitted = await self._permits.permitted(work)
            if permitted is None:
                return Result(_FENCED_SECONDS)
            return await self._look(key, permitted)
        except Fenced:
            return Result(_FENCED_SECONDS)
        except NotFound:
            # The Work has gone in the meantime; if something else has, the next look sees it.
            if self._views.work(key) is None:
                return DONE
            raise

    async def _look(self, key: Key, work: Work) -> Result:
        memory = self._memories.get(key)
        wait = memory.due - self._clock.monotonic() if memory is not None else 0.0
        if memory is not None and wait > 0 and _is_of(memory, work):
            outcomes = self._following.outcomes(key.name, memory.owner)
            status = with_outcomes(work.status, outcomes, self._clock.now())
            await self._views.set_status(work, status)
            return Result(wait)
        # Held first, so that it cannot go and leave an AppliedWork behind.
        is_new = names.WORK_CLEANUP not in work.metadata.finalizers
        finalizers = dict.fromkeys((*work.metadata.finalizers, names.WORK_CLEANUP))
        work = await self._views.set_finalizers(work, finalizers)
        applied = await self._views.ensure_applied_work(work, is_new=is_new)
        if applied.metadata.deletion_timestamp is not None:
            # Of a Work of this name that was before: what it owns is on its way out.
            return Result(_LEAVING_SECONDS)
        work = await self._permits.agree(work, applied)
        memory = self._remember(key, work, applied)
        passed = await self._passing.run(work, applied, memory.settled)
        if passed is None:
            return DONE
        self._metrics.passed(passed.work, passed.results, reports=is_reporting(passed.work))
        return self._return(memory, passed)

    def _remember(self, key: Key, work: Work, applied: AppliedWork) -> _Memory:
        memory = self._memories.get(key)
        if memory is None or not _is_of(memory, work) or memory.owner != applied.metadata.uid:
            last = memory.backoff if memory is not None else None
            memory = _Memory(
                work.metadata.generation,
                leaves_queues(work),
                _terms(work),
                applied.metadata.uid,
                backoff=last,
            )
            self._memories[key] = memory
        return memory

    def _return(self, memory: _Memory, passed: Passed) -> Result:
        memory.is_unresolved = any(
            each.type is ResultType.DECODING_ERRED for each in passed.results
        )
        told = tuple((each.type, each.availability) for each in passed.results)
        memory.backoff = after(
            memory.backoff,
            memory.generation,
            told,
            is_settled=_is_settled(passed.work),
            pace=self._pace,
        )
        memory.due = self._clock.monotonic() + memory.backoff.seconds
        return Result(memory.backoff.seconds)

    async def _end(self, key: Key, work: Work) -> Result:
        finalizers = work.metadata.finalizers
        if names.WORK_CLEANUP not in finalizers:
            return DONE
        applied = await self._views.applied_work(key.name)
        if applied is not None:
            await end(self._member.client, work, applied, self._clock.now())
            applied = await self._views.applied_work(key.name)
        if applied is not None:
            return Result(_ENDING_SECONDS)
        self._forget(key)
        rest = [each for each in finalizers if each != names.WORK_CLEANUP]
        await self._views.set_finalizers(work, rest)
        return DONE


def _is_changed(old: Work, new: Work) -> bool:
    return (
        old.metadata.generation != new.metadata.generation
        or old.metadata.uid != new.metadata.uid
        or old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
        or leaves_queues(old) != leaves_queues(new)
        or _terms(old) != _terms(new)
    )


def _is_of(memory: _Memory, work: Work) -> bool:
    """Whether the memory is of the Work as it stands, and the Work is still held by us."""
    return (
        memory.generation == work.metadata.generation
        and memory.leaves_queues == leaves_queues(work)
        and memory.terms == _terms(work)
        and names.WORK_CLEANUP in work.metadata.finalizers
    )


def _terms(work: Work) -> str:
    """Under which terms the hub wants the Work to run."""
    return work.metadata.annotations.get(names.RESCHEDULE, "")


def _is_settled(work: Work) -> bool:
    generation = work.metadata.generation
    return any(
        is_current(find_condition(work.status.conditions, type_), generation, "True")
        for type_ in (AVAILABLE, DIFF_REPORTED)
    )
