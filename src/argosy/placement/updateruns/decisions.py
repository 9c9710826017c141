"""What follows from a look at a run: its new status, and what is to be written elsewhere before that.

Everything else is written first: a status says what has been done. All of it may be written twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from argosy.api.objects.conditions import condition_documents, with_condition, without_conditions
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import ROLLOUT_STARTED, Binding
from argosy.api.objects.fleet.updateruns import ApprovalRequest, UpdateRun, UpdateRunStatus
from argosy.api.objects.metadata import Condition
from argosy.base.types import Object
from argosy.placement.updateruns.marking import Moment

# When nothing is heard of the clusters being updated, or of people, for so long, have a look.
CLUSTER_SECONDS: Final = 15.0
STAGE_SECONDS: Final = 60.0

BEFORE_STAGE: Final = "beforeStage"
AFTER_STAGE: Final = "afterStage"
APPROVED: Final = "Approved"
ACCEPTED: Final = "ApprovalAccepted"


class Start(NamedTuple):
    """A binding whose cluster begins: the fields of its spec to write, if any, then RolloutStarted."""

    binding: Binding
    spec: Object | None


class Request(NamedTuple):
    """An approval to ask for."""

    name: str
    stage: str
    task: str


@dataclass(slots=True, frozen=True)
class Decision:
    status: UpdateRunStatus
    # When to look again whatever happens; None if there is nothing more to see.
    again: float | None = None
    requests: tuple[Request, ...] = ()
    accepted: tuple[ApprovalRequest, ...] = ()
    starts: tuple[Start, ...] = ()
    deletions: tuple[Binding, ...] = ()

    def asking(
        self, requests: tuple[Request, ...], accepted: tuple[ApprovalRequest, ...]
    ) -> Decision:
        return replace(self, requests=requests, accepted=accepted)


def request_document(run: UpdateRun, request: Request) -> Object:
    """An approval request as it is created."""
    return {
        "metadata": {
            "name": request.name,
            "labels": {
                names.TARGET_UPDATING_STAGE: request.stage,
                names.TARGET_UPDATE_RUN: run.metadata.name,
                names.TASK_TYPE: request.task,
                names.IS_LATEST_APPROVAL: "true",
            },
        },
        "spec": {"parentStageRollout": run.metadata.name, "targetStage": request.stage},
    }


def accepted_conditions(request: ApprovalRequest, moment: Moment) -> list[Object]:
    """The conditions of a request whose approval was used and cannot be taken back."""
    message = "The approval request has been approved and cannot be reverted"
    reason = "ApprovalRequestApprovalAccepted"
    new = Condition(ACCEPTED, "True", reason, message, request.metadata.generation)
    return condition_documents(with_condition(request.status.conditions, new, moment.now))


def rollout_conditions(binding: Binding, run: UpdateRun, moment: Moment) -> list[Object]:
    """The conditions of a binding that a run has started on. Its time is that of this start, whatever was before."""
    message = (
        "Detected the new changes on the resources and started the rollout process, "
        f"resourceSnapshotIndex: {run.spec.resource_snapshot_index}, updateRun: {run.metadata.name}"
    )
    new = Condition(ROLLOUT_STARTED, "True", "RolloutStarted", message, binding.metadata.generation)
    others = without_conditions(binding.status.conditions, (ROLLOUT_STARTED,))
    return condition_documents(with_condition(others, new, moment.now))
