"""What filling in a new job asks of the cluster."""

from __future__ import annotations

from typing import Protocol

from argosy.base.types import Object
from argosy.queueing.jobs.ancestry import Parent


class Facts(Protocol):
    """The cluster as it is at this moment."""

    @property
    def manages_unnamed(self) -> bool: ...

    def is_managed_namespace(self, name: str) -> bool: ...

    def has_default_queue(self, namespace: str) -> bool: ...

    def has_default_priority(self) -> bool: ...

    def is_dispatched(self, namespace: str, queue: str) -> bool:
        """Whether the queue sends its workloads to other clusters."""

    def is_framework(self, reference: Object) -> bool:
        """Whether an owner is of a kind that is managed."""

    def parent(self, reference: Object, namespace: str) -> Parent | None:
        """The owner a reference names, if it is of a kind that is followed."""
