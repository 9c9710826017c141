"""One pass over one Work: from its manifests to what it says of them.

A pass that is cut off anywhere can be begun again: what is to be applied has been written down before, objects that are
there already are found by their owner, and a status is written last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import DEFAULT_APPLY, with_defaults
from argosy.api.objects.fleet.works import AppliedWork, Work
from argosy.base.clock import Clock
from argosy.client.protocol import Client
from argosy.member.applying.following import Following
from argosy.member.applying.manifests import Find, Identity, Manifest, identity, read
from argosy.member.applying.owners import owner_of
from argosy.member.applying.permits import Fenced, Permits
from argosy.member.applying.preparing import preparation
from argosy.member.applying.processing import Ended, Pass, Settled, process
from argosy.member.applying.removing import remove
from argosy.member.applying.results import Result
from argosy.member.applying.statuses import (
    applied_work_status,
    by_identity,
    is_reporting,
    work_status,
)
from argosy.member.applying.views import Views
from argosy.member.applying.waves import waves
from argosy.member.availability.outcomes import has_finished
from argosy.member.comparing.queues import IGNORE

# Manifests of a wave that are on their way at the same time.
_ABREAST: Final = 16


@dataclass(slots=True, frozen=True)
class Passed:
    """What came of a pass; `work` is the Work as it was left."""

    work: Work
    results: tuple[Result, ...]


class Passing:
    """Takes Works through passes on one member."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        views: Views,
        find: Find,
        following: Following,
        permits: Permits,
        *,
        holds_jobs: bool,
    ) -> None:
        self._client = client
        self._clock = clock
        self._views = views
        self._find = find
        self._following = following
        self._permits = permits
        self._holds_jobs = holds_jobs

    async def run(
        self, work: Work, applied: AppliedWork, settled: dict[Identity, Settled]
    ) -> Passed | None:
        """None where the Work has changed under our hands: it will be looked at again. Fenced if it may not be applied
        any more.
        """
        manifests = read(work.spec.workload.manifests, self._find)
        owner = owner_of(applied.metadata.name, applied.metadata.uid)
        prepared = preparation(work, manifests, self._clock.now())
        if prepared is not None:
            for identifier in prepared.left_over:
                await remove(self._client, identifier, owner)
            generation = work.metadata.generation
            work = await self._views.set_status(work, prepared.status)
            if work.metadata.generation != generation:
                return None
        shared = Pass(
            owner,
            with_defaults(work.spec.apply_strategy or DEFAULT_APPLY),
            self._views.has_work,
            self._ended(work, applied),
            leaves_queues(work),
            self._holds_jobs,
            settled,
        )
        results = await self._process(work, manifests, shared)
        work = await self._views.set_status(
            work, work_status(work, list(results), self._clock.now())
        )
        await self._views.set_applied_status(applied, applied_work_status(results))
        return Passed(work, results)

    async def _process(
        self, work: Work, manifests: list[Manifest], shared: Pass
    ) -> tuple[Result, ...]:
        """The results in the order of the Work. Whoever only reports diffs needs no waves."""
        done: dict[int, Result] = {
            each.identifier.ordinal: Result(each, each.failure, each.error)
            for each in manifests
            if each.failure is not None
        }
        groups = waves(manifests)
        if is_reporting(work):
            groups = [[each for group in groups for each in group]]
        for group in groups:
            for start in range(0, len(group), _ABREAST):
                if not self._permits.holds(work):
                    raise Fenced
                some = group[start : start + _ABREAST]
                coming = (process(self._client, each, shared) for each in some)
                for each, result in zip(some, await asyncio.gather(*coming), strict=True):
                    done[each.identifier.ordinal] = result
        return tuple(done[each.identifier.ordinal] for each in manifests)

    def _ended(self, work: Work, applied: AppliedWork) -> Callable[[Manifest, str], Ended | None]:
        """What is known of jobs that are gone: their last word, or what the Work said of them before."""

        def ended(manifest: Manifest, digest: str) -> Ended | None:
            known = manifest.identity
            if known is None:
                return None
            outcomes = self._following.outcomes(work.metadata.name, applied.metadata.uid)
            outcome = outcomes.get(known)
            if outcome is not None and outcome.is_finished and outcome.manifest == digest:
                return Ended(outcome.uid, outcome.generation, outcome)
            entry = by_identity(work.status.manifest_conditions).get(known)
            if entry is None or not has_finished(entry.conditions, digest):
                return None
            uids = {identity(each): each.uid for each in applied.status.applied_resources}
            return Ended(uids.get(known, ""))

        return ended


def leaves_queues(work: Work) -> bool:
    """Whether the Work leaves to a queue what the queue owns."""
    return work.metadata.annotations.get(names.QUEUE_MANAGED) == IGNORE
