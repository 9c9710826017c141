"""What would make a workload fit: quota it could be given, limits that could be raised, workloads to wait for.

Every remedy is enough by itself. Raising the ClusterQueue's nominal quota always is, by what is missing. Raising
borrowing limits is where the tree has room: each level on the way up lets through what the levels above have, up to its
limit, so the amounts by which limits fall short are worked out level by level. Where a neighbor keeps unused quota to
itself, it could lend more. That remedies do what they say is checked by tests/unit/queueing/explaining/test_laws.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from argosy.queueing.explaining.holders import Holder
from argosy.queueing.explaining.looks import FlavorLook, Need
from argosy.queueing.quotas.amounts import printed
from argosy.queueing.quotas.nodes import Node

NOMINAL: Final = "nominalQuota"
BORROWING: Final = "borrowingLimit"
LENDING: Final = "lendingLimit"
# Of more workloads than this only the number is told, and some.
_TOLD: Final = 5


@dataclass(slots=True, frozen=True)
class Change:
    """A field of a quota to be raised."""

    kind: str
    name: str
    field: str
    flavor: str
    resource: str
    by: int

    def __str__(self) -> str:
        return (
            f"{self.field} of {self.kind} {self.name} by {printed(self.resource, self.by)}"
            f" {self.resource} (flavor {self.flavor})"
        )


@dataclass(slots=True, frozen=True)
class Remedy:
    """One way out, in words and as data: quotas to change, workloads to wait for, a command to run."""

    text: str
    changes: tuple[Change, ...] = ()
    workloads: tuple[str, ...] = ()
    command: str = ""


def for_quota(look: FlavorLook, node: Node, waited_for: Sequence[Holder]) -> Iterator[Remedy]:
    """Everything that would let a pod set have a flavor."""
    missing = look.missing
    nominal = tuple(
        Change("ClusterQueue", node.name, NOMINAL, need.flavor, need.resource, need.missing)
        for need in missing
    )
    yield Remedy(f"raise {_listed(nominal)}{_in_the_end(look)}", nominal)
    limits = [_limits(node, need) for need in missing]
    if all(limits):
        changes = tuple(change for one in limits if one for change in one)
        yield Remedy(f"raise {_listed(changes)}", changes)
    lending = [_lending(node, need) for need in missing]
    if all(lending):
        changes = tuple(change for one in lending if one for change in one)
        yield Remedy(f"raise {_listed(changes)}: it is not used there", changes)
    if look.is_impossible:
        most = ", ".join(
            f"{printed(need.resource, need.maximum)} {need.resource}"
            for need in look.needs
            if need.is_impossible
        )
        yield Remedy(f"ask for at most {most} (flavor {look.flavor})")
    if waited_for:
        names = tuple(holder.key for holder in waited_for)
        yield Remedy(f"wait until {_told(waited_for)}", workloads=names)


def _told(waited_for: Sequence[Holder]) -> str:
    shown = ", ".join(f"{one.key} ({amounts_of(one)})" for one in waited_for[:_TOLD])
    if len(waited_for) > _TOLD:
        return f"{len(waited_for)} workloads end, such as {shown}"
    return f"{shown} {'ends' if len(waited_for) == 1 else 'end'}"


def amounts_of(holder: Holder) -> str:
    return ", ".join(
        f"{printed(where.resource, value)} {where.resource}"
        for where, value in sorted(holder.usage.items())
    )


def _in_the_end(look: FlavorLook) -> str:
    """How much less would do, once nobody else uses anything, for what could never fit as it is."""
    if not look.is_impossible:
        return ""
    least = ", ".join(
        f"{printed(need.resource, need.requested - need.maximum)} {need.resource}"
        for need in look.needs
        if need.is_impossible
    )
    return f"; by {least} it would fit once others have ended"


def _listed(changes: Sequence[Change]) -> str:
    texts = [str(change) for change in changes]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _limits(node: Node, need: Need) -> list[Change] | None:
    """Borrowing limits that stand between the need and room in the tree; None where there is no such room, or no limit
    is in the way.
    """
    found: list[Change] = []
    left = need.requested
    place = node.position(need.where)
    for level in node.path():
        if level.parent is None:
            is_room = left <= level.subtree[place] - level.usage[place]
            return found if is_room and found else None
        local, used = level.local[place], level.usage[place]
        left -= max(0, local - used)
        limit = level.borrowing_limits[place]
        if limit is not None:
            let_through = level.subtree[place] - local - max(0, used - local) + limit
            if left > let_through:
                short = left - let_through
                found.append(_change(level, BORROWING, need, short))
    return None


def _lending(node: Node, need: Need) -> list[Change] | None:
    """Lending limits of neighbors on the way up that keep unused quota; None where they keep too little, or the
    ClusterQueue's own limits would not let it through.
    """
    place = node.position(need.where)
    if any(level.borrowing_limits[place] is not None for level in node.path()):
        return None
    short, found = need.missing, list[Change]()
    for level in node.path():
        for neighbor in level.parent.children if level.parent is not None else ():
            kept = neighbor.local[place] - max(0, neighbor.usage[place])
            if neighbor is level or kept <= 0 or short <= 0:
                continue
            found.append(_change(neighbor, LENDING, need, min(kept, short)))
            short -= kept
    return found if short <= 0 and found else None


def _change(node: Node, field: str, need: Need, by: int) -> Change:
    kind = "Cohort" if node.is_cohort else "ClusterQueue"
    return Change(kind, node.name, field, need.flavor, need.resource, by)
