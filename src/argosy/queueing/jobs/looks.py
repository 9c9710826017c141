"""One look at a job on its way through the steps: what is known, and what was found to do so far.

What is to be said in the Workload's status is gathered in a draft, which the steps read as if it were written; `flush`
makes one write of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.control.recorders import EventType
from argosy.queueing.jobs import names
from argosy.queueing.jobs.actions import (
    Action,
    Change,
    DropFinalizer,
    Event,
    PatchWorkload,
    Remove,
)
from argosy.queueing.jobs.kinds import JobKind, Step, Stop
from argosy.queueing.jobs.podsets import remembered
from argosy.queueing.jobs.surroundings import Surroundings
from argosy.queueing.workloads import phases
from argosy.queueing.workloads.drafts import StatusDraft


class Look:
    """A job that is looked at."""

    def __init__(
        self, kind: JobKind, job: Object, workloads: list[Workload], around: Surroundings
    ) -> None:
        self.kind = kind
        self.job = job
        self.workloads = workloads
        self.around = around
        self.actions: list[Action] = []
        # The Workload that mirrors the job, once it is found, and what is going to be its status.
        self._found: Workload | None = None
        self._draft: StatusDraft | None = None

    @property
    def workload(self) -> Workload | None:
        return self._found if self._draft is None else self._draft.workload

    @workload.setter
    def workload(self, workload: Workload) -> None:
        self._found, self._draft = workload, None

    @property
    def mirror(self) -> Workload:
        """The Workload, for the steps after the one that finds or makes it."""
        workload = self.workload
        assert workload is not None, "found or made by now"
        return workload

    @property
    def draft(self) -> StatusDraft:
        """What is going to be the Workload's status."""
        if self._draft is None:
            self._draft = StatusDraft(self.mirror, self.around.now)
        return self._draft

    def flush(self) -> None:
        """Write what the draft says by now."""
        draft, found = self._draft, self._found
        patch = draft.patch() if draft is not None else None
        if draft is not None and found is not None and patch is not None:
            self.actions.append(PatchWorkload(found, patch, "status"))
            self.workload = draft.workload

    def event(
        self, reason: str, message: str, *, is_warning: bool = False, about: Object | None = None
    ) -> None:
        type_: EventType = "Warning" if is_warning else "Normal"
        obj = self.job if about is None else about
        self.actions.append(Event(self.kind.resource, obj, type_, reason, message))

    def take(self, steps: Iterable[Step], reason: str = "", message: str = "") -> None:
        """Write, and tell of what is to be told."""
        resource = self.kind.resource
        for step in steps:
            if step.after is None:
                self.actions.append(Remove(resource, step.before))
            else:
                change = Change(resource, step.before, step.after, step.subresource)
                self.actions.append(change)
            if step.is_told:
                self.event(reason, message, about=step.before)

    def stop(self, workload: Workload | None, reason: str, message: str) -> None:
        """Suspend the job and put it back; told only where something had to be stopped."""
        stop = Stop(reason, message, self.around.now)
        steps = self.kind.stopping(self.job, remembered(workload), stop)
        self.take(steps, names.STOPPED, message)

    def let_go(self, workload: Workload) -> None:
        """Nobody runs on the Workload's quota any more."""
        if is_held(workload):
            self.actions.append(DropFinalizer(workload))


def key_of(workload: Workload) -> str:
    return f"{workload.metadata.namespace}/{workload.metadata.name}"


def is_held(workload: Workload) -> bool:
    """Whether the Workload stays until its job lets it go."""
    return phases.RESOURCE_IN_USE in workload.metadata.finalizers
