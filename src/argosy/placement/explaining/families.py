"""A placement and all that came of it, as the hub's API shows it."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import PolicySnapshot, ResourceSnapshot
from argosy.api.objects.fleet.updateruns import ApprovalRequest, UpdateRun
from argosy.api.objects.fleet.works import FINISHED, SentWork
from argosy.api.objects.metadata import Condition


@dataclass(slots=True, frozen=True)
class Family:
    """One placement. Lists are in order of names."""

    kind: str
    placement: Placement
    policies: tuple[PolicySnapshot, ...] = ()
    resources: tuple[ResourceSnapshot, ...] = ()
    bindings: tuple[Binding, ...] = ()
    works: tuple[SentWork, ...] = ()
    # Update runs of the placement, what they wait for people to approve, and, of a template, its placements.
    runs: tuple[UpdateRun, ...] = ()
    approvals: tuple[ApprovalRequest, ...] = ()
    children: tuple[Placement, ...] = ()

    @property
    def title(self) -> str:
        meta = self.placement.metadata
        return (
            f"{self.kind} {meta.namespace}/{meta.name}"
            if meta.namespace
            else f"{self.kind} {meta.name}"
        )

    @property
    def latest_policy(self) -> PolicySnapshot | None:
        return next(
            (each for each in self.policies if each.metadata.labels.get(names.IS_LATEST) == "true"),
            None,
        )

    def works_of(self, binding: Binding) -> list[SentWork]:
        name = binding.metadata.name
        return [
            work for work in self.works if work.metadata.labels.get(names.PARENT_BINDING) == name
        ]


def telling(conditions: tuple[Condition, ...]) -> Condition | None:
    """The condition that says how far something is: the first that does not hold, else the last that does. What became
    of jobs is another matter (`outcome`).
    """
    stages = [each for each in conditions if not each.type.endswith(FINISHED)]
    for condition in stages:
        if condition.status != "True":
            return condition
    return stages[-1] if stages else None


def outcome(conditions: tuple[Condition, ...]) -> Condition | None:
    """What became of jobs, if any has begun."""
    return next((each for each in conditions if each.type.endswith(FINISHED)), None)
