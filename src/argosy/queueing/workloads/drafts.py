"""A Workload's status as it becomes during one look, and the patch that makes it so.

A `StatusDraft` starts from a Workload and takes changes; what it holds is at any time a complete, immutable Workload,
so every function here reads the draft as it reads the stored object. Nothing is written unless something differs:
`patch` is None then. It is a JSON merge patch of the fields that changed; lists are written whole, so the writer names
the revision it looked at.

A condition keeps its transition time while its status stays, as `meta.SetStatusCondition` has it, and says which
generation it speaks of. Times are stamped in whole seconds, because that is what the API keeps; `now` is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import Workload, WorkloadStatus
from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.types import Object
from argosy.control.recorders import EventType
from argosy.queueing.workloads.writing import written

# Kubernetes' limit on the message of a condition, and events' own.
CONDITION_BYTES: Final = 32 * 1024
EVENT_BYTES: Final = 1024
_CUT: Final = " ..."


@dataclass(slots=True, frozen=True)
class Happening:
    """An event about the workload, to be told once what it tells of has been written."""

    type: EventType
    reason: str
    message: str


def happening(type_: EventType, reason: str, message: str) -> Happening:
    return Happening(type_, reason, truncated(message, EVENT_BYTES))


class StatusDraft:
    """What is going to be the status of `workload`, which always shows the draft's present state."""

    __slots__ = ("_given", "now", "stamp", "workload")

    def __init__(self, workload: Workload, now: datetime) -> None:
        self._given: Final = workload
        self.workload = workload
        self.now: Final = now
        self.stamp: Final = now.replace(microsecond=0)

    @property
    def status(self) -> WorkloadStatus:
        return self.workload.status

    @status.setter
    def status(self, status: WorkloadStatus) -> None:
        self.workload = replace(self.workload, status=status)

    @property
    def is_changed(self) -> bool:
        return self.workload.status != self._given.status

    def set_condition(
        self, type_: str, status: str, reason: str, message: str, *, generation: int | None = None
    ) -> bool:
        """Say something by a condition, of the workload's generation unless told; whether that is news."""
        spoken_of = self.workload.metadata.generation if generation is None else generation
        new = Condition(
            type=type_,
            status=status,
            reason=reason,
            message=truncated(message, CONDITION_BYTES),
            observed_generation=spoken_of,
            last_transition_time=self.stamp,
        )
        conditions = with_condition(self.status.conditions, new)
        if conditions is self.status.conditions:
            return False
        self.status = replace(self.status, conditions=conditions)
        return True

    def drop_condition(self, type_: str) -> None:
        kept = tuple(one for one in self.status.conditions if one.type != type_)
        self.status = replace(self.status, conditions=kept)

    def patch(self) -> Object | None:
        """The merge patch of the object; None if nothing changed."""
        if not self.is_changed:
            return None
        return {"status": difference(written(self._given.status), written(self.status))}


def with_condition(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    """The conditions with `new` in its type's place; the same object if it says nothing new."""
    old = find_condition(conditions, new.type)
    if old is None:
        return (*conditions, new)
    if old.status == new.status:
        new = replace(new, last_transition_time=old.last_transition_time)
    if old == new:
        return conditions
    return tuple(new if one.type == new.type else one for one in conditions)


def difference(old: Object, new: Object) -> Object:
    """The merge patch that turns `old` into `new`."""
    patch: Object = {name: None for name in old if name not in new}
    for name, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(name), dict):
            inner = difference(old[name], value)
            if inner:
                patch[name] = inner
        elif name not in old or old[name] != value:
            patch[name] = value
    return patch


def truncated(text: str, limit: int) -> str:
    """The text in at most `limit` bytes, with a mark where it was cut."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    return encoded[: limit - len(_CUT)].decode(errors="ignore") + _CUT
