"""What a decision asks for, in the order in which it is to be done.

Each action is one write or one event. They are done one after the other, and the first that fails ends the row: a later
look starts from what is there then. So an event that tells of a write comes after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.control.recorders import EventType


@dataclass(slots=True, frozen=True)
class Change:
    """An object that should become another, through one of its endpoints. `before` is what was looked at: if the
    object is no longer that, nothing is written.
    """

    resource: Resource
    before: Object
    after: Object
    subresource: str = ""


@dataclass(slots=True, frozen=True)
class Remove:
    """An object to be deleted."""

    resource: Resource
    obj: Object


@dataclass(slots=True, frozen=True)
class Event:
    """Something to tell about an object."""

    resource: Resource
    obj: Object
    type: EventType
    reason: str
    message: str


@dataclass(slots=True, frozen=True)
class CreateWorkload:
    body: Object


@dataclass(slots=True, frozen=True)
class PatchWorkload:
    """A merge patch of a Workload that is still what was looked at."""

    workload: Workload
    patch: Mapping[str, object]
    subresource: str = ""


@dataclass(slots=True, frozen=True)
class DropFinalizer:
    """Let a Workload go: nobody runs on its quota any more."""

    workload: Workload


@dataclass(slots=True, frozen=True)
class DeleteWorkload:
    workload: Workload


@dataclass(slots=True, frozen=True)
class LookAgain:
    """Something is missing that no event will tell of."""

    seconds: float


Action: TypeAlias = (
    Change
    | Remove
    | Event
    | CreateWorkload
    | PatchWorkload
    | DropFinalizer
    | DeleteWorkload
    | LookAgain
)
