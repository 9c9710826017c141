"""What all typed views share: their base, metadata, owners, conditions, selectors.

A view is an immutable struct of the fields that controllers read. Decoding ignores what it does not name, so a view is
never written back as a whole: controllers send patches. Views hold no cycles and are skipped by the garbage collector,
which matters with hundreds of thousands of them in informers. Times are aware datetimes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from typing import TypeAlias, TypeVar

import msgspec


class View(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", gc=False):
    """The base of all views."""


# Resources and their amounts; the server writes every quantity as a string.
Quantities: TypeAlias = dict[str, str]

V = TypeVar("V", bound=View)


@cache
def decoder(view: type[V]) -> Callable[[bytes], V]:
    """The function that reads a kind's stored or sent JSON. Raises msgspec.ValidationError for other shapes."""
    return msgspec.json.Decoder(view).decode


class OwnerReference(View, frozen=True):
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(View, frozen=True):
    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    annotations: dict[str, str] = msgspec.field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[OwnerReference, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.namespace, self.name

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages the object. Asked a dozen times per event, so there is no generator here."""
        for owner in self.owner_references:
            if owner.controller:
                return owner
        return None


class Condition(View, frozen=True):
    """A condition of any kind; pods, nodes and jobs each add a time of their own."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    observed_generation: int = 0
    last_transition_time: datetime | None = None
    last_probe_time: datetime | None = None
    last_heartbeat_time: datetime | None = None


class LabelSelectorRequirement(View, frozen=True):
    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(View, frozen=True):
    match_labels: dict[str, str] = msgspec.field(default_factory=dict)
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()


class ObjectReference(View, frozen=True):
    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""


def find_condition(conditions: Iterable[Condition], type_: str) -> Condition | None:
    """The condition of a type. Asked a dozen times per event, so there is no generator here."""
    for condition in conditions:
        if condition.type == type_:
            return condition
    return None


def is_true(conditions: Iterable[Condition], type_: str) -> bool:
    """Whether the condition of a type is there and says True."""
    for condition in conditions:
        if condition.type == type_:
            return condition.status == "True"
    return False
