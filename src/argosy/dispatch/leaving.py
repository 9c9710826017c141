"""Lets recorded jobs go, and placements of theirs, when they have been kept for as long as they asked."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from argosy.api.objects.fleet.outcomes import latest
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.errors import Conflict, NotFound
from argosy.client.objects import Key
from argosy.client.protocol import Propagation
from argosy.client.resources import CLUSTER_RESOURCE_PLACEMENTS, RESOURCE_PLACEMENTS, Resource
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.dispatch.keeping import Placed, leaving, problems
from argosy.dispatch.kinds import HubJob, Ref
from argosy.dispatch.measuring import Measures
from argosy.dispatch.sightings import Sightings

_LOG: Final = logging.getLogger(__name__)
COMPONENT: Final = "argosy-history"


class Leavers:
    """`default`: how long what says nothing is kept; None, for ever."""

    def __init__(
        self,
        assembly: Assembly,
        sightings: Sightings,
        measures: Measures,
        default: timedelta | None,
    ) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder(COMPONENT)
        self._sightings = sightings
        self._measures = measures
        self._default = default
        # What was told of, by uid, so that it is told once.
        self._warned: dict[str, str] = {}

    def check(self, ref: Ref, job: HubJob) -> None:
        """Tell of annotations that cannot be read, when there is still time to change them."""
        placements = [each.metadata for each in self._sightings.placements_of(ref)]
        for meta, problem in problems(job.metadata, *placements):
            if self._warned.get(meta.uid) != problem:
                self._warned[meta.uid] = problem
                resource = ref.resource if meta is job.metadata else _resource(meta)
                about = reference(resource, meta)
                self._recorder.event(about, "Warning", "InvalidKeepAfterEnd", problem)

    def forget(self, meta: ObjectMeta) -> None:
        self._warned.pop(meta.uid, None)

    async def let_go(self, ref: Ref, job: HubJob, ended: dict[Ref, datetime | None]) -> Result:
        """See to a recorded job; `ended` says of it, and of all that its placements select, when each did."""
        mine = ended[ref]
        if mine is None:
            return DONE
        placed = [self._placed(each, ended) for each in self._sightings.placements_of(ref)]
        now = self._clock.now()
        decided = leaving(job.metadata, mine, placed, self._default, now)
        for placement in decided.placements:
            await self._delete(_resource(placement.metadata), placement.metadata)
        if decided.job:
            await self._delete(ref.resource, job.metadata)
        if decided.due is None:
            return DONE
        return Result(requeue_after=max((decided.due - now).total_seconds(), 0.001))

    def _placed(self, placement: Placement, ended: dict[Ref, datetime | None]) -> Placed:
        selected = self._sightings.selected_by(placement)
        ends = [ended.get(each) for each in selected]
        last = latest(ends) if None not in ends else None
        return Placed(placement, last, is_last=len(selected) == 1)

    async def _delete(self, resource: Resource, meta: ObjectMeta) -> None:
        key = Key(*meta.key)
        try:
            await self._client.delete(
                resource,
                meta.name,
                namespace=meta.namespace or None,
                uid=meta.uid,
                propagation=Propagation.BACKGROUND,
            )
        except (NotFound, Conflict):
            # It has gone, or another one has its name: neither is ours any more.
            return
        self._measures.let_go(resource.kind)
        _LOG.info(
            "%s %s: deleted, as long after its end as it was to be kept", resource.qualified, key
        )


def _resource(meta: ObjectMeta) -> Resource:
    return RESOURCE_PLACEMENTS if meta.namespace else CLUSTER_RESOURCE_PLACEMENTS
