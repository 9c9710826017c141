"""What becomes of an entry in a cycle: whether its search goes on, what it keeps from others, what it is told."""

from __future__ import annotations

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cycles.entries import Entry
from argosy.queueing.cycles.processing import reserved_usage
from argosy.queueing.flavors.assignments import Assignment
from argosy.queueing.flavors.progress import is_outdated
from argosy.queueing.workloads.infos import Info, LastAssignment
from tests.conformance.areas import runs
from tests.conformance.building import forest, infos, nested, usage
from tests.conformance.cases import Case
from tests.conformance.comparing import differences


def _tried(case: Case) -> Info:
    """A workload whose flavors were tried in part."""
    info = infos(case).make(Workload())
    info.last_assignment = LastAssignment(({"cpu": 0},), generation=0)
    return info


@runs("scheduling-misc", "TestEntryMarkPreemptionOutcome")
def preempting(case: Case) -> list[str]:
    """Only who has victims is told to wait for them; that a victim's status cannot be written is seen later."""
    entry = Entry(_tried(case), message=case.input.get("inadmissibleMessageBefore") or "")
    if case.input.get("preempted"):
        entry.await_victims(case.input["preempted"])
    got = {
        "lastAssignmentNil": entry.info.last_assignment is None,
        "message": entry.message,
        "requeueReason": entry.requeue_reason,
    }
    return differences(case.expected, got)


@runs("scheduling-misc", "TestEntryMarkSkipped")
def skipping(case: Case) -> list[str]:
    entry = Entry(_tried(case))
    entry.skip("", "")
    return differences(case.expected, {"lastAssignmentNil": entry.info.last_assignment is None})


@runs("scheduling-misc", "TestLastAssignmentOutdated")
def outdated(case: Case) -> list[str]:
    last = case.input.get("lastAssignment") or {}
    got = is_outdated(
        LastAssignment(
            tuple(last.get("lastTriedFlavorIdx") or ()),
            last.get("clusterQueueGeneration") or 0,
            last.get("schedulingCycle") or 0,
            last.get("schedulingHash") or "",
        ),
        scheduling_hash=case.input.get("currentSchedulingHash") or "",
        generation=case.input.get("currentClusterQueueGeneration") or 0,
        cycle=case.input.get("currentSchedulingCycle") or 0,
    )
    return differences(case.expected, {"outdated": got})


@runs("scheduling-misc", "TestResourcesToReserve")
def reserving(case: Case) -> list[str]:
    """What an entry takes or keeps from the others: all it uses if it fits, else what its queue may have of that."""
    (queue,) = case.objects["clusterQueues"]
    node = forest(case).cluster_queue(queue["metadata"]["name"])
    assert node is not None
    node.add(usage(case.input.get("cqUsage")))
    wanted = usage(case.input.get("assignmentUsage"))
    assignment = Assignment([], borrowing=case.input.get("borrowing") or 0, usage=wanted)
    is_preempting = case.input.get("assignmentMode") == "Preempt"
    got = reserved_usage(assignment, node) if is_preempting else wanted
    return differences(case.expected, {"reserved": nested(got)})
