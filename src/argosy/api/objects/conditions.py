"""Conditions as controllers write them: a status turns at a moment, everything else is said anew.

Mirrors apimachinery's SetStatusCondition: the time of the last transition stays while the status does, a type that is
there keeps its place, a new one goes last.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.timestamps import format_time
from argosy.base.types import Object


def with_condition(
    conditions: tuple[Condition, ...], new: Condition, now: datetime
) -> tuple[Condition, ...]:
    """The conditions after `new` was said now. A time it brings along is the moment of a transition."""
    old = find_condition(conditions, new.type)
    since = new.last_transition_time or now.replace(microsecond=0)
    if old is not None and old.status == new.status and old.last_transition_time is not None:
        since = old.last_transition_time
    dated = msgspec.structs.replace(new, last_transition_time=since)
    if old is None:
        return (*conditions, dated)
    return tuple(dated if each is old else each for each in conditions)


def without_conditions(
    conditions: tuple[Condition, ...], types: Iterable[str]
) -> tuple[Condition, ...]:
    gone = frozenset(types)
    return tuple(each for each in conditions if each.type not in gone)


def condition_document(condition: Condition) -> Object:
    """A metav1.Condition in JSON. Its message stands there even if it is empty."""
    document: Object = {
        "type": condition.type,
        "status": condition.status,
        "lastTransitionTime": format_time(condition.last_transition_time)
        if condition.last_transition_time is not None
        else None,
        "reason": condition.reason,
        "message": condition.message,
    }
    if condition.observed_generation:
        document["observedGeneration"] = condition.observed_generation
    return document


def condition_documents(conditions: Iterable[Condition]) -> list[Object]:
    return [condition_document(each) for each in conditions]


def is_current(condition: Condition | None, generation: int, status: str) -> bool:
    """Whether the condition has this status and was said of this generation."""
    return (
        condition is not None
        and condition.status == status
        and condition.observed_generation == generation
    )
