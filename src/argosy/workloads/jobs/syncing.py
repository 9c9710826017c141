"""One look at one Job: decide, act on its pods, count what has ended, write the status.

The steps are upstream's syncJob. Deciding is done by `assessing`, `managing` and `tracking`, which see a consistent
picture; this module carries out what they say and feeds back what came of it. A Job that is over has its active pods
deleted; another gets the pods it should have. Then ended pods are counted, in rounds, and last the final condition is
added if everything has come to rest.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from argosy.api.objects import Condition, Job
from argosy.base.clock import Clock
from argosy.workloads.jobs import drafts, tracking
from argosy.workloads.jobs.assessing import Situation, assess
from argosy.workloads.jobs.drafts import COMPLETE, SUCCESS_CRITERIA_MET, SUSPENDED, condition
from argosy.workloads.jobs.ledgers import Ledger
from argosy.workloads.jobs.making import PodMaker
from argosy.workloads.jobs.managing import MOST_PER_LOOK, plan
from argosy.workloads.jobs.writing import Writer, count_ready

# Pod events and status changes are gathered for so long before the Job is looked at again.
BATCH_SECONDS: Final = 1.0


class Look:
    """Looks at a Job whose pods the ledger has. `look_again` says when it wants to, without anything happening."""

    def __init__(
        self, job: Job, ledger: Ledger, writer: Writer, clock: Clock, *, is_settled: bool
    ) -> None:
        self.job = job
        self._ledger = ledger
        self._writer = writer
        self._situation = assess(job, ledger, clock.now(), is_settled=is_settled)

    @property
    def look_again(self) -> float | None:
        return self._situation.look_again

    async def run(self) -> None:
        """Raises StatusError (most often Conflict) when the status could not be written. What failed on the way to
        that is in the writer's `error`.
        """
        situation = self._situation
        is_managed = False
        if situation.finishing is not None:
            await self._delete_active()
        else:
            if situation.is_settled and self.job.metadata.deletion_timestamp is None:
                await self._manage()
                is_managed = True
            if _is_complete(situation):
                situation.finishing = condition(
                    SUCCESS_CRITERIA_MET,
                    "True",
                    "CompletionsReached",
                    "Reached expected number of succeeded pods",
                    situation.now,
                )
            elif is_managed:
                self._note_suspension()
        draft = situation.draft
        draft.active, draft.ready = situation.active, situation.ready
        draft.terminating = situation.terminating
        await self._track()

    async def _delete_active(self) -> None:
        situation = self._situation
        active = [found.pod for found in self._ledger.active.values()]
        deleted = await self._writer.delete(active)
        situation.active -= len(deleted)
        situation.terminating += len(deleted)
        situation.ready -= count_ready(deleted)
        if situation.active or not situation.is_settled:
            # There may be more pods than those in the ledger, or some that could not be deleted.
            situation.finishing = None

    async def _manage(self) -> None:
        situation = self._situation
        wish = plan(situation, self._ledger)
        if wish.delete:
            deleted = await self._writer.delete_expecting(wish.delete)
            situation.active -= len(deleted)
            situation.terminating += len(deleted)
            situation.ready -= count_ready(deleted)
        elif wish.create:
            maker = PodMaker(situation)
            made = await self._writer.create([partial(maker.make, index) for index in wish.create])
            situation.active += made
            if len(wish.create) == MOST_PER_LOOK:
                self._look_again_after(BATCH_SECONDS)
        elif wish.wait_seconds is not None:
            self._look_again_after(max(wish.wait_seconds, BATCH_SECONDS))

    def _look_again_after(self, seconds: float) -> None:
        situation = self._situation
        before = situation.look_again
        situation.look_again = seconds if before is None else min(before, seconds)

    def _note_suspension(self) -> None:
        situation = self._situation
        if situation.is_suspended:
            wanted = _suspension("True", "JobSuspended", "Job suspended", situation)
            if situation.draft.ensure_condition(wanted):
                self._writer.event("Normal", "Suspended", "Job suspended")
            return
        wanted = _suspension("False", "JobResumed", "Job resumed", situation)
        if situation.draft.ensure_condition(wanted):
            self._writer.event("Normal", "Resumed", "Job resumed")
            # The deadline of a Job runs while it does.
            situation.draft.start_time = situation.now

    async def _track(self) -> None:
        situation, ledger, writer = self._situation, self._ledger, self._writer
        for batch in tracking.batches(situation, ledger):
            await self._write()
            if len(await writer.release(batch)) < len(batch):
                situation.draft.count_untracked(ledger.tracked)
                await self._write()
                return
        is_finished = tracking.finish(situation)
        await self._write()
        if is_finished and situation.finishing is not None:
            self._note_end(situation.finishing)

    async def _write(self) -> None:
        patch = drafts.patch(self.job, self._situation.draft)
        if patch is None:
            return
        self.job = await self._writer.write_status(self.job.metadata.name, patch)
        self._ledger.written = self.job
        self._ledger.backoff = self._situation.backoff

    def _note_end(self, final: Condition) -> None:
        job, writer = self.job, self._writer
        if final.type != COMPLETE:
            writer.event("Warning", final.reason, final.message)
            return
        completions = job.spec.completions
        if completions is not None and job.status.succeeded > completions:
            message = "Too many succeeded pods running after completion count reached"
            writer.event("Warning", "TooManySucceededPods", message)
        writer.event("Normal", "Completed", "Job completed")


def _is_complete(situation: Situation) -> bool:
    """Whether enough pods have succeeded and none is active."""
    completions = situation.job.spec.completions
    enough = situation.succeeded >= (completions if completions is not None else 1)
    return enough and situation.active == 0


def _suspension(status: str, reason: str, message: str, situation: Situation) -> Condition:
    return condition(SUSPENDED, status, reason, message, situation.now)
