"""What a placement says of itself, type by type: reasons and messages of its conditions.

Upstream's releases, which users' guides quote, have one sentence that later versions spell otherwise: `Wording` is that
switch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from argosy.api.objects.fleet.bindings import (
    APPLIED,
    AVAILABLE,
    DIFF_REPORTED,
    OVERRIDDEN,
    ROLLOUT_STARTED,
    WORK_SYNCHRONIZED,
)

TRUE: Final = "True"
FALSE: Final = "False"
UNKNOWN: Final = "Unknown"

# All types that follow from bindings, in upstream's order, and those that are expected of each way to apply.
STAGES: Final = (
    ROLLOUT_STARTED,
    OVERRIDDEN,
    WORK_SYNCHRONIZED,
    APPLIED,
    AVAILABLE,
    DIFF_REPORTED,
)
APPLY_STAGES: Final = STAGES[:5]
REPORT_STAGES: Final = (ROLLOUT_STARTED, OVERRIDDEN, WORK_SYNCHRONIZED, DIFF_REPORTED)

INVALID_SELECTORS: Final = "InvalidResourceSelectors"
NO_OVERRIDES: Final = "No override rules are configured for the selected resources"


class Told(NamedTuple):
    reason: str
    message: str


@dataclass(slots=True, frozen=True)
class Wording:
    """`work_synchronized` is said of so many clusters."""

    work_synchronized: str


RELEASES: Final = Wording(
    "Works(s) are succcesfully created or updated in {count} target cluster(s)' namespaces"
)
HEAD: Final = Wording(
    "Work(s) are successfully created or updated in {count} target cluster(s)' namespaces"
)

_TOLD: Final = {
    (ROLLOUT_STARTED, UNKNOWN): Told(
        "RolloutStartedUnknown",
        "There are still {count} cluster(s) in the process of deciding whether to roll out the latest resources or not",
    ),
    (ROLLOUT_STARTED, FALSE): Told(
        "RolloutNotStartedYet",
        "The rollout is being blocked by the rollout strategy in {count} cluster(s)",
    ),
    (ROLLOUT_STARTED, TRUE): Told(
        "RolloutStarted", "All {count} cluster(s) start rolling out the latest resource"
    ),
    (OVERRIDDEN, UNKNOWN): Told(
        "OverriddenPending",
        "There are still {count} cluster(s) in the process of overriding the selected resources if there is any"
        " override defined",
    ),
    (OVERRIDDEN, FALSE): Told(
        "OverriddenFailed", "Failed to override resources in {count} cluster(s)"
    ),
    (OVERRIDDEN, TRUE): Told(
        "OverriddenSucceeded",
        "The selected resources are successfully overridden in {count} cluster(s)",
    ),
    (WORK_SYNCHRONIZED, UNKNOWN): Told(
        "WorkSynchronizedUnknown",
        "There are still {count} cluster(s) in the process of creating or updating the work object(s) in the hub"
        " cluster",
    ),
    (WORK_SYNCHRONIZED, FALSE): Told(
        "WorkNotSynchronizedYet",
        "There are {count} cluster(s) which have not finished creating or updating work(s) yet",
    ),
    (APPLIED, UNKNOWN): Told(
        "ApplyPending",
        "There are still {count} cluster(s) in the process of applying the resources on the member cluster",
    ),
    (APPLIED, FALSE): Told(
        "ApplyFailed",
        "Failed to apply resources to {count} cluster(s), please check the `failedPlacements` status",
    ),
    (APPLIED, TRUE): Told(
        "ApplySucceeded",
        "The selected resources are successfully applied to {count} cluster(s)",
    ),
    (AVAILABLE, UNKNOWN): Told(
        "ResourceAvailableUnknown",
        "There are still {count} cluster(s) in the process of checking the availability of the selected resources",
    ),
    (AVAILABLE, FALSE): Told(
        "ResourceNotAvailableYet",
        "The selected resources in {count} cluster(s) are still not available yet",
    ),
    (AVAILABLE, TRUE): Told(
        "ResourceAvailable", "The selected resources in {count} cluster(s) are available now"
    ),
    (DIFF_REPORTED, UNKNOWN): Told(
        "DiffReportingPending",
        "There are still {count} cluster(s) in the process of checking for configuration differences",
    ),
    (DIFF_REPORTED, FALSE): Told(
        "DiffReportingIncompleteOrFailed",
        "Diff reporting in {count} clusters is still in progress or has failed",
    ),
    (DIFF_REPORTED, TRUE): Told(
        "DiffReportingCompleted", "Diff reporting in {count} cluster(s) has been completed"
    ),
}

# What is said of one cluster whose binding does not tell yet.
CLUSTER_UNKNOWN: Final = {
    ROLLOUT_STARTED: Told(
        "RolloutStartedUnknown",
        "In the process of deciding whether to roll out some version of the resources or not",
    ),
    OVERRIDDEN: Told(
        "OverriddenPending",
        "In the process of overriding the selected resources if there is any override defined",
    ),
    WORK_SYNCHRONIZED: Told(
        "WorkSynchronizedUnknown",
        "In the process of creating or updating the work object(s) in the hub cluster",
    ),
    APPLIED: Told("ApplyPending", "In the process of applying the resources on the member cluster"),
    AVAILABLE: Told(
        "ResourceAvailableUnknown",
        "The availability of the selected resources is unknown yet ",
    ),
    DIFF_REPORTED: Told(
        "DiffReportingPending",
        "Diff reporting has just started; its status is not yet to be known",
    ),
}


def told(wording: Wording, stage: str, status: str, count: int) -> Told:
    """What is said of a stage that `count` clusters have with this status."""
    if (stage, status) == (WORK_SYNCHRONIZED, TRUE):
        return Told("WorkSynchronized", wording.work_synchronized.format(count=count))
    reason, message = _TOLD[stage, status]
    return Told(reason, message.format(count=count))
