"""Watches over what runs here under terms, and ends it when the hub has been away for too long.

It works on the member alone, so it works from the first moment of an agent that cannot reach the hub. One key per
AppliedWork, looked at when its time may have come: a heartbeat costs no look, only the record of it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.reschedules import (
    SHORTEST_SECONDS,
    beat_seconds,
    fence_seconds,
    read_reschedule,
)
from argosy.api.objects.fleet.works import AppliedWork, Work
from argosy.api.objects.metadata import decoder
from argosy.base.durations import format_duration
from argosy.base.errors import NotFound, StatusError
from argosy.base.types import Object
from argosy.client.protocol import Propagation
from argosy.client.resources import APPLIED_WORKS, WORKS
from argosy.control.assemblies import Assembly
from argosy.control.informers import Selection
from argosy.control.reconcilers import DONE, Result
from argosy.member.fencing.agreements import agreement, terms_of
from argosy.member.fencing.records import Records
from argosy.member.fencing.standings import Standing
from argosy.member.joining.agents import Beat, Joining

_LOG: Final = logging.getLogger(__name__)
_MANAGER: Final = "member-agent"
_WORKERS: Final = 8
# Ending cannot wait: a member that does not answer is asked again at once, however long that takes.
_RETRY_SECONDS: Final = 1.0
# A moment that is a rounding error away is worth one look, not a thousand.
_SOON_SECONDS: Final = 0.01
# How often to see whether something began to run in what seemed to be over.
_OVER_SECONDS: Final = 15.0
# The key of the record; no AppliedWork has this name.
_RECORD: Final = ""


class Fencing:
    """The fence around one member's Works. It is what the work applier asks for leave."""

    def __init__(self, hub: Assembly, member: Assembly, joining: Joining) -> None:
        self._clock = member.clock
        self._hub = hub.client
        self._member = member.client
        self._joining = joining
        self._namespace = joining.namespace
        self._records = Records(member.client, joining.cluster)
        self._standing = Standing()
        # When the last proof was sent by the wall clock, and what is written down of that.
        self._sent_at: float | None = None
        self._recorded_at: float | None = None
        # By Work: its uid and terms, as read afresh since there has been a proof without a gap.
        self._proven: dict[str, tuple[str, float]] = {}
        # How often there was none for so long that something may have been given away.
        self._gaps = 0
        self._refused: set[str] = set()
        # By Work: the terms, for the pace of heartbeats.
        self._terms: dict[str, float] = {}
        self._has_left = False
        self._has_complained = False
        self._look_again: Callable[[str], None] = lambda _name: None
        self._is_over: Callable[[AppliedWork], bool] = lambda _applied: False
        self._works = hub.informer(WORKS, Work, Selection(namespace=self._namespace))
        self._applied = member.informer_when_served(APPLIED_WORKS, AppliedWork)
        self._queue = member.controller(
            f"work-fencing-controller/{joining.cluster}", self._reconcile, workers=_WORKERS
        )
        self._applied.add_handler(self._applied_changed)
        joining.follow(self._beat, self._left, self._pace)

    def serve(
        self, look_again: Callable[[str], None], is_over: Callable[[AppliedWork], bool]
    ) -> None:
        self._look_again = look_again
        self._is_over = is_over

    # What is heard.

    def _applied_changed(self, _old: AppliedWork | None, new: AppliedWork | None) -> None:
        after = _duty(new) if new is not None else None
        if new is not None and after is not None:
            self._note(new.metadata.name, after)
            self._queue.add(new.metadata.name)

    def _beat(self, beat: Beat) -> None:
        self._has_left = False
        if beat.is_lost:
            # The hub is there, but it may be giving away what we had.
            return
        gap = self._standing.acknowledge(beat.sent, self._clock.monotonic())
        broken = [
            name for name, (_uid, after) in self._proven.items() if gap >= fence_seconds(after)
        ]
        for name in broken:
            del self._proven[name]
        self._gaps += gap >= fence_seconds(SHORTEST_SECONDS)
        self._sent_at = beat.at
        if self._terms:
            self._queue.add(_RECORD)
        waiting, self._refused = self._refused.union(broken), set()
        for name in sorted(waiting):
            self._look_again(name)

    def _left(self) -> None:
        """Told to leave the fleet: what is here stays here."""
        self._has_left = True
        self._proven.clear()
        for applied in self._applied:
            self._queue.add(applied.metadata.name)

    def _pace(self) -> float:
        """How often the strictest terms want the agent to beat."""
        return min(map(beat_seconds, self._terms.values()), default=float("inf"))

    def _note(self, name: str, after: float) -> None:
        if self._terms.get(name) == after:
            return
        is_stricter = beat_seconds(after) < self._pace()
        self._terms[name] = after
        if is_stricter:
            self._joining.beat_soon()

    # Leave to apply.

    async def permitted(self, work: Work) -> Work | None:
        after = terms_of(work)
        name, uid = work.metadata.name, work.metadata.uid
        if after is None:
            self.forget(name)
            return work
        self._note(name, after)
        if not self._standing.holds(after, self._clock.monotonic()):
            self._refused.add(name)
            return None
        if self._proven.get(name) == (uid, after):
            return work
        return await self._prove(work, after)

    async def _prove(self, work: Work, after: float) -> Work | None:
        """Read the Work afresh: what we have watched may be from before it was given away."""
        name, uid = work.metadata.name, work.metadata.uid
        gaps = self._gaps
        if self._recorded_at is None:
            await self._record()
        try:
            raw = await self._hub.get(WORKS, name, namespace=self._namespace)
        except NotFound:
            return None
        fresh: Work = decoder(Work)(bytes(raw.body))
        self._works.learn(raw)
        if fresh.metadata.deletion_timestamp is not None or fresh.metadata.uid != uid:
            return None
        holds = self._standing.holds(after, self._clock.monotonic())
        if gaps != self._gaps or not holds or terms_of(fresh) != after:
            self._refused.add(name)
            return None
        self._proven[name] = (uid, after)
        return fresh

    def holds(self, work: Work) -> bool:
        after = terms_of(work)
        if after is None:
            return True
        is_proven = self._proven.get(work.metadata.name) == (work.metadata.uid, after)
        return is_proven and self._standing.holds(after, self._clock.monotonic())

    async def agree(self, work: Work, applied: AppliedWork) -> Work:
        wanted = agreement(work, applied)
        if wanted.says and wanted.says_first:
            work = await self._say(work, wanted.text)
        if wanted.keeps:
            await self._keep(applied, wanted.text)
        if wanted.says and not wanted.says_first:
            work = await self._say(work, wanted.text)
        return work

    async def _say(self, work: Work, text: str | None) -> Work:
        meta = work.metadata
        patch: Object = {
            "metadata": {
                "annotations": {names.RESCHEDULE_ACCEPTED: text},
                "resourceVersion": meta.resource_version,
            }
        }
        raw = await self._hub.patch(
            WORKS, meta.name, patch, namespace=meta.namespace, field_manager=_MANAGER
        )
        self._works.learn(raw)
        said: Work = decoder(Work)(bytes(raw.body))
        after = terms_of(said)
        if after is not None and meta.name in self._proven:
            # Longer terms take the place of shorter ones, which hold still.
            self._proven[meta.name] = (meta.uid, after)
        return said

    async def _keep(self, applied: AppliedWork, text: str | None) -> None:
        raw = await self._member.patch(
            APPLIED_WORKS,
            applied.metadata.name,
            {"metadata": {"annotations": {names.RESCHEDULE: text}}},
            field_manager=_MANAGER,
        )
        self._applied.learn(raw)

    def forget(self, name: str) -> None:
        self._proven.pop(name, None)
        self._terms.pop(name, None)
        self._refused.discard(name)

    # The end.

    async def _reconcile(self, name: str) -> Result:
        try:
            result = await (self._look(name) if name != _RECORD else self._record())
        except StatusError as error:
            level = logging.DEBUG if self._has_complained else logging.WARNING
            _LOG.log(level, "%s: cannot guard %s: %s", self._joining.cluster, name, error)
            self._has_complained = True
            return Result(_RETRY_SECONDS)
        self._has_complained = False
        return result

    async def _look(self, name: str) -> Result:
        applied = self._applied.get("", name)
        after = _duty(applied) if applied is not None else None
        if applied is None or after is None or applied.metadata.deletion_timestamp is not None:
            return DONE
        if self._has_left:
            await self._keep(applied, None)
            return DONE
        await self._recall()
        left = self._standing.left(after, self._clock.monotonic())
        if left > 0:
            return Result(max(left, _SOON_SECONDS))
        if self._is_over(applied):
            return Result(_OVER_SECONDS)
        await self._fence(applied, after)
        return Result(_RETRY_SECONDS)

    async def _fence(self, applied: AppliedWork, after: float) -> None:
        meta = applied.metadata
        self._proven.pop(meta.name, None)
        _LOG.warning(
            "%s: the hub has been away for %s: %s ends here, it may be given to another cluster",
            self._joining.cluster,
            format_duration(fence_seconds(after)),
            meta.name,
        )
        try:
            await self._member.delete(
                APPLIED_WORKS, meta.name, propagation=Propagation.FOREGROUND, uid=meta.uid
            )
        except NotFound:
            return

    # The record.

    async def _recall(self) -> None:
        """Count on from where the agent before this one was."""
        if self._standing.is_known:
            return
        moment = await self._records.read()
        age = self._clock.time() - moment if moment is not None else -1.0
        # A record of the future tells nothing.
        sent = self._clock.monotonic() - age if age >= 0 else -float("inf")
        self._standing.recall(sent)

    async def _record(self) -> Result:
        moment = self._sent_at
        if moment is not None and moment != self._recorded_at:
            await self._records.write(moment)
            self._recorded_at = moment
        return DONE


def _duty(applied: AppliedWork) -> float | None:
    return read_reschedule(applied.metadata.annotations, names.RESCHEDULE)
