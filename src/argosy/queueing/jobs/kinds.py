"""`JobKind`: all that queueing has to know of a kind of jobs. One file in `integrations` per kind.

Jobs are plain dicts, as the server stores them, and are never changed: what is asked for is the job as it should be,
and the difference is what gets written. Everything here is pure.

A kind must say how a job is suspended, which pod sets it has, how it is started with what was assigned and put back
again, when it has finished, and whether its pods are ready. The rest has defaults that fit most kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from argosy.base.fielderrors import FieldError
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.queueing.jobs.podsets import PodSetInfo


@dataclass(slots=True, frozen=True)
class Outcome:
    """How a job ended, and what it says about it."""

    is_success: bool
    message: str


@dataclass(slots=True, frozen=True)
class Step:
    """One write: the object as it should be, through one of its endpoints."""

    after: Object
    subresource: str = ""


class JobKind(ABC):
    """See the module's docstring."""

    # The name in a Configuration, such as batch/job.
    framework: ClassVar[str]
    resource: ClassVar[Resource]
    # The resource is served by every cluster.
    is_builtin: ClassVar[bool] = False
    takes_prebuilt: ClassVar[bool] = True

    @property
    def gvk(self) -> str:
        """As Go prints a GroupVersionKind."""
        return f"{self.resource.group}/{self.resource.version}, Kind={self.resource.kind}"

    @property
    def webhook(self) -> str:
        """How refusals name the webhook."""
        return f"v{self.resource.kind.lower()}.kb.io"

    # What every kind says.

    @abstractmethod
    def is_suspended(self, job: Object) -> bool: ...

    @abstractmethod
    def suspended(self, job: Object) -> Object:
        """The job, told to stop."""

    @abstractmethod
    def is_active(self, job: Object) -> bool:
        """Whether pods of it still run."""

    @abstractmethod
    def pod_sets(self, job: Object) -> list[Object]:
        """As they stand in a Workload."""

    @abstractmethod
    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        """The job, running with these. Raises Permanent."""

    @abstractmethod
    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        """The job with the templates and counts it was made with."""

    @abstractmethod
    def finished(self, job: Object) -> Outcome | None: ...

    @abstractmethod
    def are_pods_ready(self, job: Object) -> bool: ...

    # What some kinds say.

    def stopping(self, job: Object, infos: Sequence[PodSetInfo]) -> list[Step]:
        """The writes that stop a job and put it back; none for one that is stopped."""
        if self.is_suspended(job):
            return []
        stopped = self.suspended(job)
        return [Step(self.restored(stopped, infos) if infos else stopped)]

    def reclaimable(self, job: Object) -> Mapping[str, int] | None:
        """Pods that will never be needed again, by pod set; None for kinds that do not tell."""
        return None

    def is_skipped(self, job: Object) -> bool:
        """Whether somebody else sees to this one."""
        return False

    def on_hold(self, job: Object) -> str:
        """Why the job wants no quota at present; "" when it does."""
        return ""

    def priority_class(self, job: Object) -> str:
        """The PriorityClass of the job as a whole, where the kind has a place for it."""
        return ""

    def can_be_dispatched(self, job: Object) -> bool:
        """Whether `managedBy` may be filled in for a ClusterQueue that sends its workloads elsewhere."""
        return False

    def validate(self, job: Object) -> list[FieldError]:
        """Rules of the kind for a new or changed job."""
        return []

    def validate_create(self, job: Object) -> list[FieldError]:
        """Rules of the kind for a new job alone."""
        return []

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Rules of the kind about changes."""
        return []
