"""One look at a job on its way through the steps: what is known, and what was found to do so far."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from argosy.api.objects import Condition
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.control.recorders import EventType
from argosy.queueing.jobs import conditions, names
from argosy.queueing.jobs.actions import Action, Change, DropFinalizer, Event, PatchWorkload
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.podsets import remembered
from argosy.queueing.jobs.surroundings import Surroundings


class Look:
    """A job that is looked at, and what was found to do so far."""

    def __init__(
        self, kind: JobKind, job: Object, workloads: list[Workload], around: Surroundings
    ) -> None:
        self.kind = kind
        self.job = job
        self.workloads = workloads
        self.around = around
        self.actions: list[Action] = []
        # The Workload that mirrors the job, once it is found.
        self.workload: Workload | None = None

    def event(self, reason: str, message: str, *, is_warning: bool = False) -> None:
        type_: EventType = "Warning" if is_warning else "Normal"
        self.actions.append(Event(self.kind.resource, self.job, type_, reason, message))

    def put(self, workload: Workload, new: Iterable[Condition]) -> None:
        """Write conditions, and go on with the Workload as it is then."""
        found = conditions.merged(workload, new, self.around.now)
        self.patch(workload, {"conditions": conditions.written(found)})
        status = msgspec.structs.replace(workload.status, conditions=found)
        self.workload = msgspec.structs.replace(workload, status=status)

    def patch(self, workload: Workload, status: Object) -> None:
        self.actions.append(PatchWorkload(workload, {"status": status}, "status"))

    def stop(self, workload: Workload | None, message: str) -> None:
        """Suspend the job and put it back; told only where something had to be stopped."""
        before, was_suspended = self.job, self.kind.is_suspended(self.job)
        for step in self.kind.stopping(self.job, remembered(workload)):
            self.actions.append(Change(self.kind.resource, before, step.after, step.subresource))
            before = step.after
        if not was_suspended:
            self.event(names.STOPPED, message)

    def finalize(self, workload: Workload) -> None:
        key = f"{workload.metadata.namespace}/{workload.metadata.name}"
        self.event(names.FINISHED_WORKLOAD, f"Workload '{key}' is declared finished")
        if names.RESOURCE_IN_USE in workload.metadata.finalizers:
            self.actions.append(DropFinalizer(workload))


def key_of(workload: Workload) -> str:
    return f"{workload.metadata.namespace}/{workload.metadata.name}"


def is_held(workload: Workload) -> bool:
    """Whether the Workload stays until its job lets it go."""
    return names.RESOURCE_IN_USE in workload.metadata.finalizers
