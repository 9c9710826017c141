"""The next step of a run: who begins, who has arrived, who is asked, and what is said of it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from argosy.api.objects.fleet.bindings import Binding, BindingStatus
from argosy.api.objects.fleet.placements import NamespacedName
from argosy.api.objects.fleet.updateruns import (
    TIMED_WAIT,
    StageConfig,
    StageTask,
    StageUpdatingStatus,
    UpdateRunStatus,
)
from argosy.api.objects.metadata import Condition
from argosy.placement.updateruns.aborting import Aborted
from argosy.placement.updateruns.concurrency import at_once
from argosy.placement.updateruns.decisions import Decision, request_document, rollout_conditions
from argosy.placement.updateruns.executing import executed, with_stage
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import (
    cluster_failed,
    cluster_started,
    cluster_succeeded,
    stage_started,
    stage_waiting,
)
from argosy.placement.updateruns.stopping import stopped
from argosy.placement.updateruns.validating import validated
from tests.unit.placement.updateruns.builders import (
    NOW,
    approval,
    begun,
    binding,
    changed,
    deleting,
    look,
    request,
    rolled,
    run,
    stage,
)

WAIT = StageTask(TIMED_WAIT, "1m")
OTHER = NamespacedName("ro-0", "ns")


@dataclass
class Case:
    """A stage of clusters; which have begun `minutes` ago, and which are through already."""

    config: StageConfig
    bindings: Sequence[Binding]
    begun: Iterable[str] = ()
    through: Iterable[str] = ()
    failed: Iterable[str] = ()
    minutes: float = 1
    # Since when the stage waits for its after-stage tasks.
    waiting: float | None = None
    requests: Sequence[object] = ()
    starts: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    accepts: list[str] = field(default_factory=list)
    # Clusters with their conditions, the stage's and the run's Progressing; how soon to look again.
    want: str = ""
    again: float | None = 15


CASES = {
    "one cluster begins": Case(
        stage("s"),
        [binding("a"), binding("b")],
        starts=["a"],
        want="a:Started b: | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "two may begin at once": Case(
        stage("s", max_concurrency=2),
        [binding("a"), binding("b"), binding("c")],
        starts=["a", "b"],
        want="a:Started b:Started c: | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "the next one begins in the step in which one arrives": Case(
        stage("s"),
        [rolled("a", "Available"), binding("b")],
        begun=["a"],
        starts=["b"],
        want="a:Started,Succeeded b:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "a cluster that compares has arrived when it has reported": Case(
        stage("s"),
        [rolled("a", "DiffReported"), binding("b")],
        begun=["a"],
        starts=["b"],
        want="a:Started,Succeeded b:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "a cluster on its way is waited for": Case(
        stage("s"),
        [rolled("a"), binding("b")],
        begun=["a"],
        want="a:Started b: | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "a cluster that fails is waited for too": Case(
        stage("s"),
        [
            replace(
                rolled("a"),
                status=BindingStatus(
                    conditions=(
                        Condition("RolloutStarted", "True", observed_generation=3),
                        Condition("Applied", "False", "Broken", observed_generation=3),
                    )
                ),
            )
        ],
        begun=["a"],
        want="a:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "five minutes are not too long": Case(
        stage("s"),
        [rolled("a")],
        begun=["a"],
        minutes=5,
        want="a:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "more than five minutes are": Case(
        stage("s"),
        [rolled("a")],
        begun=["a"],
        minutes=5.1,
        want="a:Started | StageUpdatingStarted | UpdateRunStuck",
    ),
    "a binding that is there already only gets to know who started it": Case(
        stage("s"),
        [replace(rolled("a"), status=BindingStatus())],
        starts=["a only its condition"],
        want="a:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "a binding that was started before a crash is not started again": Case(
        stage("s"),
        [rolled("a")],
        want="a:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "what an earlier run has brought there is there": Case(
        stage("s"),
        [rolled("a", "Available")],
        want="a:Succeeded,Started | StageUpdatingStarted | UpdateRunProgressing",
        again=0,
    ),
    "a binding of that version that is not bound is bound": Case(
        stage("s"),
        [rolled("a", state="Scheduled")],
        starts=["a"],
        want="a:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "people are asked before the stage": Case(
        stage("s", before_stage_tasks=approval()),
        [binding("a")],
        asks=["run-before-s beforeStage"],
        want="a: | StageUpdatingWaiting | UpdateRunWaiting",
        again=60,
    ),
    "people have not answered": Case(
        stage("s", before_stage_tasks=approval()),
        [binding("a")],
        requests=[request("run-before-s", "s")],
        want="a: | StageUpdatingWaiting | UpdateRunWaiting",
        again=60,
    ),
    "people have approved, and the approval is used": Case(
        stage("s", before_stage_tasks=approval()),
        [binding("a")],
        requests=[request("run-before-s", "s", "Approved")],
        accepts=["run-before-s"],
        starts=["a"],
        want="a:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "an approval that was used holds, whatever is said later": Case(
        stage("s", before_stage_tasks=approval()),
        [binding("a")],
        requests=[request("run-before-s", "s", "ApprovalAccepted")],
        starts=["a"],
        want="a:Started | StageUpdatingStarted | UpdateRunProgressing",
    ),
    "an approval of another generation is none": Case(
        stage("s", before_stage_tasks=approval()),
        [binding("a")],
        requests=[request("run-before-s", "s", "Approved", generation=4)],
        want="a: | StageUpdatingWaiting | UpdateRunWaiting",
        again=60,
    ),
    "a stage without tasks is through with its last cluster": Case(
        stage("s"),
        [rolled("a", "Available")],
        begun=["a"],
        want="a:Started,Succeeded | StageUpdatingSucceeded | UpdateRunProgressing",
        again=0,
    ),
    "people are asked after the stage, and the wait begins": Case(
        stage("s", after_stage_tasks=(*approval(), WAIT)),
        [rolled("a", "Available")],
        begun=["a"],
        asks=["run-after-s afterStage"],
        want="a:Started,Succeeded | StageUpdatingWaiting | UpdateRunWaiting",
        again=60,
    ),
    "a wait is looked at when it is over": Case(
        stage("s", after_stage_tasks=(WAIT,)),
        [rolled("a", "Available")],
        begun=["a"],
        through=["a"],
        waiting=20,
        want="a:Started,Succeeded | StageUpdatingWaiting | UpdateRunWaiting",
        again=40,
    ),
    "a wait that is over": Case(
        stage("s", after_stage_tasks=(WAIT,)),
        [rolled("a", "Available")],
        begun=["a"],
        through=["a"],
        waiting=60,
        want="a:Started,Succeeded | StageUpdatingSucceeded | UpdateRunProgressing",
        again=0,
    ),
    "a wait that is over does not do without people": Case(
        stage("s", after_stage_tasks=(*approval(), WAIT)),
        [rolled("a", "Available")],
        begun=["a"],
        through=["a"],
        waiting=600,
        requests=[request("run-after-s", "s")],
        want="a:Started,Succeeded | StageUpdatingWaiting | UpdateRunWaiting",
        again=60,
    ),
    "a stage without clusters is skipped, and nobody is asked": Case(
        stage("s", "nobody", before_stage_tasks=approval()),
        [],
        want=" | StageUpdatingSkippedNoClusters | UpdateRunProgressing",
        again=0,
    ),
    "somebody else has changed a binding under way": Case(
        stage("s", max_concurrency=2),
        [rolled("a", resource_snapshot_name="app-1-snapshot"), binding("b")],
        begun=["a"],
        want="a:Started,Succeeded b: | StageUpdatingFailed | UpdateRunFailed",
        again=None,
    ),
    "somebody else has changed the overrides of a binding under way": Case(
        stage("s"),
        [rolled("a", resource_override_snapshots=(OTHER,))],
        begun=["a"],
        want="a:Started,Succeeded | StageUpdatingFailed | UpdateRunFailed",
        again=None,
    ),
    "the scheduler has written to a binding under way": Case(
        stage("s"),
        [replace(rolled("a"), metadata=replace(rolled("a").metadata, generation=4))],
        begun=["a"],
        want="a:Started,Succeeded | StageUpdatingFailed | UpdateRunFailed",
        again=None,
    ),
    "a cluster that has failed ends the run": Case(
        stage("s"),
        [rolled("a")],
        begun=["a"],
        failed=["a"],
        want="a:Started,Succeeded | StageUpdatingFailed | UpdateRunFailed",
        again=None,
    ),
    "a request that is about something else ends the run": Case(
        stage("s", before_stage_tasks=approval()),
        [binding("a")],
        requests=[request("run-before-s", "other")],
        want="a: | StageUpdatingFailed | UpdateRunFailed",
        again=None,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_next_step(case: Case) -> None:
    seen, status = scene(case)
    got = executed(seen, status, validated(seen, status))
    assert told(got) == case.want
    assert started(got) == case.starts
    assert [f"{one.name} {one.task}" for one in got.requests] == case.asks
    assert [one.metadata.name for one in got.accepted] == case.accepts
    assert got.again == case.again


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_step_taken_twice_changes_nothing_more(case: Case) -> None:
    """What was written is there at the second look; if nothing happened meanwhile, nothing is to be said."""
    seen, status = scene(case)
    first = executed(seen, status, validated(seen, status))
    if first.again in {None, 0} or first.starts or first.requests:
        return
    again = executed(seen, first.status, validated(seen, first.status))
    assert again.status == first.status


def scene(case: Case) -> tuple[Look, UpdateRunStatus]:
    clusters = [one.spec.target_cluster for one in case.bindings]
    leaving = () if clusters else ("x",)
    seen = look(*clusters, stages=[case.config], leaving=leaving)
    status = begun(seen)
    if clusters:
        seen = changed(seen, bindings=case.bindings)
    approvals = {one.metadata.name: one for one in case.requests}
    seen = changed(seen, approvals=approvals)
    past = replace_moment(seen, timedelta(minutes=case.minutes))
    config = status.stages_status[0]
    marked = []
    for cluster in config.clusters:
        if cluster.cluster_name in case.begun:
            cluster = cluster_started(cluster, past.moment)
        if cluster.cluster_name in case.through:
            cluster = cluster_succeeded(cluster, past.moment)
        if cluster.cluster_name in case.failed:
            cluster = cluster_failed(cluster, past.moment, "why")
        marked.append(cluster)
    config = replace(config, clusters=tuple(marked))
    if case.begun:
        config = stage_started(config, past.moment)
    if case.waiting is not None:
        since = replace_moment(seen, timedelta(seconds=case.waiting))
        config = stage_waiting(config, since.moment, "after-stage")
    return seen, with_stage(status, 0, config)


def replace_moment(seen: Look, ago: timedelta) -> Look:
    return changed(seen, now=NOW - ago)


def told(decision: Decision) -> str:
    config = decision.status.stages_status[0]
    return f"{clusters_of(config)} | {progressing(config)} | {progressing(decision.status)}"


def clusters_of(config: StageUpdatingStatus) -> str:
    return " ".join(
        f"{one.cluster_name}:{','.join(each.type for each in one.conditions)}"
        for one in config.clusters
    )


def progressing(what: StageUpdatingStatus | UpdateRunStatus) -> str:
    return "".join(each.reason for each in what.conditions if each.type == "Progressing")


def started(decision: Decision) -> list[str]:
    return [
        one.binding.spec.target_cluster + ("" if one.spec is not None else " only its condition")
        for one in decision.starts
    ]


def test_all_that_a_cluster_gets_is_written_at_once() -> None:
    seen, status = scene(CASES["one cluster begins"])
    [start] = executed(seen, status, validated(seen, status)).starts
    assert start.spec == {
        "state": "Bound",
        "resourceSnapshotName": "app-0-snapshot",
        "resourceOverrideSnapshots": None,
        "clusterResourceOverrideSnapshots": None,
        "applyStrategy": {
            "comparisonOption": "PartialComparison",
            "whenToApply": "Always",
            "type": "ClientSideApply",
            "whenToTakeOver": "Always",
        },
    }


def test_an_aborted_run_says_why_at_the_cluster_the_stage_and_the_run() -> None:
    seen, status = scene(CASES["somebody else has changed a binding under way"])
    got = executed(seen, status, validated(seen, status)).status
    text = (
        "failed to process the request due to a client error: the binding of the updating cluster `a` in the stage "
        "`s` is not up-to-date with the desired status, please check the status of binding `app-a` and see if there "
        "is a concurrent updateRun referencing the same placement and updating the same cluster"
    )
    config = got.stages_status[0]
    assert config.clusters[0].conditions[-1].message == text
    assert config.clusters[0].conditions[-1].reason == "ClusterUpdatingFailed"
    assert [one.message for one in config.conditions] == [
        "Stage update aborted due to a non-recoverable error",
        f"cannot continue the updateRun: {text}",
    ]
    assert config.end_time == NOW
    assert [one.message for one in got.conditions[1:]] == [
        "The stages are aborted due to a non-recoverable error",
        f"cannot continue the updateRun: {text}",
    ]


def test_several_clusters_that_failed_are_all_told() -> None:
    case = Case(stage("s", max_concurrency=2), [rolled("a"), rolled("b")], begun="ab", failed="ab")
    seen, status = scene(case)
    got = executed(seen, status, validated(seen, status)).status
    assert got.conditions[-1].message == (
        "[cannot continue the updateRun: the cluster `a` in the stage s has failed, "
        "cannot continue the updateRun: the cluster `b` in the stage s has failed]"
    )


def test_a_request_about_something_else_is_told() -> None:
    seen, status = scene(CASES["a request that is about something else ends the run"])
    got = executed(seen, status, validated(seen, status)).status
    assert got.conditions[-1].message == (
        "cannot continue the updateRun: unexpected behavior which cannot be handled by the controller: the approval "
        "request task `/run-before-s` is targeting update run `/run` and stage `other`, want target update run `/run "
        "and stage `s`"
    )


def test_a_skipped_stage_says_why() -> None:
    seen, status = scene(CASES["a stage without clusters is skipped, and nobody is asked"])
    config = executed(seen, status, validated(seen, status)).status.stages_status[0]
    assert [(one.type, one.status, one.message) for one in config.conditions] == [
        ("Progressing", "False", "Stage skipped because it has no clusters"),
        ("Succeeded", "True", "Stage skipped because it has no clusters"),
    ]
    assert config.start_time == config.end_time == NOW


STUCK = {
    "one": (("a",), "a"),
    "three": (("a", "b", "c"), "a, b, c"),
    "four": (("a", "b", "c", "d"), "a, b, c..."),
}


@pytest.mark.parametrize(("clusters", "want"), STUCK.values(), ids=STUCK)
def test_clusters_that_are_stuck_are_named_up_to_three(clusters: str, want: str) -> None:
    case = Case(
        stage("s", max_concurrency=9), [rolled(one) for one in clusters], begun=clusters, minutes=6
    )
    seen, status = scene(case)
    got = executed(seen, status, validated(seen, status)).status
    assert got.conditions[-1].message == (
        f"The updateRun is stuck waiting for {want} cluster(s) in stage s to finish updating, please check placement "
        "status for potential errors"
    )


CONCURRENCY = {
    "a number": (3, 10, 3),
    "a number larger than the stage": (30, 10, 30),
    "a share is rounded down": ("25%", 10, 2),
    "but never to nothing": ("5%", 10, 1),
    "all of them": ("100%", 7, 7),
    "not given": (None, 10, 1),
}


@pytest.mark.parametrize(("wanted", "count", "want"), CONCURRENCY.values(), ids=CONCURRENCY)
def test_how_many_at_once(wanted: int | str | None, count: int, want: int) -> None:
    assert at_once(wanted, count) == want


def test_what_is_no_number_and_no_percentage_is_refused() -> None:
    with pytest.raises(Aborted, match="string is not a percentage"):
        at_once("half", 10)


@given(
    st.integers(1, 7), st.sampled_from([1, 2, 3, "34%", "100%"]), st.randoms(use_true_random=False)
)
def test_in_whatever_order_clusters_arrive_never_too_many_are_under_way_and_all_get_there(
    count: int, limit: int | str, source: random.Random
) -> None:
    names = [f"c{number}" for number in range(count)]
    bindings = {name: binding(name) for name in names}
    seen = look(*names, stages=[stage("s", max_concurrency=limit)])
    status = begun(seen)
    flying: list[str] = []
    for _ in range(3 * count + 3):
        seen = changed(seen, bindings=list(bindings.values()))
        got = executed(seen, status, validated(seen, status))
        status = got.status
        for start in got.starts:
            flying.append(start.binding.spec.target_cluster)
            bindings[flying[-1]] = rolled(flying[-1])
        assert len(flying) <= at_once(limit, count)
        if got.again is None:
            break
        if flying:
            arrived = flying.pop(source.randrange(len(flying)))
            bindings[arrived] = rolled(arrived, "Available")
    assert status.conditions[-1].reason == "UpdateRunSucceeded"


# The end, and stopping before it.


def leaving_scene(*bindings: Binding) -> tuple[Look, UpdateRunStatus]:
    seen = look("a", stages=[stage("s")], leaving=["x", "y"])
    status = begun(seen)
    cluster = cluster_succeeded(status.stages_status[0].clusters[0], seen.moment)
    config = replace(status.stages_status[0], clusters=(cluster,))
    seen = changed(seen, bindings=[rolled("a", "Available"), *bindings])
    status = with_stage(status, 0, config)
    step = executed(seen, with_stage(status, 0, config), validated(seen, status))
    return seen, step.status


def test_what_was_given_up_is_deleted_at_the_end() -> None:
    seen, status = leaving_scene(binding("x", "Unscheduled"), binding("y", "Unscheduled"))
    got = executed(seen, status, validated(seen, status))
    assert [one.spec.target_cluster for one in got.deletions] == ["x", "y"]
    deletion = got.status.deletion_stage_status
    assert deletion is not None
    assert clusters_of(deletion) == "x:Started y:Started"
    assert progressing(deletion) == "StageUpdatingStarted"
    assert got.again == 15


def test_what_is_on_its_way_out_is_waited_for_and_what_has_gone_is_through() -> None:
    seen, status = leaving_scene(binding("x", "Unscheduled"), binding("y", "Unscheduled"))
    status = executed(seen, status, validated(seen, status)).status
    left = deleting(binding("y", "Unscheduled"))
    seen = changed(seen, bindings=[rolled("a", "Available"), left])
    got = executed(seen, status, validated(seen, status))
    assert got.deletions == ()
    deletion = got.status.deletion_stage_status
    assert deletion is not None
    assert clusters_of(deletion) == "x:Started,Succeeded y:Started"


def test_a_deletion_that_was_not_heard_of_is_sent_again() -> None:
    seen, status = leaving_scene(binding("x", "Unscheduled"))
    first = executed(seen, status, validated(seen, status))
    again = executed(seen, first.status, validated(seen, first.status))
    assert again.deletions == first.deletions
    assert again.status == first.status


def test_a_run_whose_bindings_have_all_gone_has_succeeded() -> None:
    seen, status = leaving_scene()
    got = executed(seen, status, validated(seen, status))
    assert [(one.type, one.status, one.message) for one in got.status.conditions] == [
        ("Initialized", "True", "The UpdateRun initialized successfully"),
        ("Progressing", "False", "All stages are completed"),
        ("Succeeded", "True", "All stages are completed successfully"),
    ]
    assert got.again is None


def test_a_binding_that_is_back_after_it_was_deleted_ends_the_run() -> None:
    seen, status = leaving_scene(binding("y", "Unscheduled"))
    status = executed(seen, status, validated(seen, status)).status
    seen = changed(seen, bindings=[rolled("a", "Available"), binding("x", "Unscheduled")])
    got = executed(seen, status, validated(seen, status)).status
    assert got.conditions[-1].message == (
        "cannot continue the updateRun: unexpected behavior which cannot be handled by the controller: the deleted "
        "cluster `x` in the deleting stage still has a binding"
    )
    assert got.deletion_stage_status is not None
    assert progressing(got.deletion_stage_status) == "StageUpdatingFailed"


@dataclass
class Stop:
    case: Case
    want: str
    again: float | None


TWO = stage("s", max_concurrency=2)
STOPS = {
    "nothing has begun": Stop(
        Case(TWO, [binding("a")]), "a: | StageUpdatingStopped | UpdateRunStopped", None
    ),
    "what has begun is waited for, and nothing begins": Stop(
        Case(TWO, [rolled("a"), binding("b")], begun=["a"]),
        "a:Started b: | StageUpdatingStopping | UpdateRunStopping",
        15,
    ),
    "what has begun has arrived": Stop(
        Case(TWO, [rolled("a", "Available"), binding("b")], begun=["a"]),
        "a:Started,Succeeded b: | StageUpdatingStopped | UpdateRunStopped",
        None,
    ),
    "what has begun does not arrive": Stop(
        Case(TWO, [rolled("a")], begun=["a"], minutes=6),
        "a:Started | StageUpdatingStopping | UpdateRunStuck",
        15,
    ),
    "people are being asked": Stop(
        Case(
            stage("s", after_stage_tasks=approval()),
            [rolled("a", "Available")],
            begun=["a"],
            through=["a"],
            waiting=10,
        ),
        "a:Started,Succeeded | StageUpdatingStopped | UpdateRunStopped",
        None,
    ),
}


@pytest.mark.parametrize("stop", STOPS.values(), ids=STOPS)
def test_stopping(stop: Stop) -> None:
    seen, status = scene(stop.case)
    got = stopped(seen, status, validated(seen, status))
    assert told(got) == stop.want
    assert got.again == stop.again
    assert got.starts == got.requests == got.deletions == ()
    again = stopped(seen, got.status, validated(seen, got.status))
    assert again.status == got.status


def test_a_run_that_stops_before_it_deletes_rests() -> None:
    seen, status = leaving_scene(binding("x", "Unscheduled"))
    got = stopped(seen, status, validated(seen, status))
    assert progressing(got.status) == "UpdateRunStopped"
    assert got.deletions == ()


def test_a_run_that_stops_while_it_deletes_waits_for_what_is_going() -> None:
    seen, status = leaving_scene(binding("x", "Unscheduled"))
    status = executed(seen, status, validated(seen, status)).status
    seen = changed(seen, bindings=[rolled("a", "Available"), deleting(binding("x", "Unscheduled"))])
    got = stopped(seen, status, validated(seen, status))
    assert progressing(got.status) == "UpdateRunStopping"
    assert got.status.deletion_stage_status is not None
    assert progressing(got.status.deletion_stage_status) == "StageUpdatingStopping"


MESSAGES = {
    "stopping": (
        STOPS["what has begun is waited for, and nothing begins"],
        "Waiting for all the updating clusters to finish updating before completing the stop process",
        (
            "The update run is the process of stopping, waiting for all the updating clusters to finish updating before "
            "completing the stop process"
        ),
    ),
    "stopped": (
        STOPS["nothing has begun"],
        "All the updating clusters have finished updating, the stage is now stopped, waiting to be resumed",
        "The update run has been stopped",
    ),
}


@pytest.mark.parametrize(("stop", "of_stage", "of_run"), MESSAGES.values(), ids=MESSAGES)
def test_what_is_said_of_stopping(stop: Stop, of_stage: str, of_run: str) -> None:
    seen, status = scene(stop.case)
    got = stopped(seen, status, validated(seen, status)).status
    assert got.stages_status[0].conditions[0].message == of_stage
    assert got.conditions[-1].message == of_run


def test_an_approval_request_names_its_run_and_stage() -> None:
    seen, status = scene(CASES["people are asked before the stage"])
    [asked] = executed(seen, status, validated(seen, status)).requests
    assert request_document(run(), asked) == {
        "metadata": {
            "name": "run-before-s",
            "labels": {
                "kubernetes-fleet.io/targetUpdatingStage": "s",
                "kubernetes-fleet.io/targetUpdateRun": "run",
                "kubernetes-fleet.io/taskType": "beforeStage",
                "kubernetes-fleet.io/isLatestUpdateRunApproval": "true",
            },
        },
        "spec": {"parentStageRollout": "run", "targetStage": "s"},
    }


def test_a_binding_tells_which_run_started_it_and_when() -> None:
    [*_, got] = rollout_conditions(rolled("a", "Available"), run(index="4"), look("a").moment)
    assert got == {
        "type": "RolloutStarted",
        "status": "True",
        "lastTransitionTime": "2026-03-01T12:00:00Z",
        "reason": "RolloutStarted",
        "message": "Detected the new changes on the resources and started the rollout process, "
        "resourceSnapshotIndex: 4, updateRun: run",
        "observedGeneration": 3,
    }
