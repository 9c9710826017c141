"""How a run begins: who is in which stage and in which order, and every reason why it does not begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import NamespacedName
from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.updateruns import (
    APPROVAL,
    TIMED_WAIT,
    StageConfig,
    StageTask,
    UpdateRunStatus,
)
from argosy.api.objects.metadata import LabelSelector, LabelSelectorRequirement, ObjectMeta
from argosy.client.objects import Key
from argosy.placement.picks import Picked
from argosy.placement.updateruns import initializing
from argosy.placement.updateruns.aborting import Unsettled
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import INITIALIZED, status_of
from tests.unit.placement.updateruns.builders import (
    ANYBODY,
    approval,
    binding,
    look,
    member,
    placement,
    policy,
    run,
    snapshot,
    stage,
)

PREFIX = "cannot continue the updateRun: failed to validate the updateRun: "
USER = "failed to process the request due to a client error: "
ODD = "unexpected behavior which cannot be handled by the controller: "
FIXED = PlacementPolicy("PickFixed", ("a", "b"))
PICK_N = PlacementPolicy("PickN", number_of_clusters=9)


def initialized(seen: Look, *snapshots: ResourceSnapshot, index: str = "0") -> UpdateRunStatus:
    status = initializing.planned(seen)
    if status_of(status.conditions, INITIALIZED):
        return status
    return initializing.initialized(
        status, seen, index=index, snapshots=snapshots, overrides=lambda *_: Picked()
    )


def wanting(annotation: str | None) -> Look:
    annotations = {} if annotation is None else {names.NUMBER_OF_CLUSTERS: annotation}
    return look("a", policies=[policy(PICK_N, annotations=annotations)])


def count_problem(text: str) -> str:
    why = f"{text}: the policy snapshot `/app-0` doesn't have valid cluster count annotation"
    return ODD + why


def tasks_problem(which: str, problem: str) -> str:
    text = f"the {which} stage tasks are invalid, updateStrategy: `/stages`, stage: all, err: "
    return USER + text + problem


@dataclass
class Refusal:
    seen: Look
    want: str
    snapshots: Sequence[ResourceSnapshot] = field(default_factory=lambda: [snapshot()])
    index: str = "0"


BAD_SELECTOR = LabelSelector(match_expressions=(LabelSelectorRequirement("env", "Like", ("x",)),))
REFUSALS = {
    "there is no placement": Refusal(
        look("a", placement=None), USER + "parent placement not found"
    ),
    "the placement rolls out by itself": Refusal(
        look("a", placement=placement("RollingUpdate")),
        USER
        + "parent placement does not have an external rollout strategy, current strategy: RollingUpdate",
    ),
    "the placement says nothing of how it rolls out": Refusal(
        look("a", placement=placement("")),
        USER
        + "parent placement does not have an external rollout strategy, current strategy: RollingUpdate",
    ),
    "there is no policy snapshot yet": Refusal(
        look("a", policies=[]), "no latest policy snapshot associated with the placement: `/app`"
    ),
    "two policy snapshots are the latest": Refusal(
        look("a", policies=[policy(), policy(index="1")]),
        ODD
        + "more than one (2 in actual) latest policy snapshots associated with the placement: `/app`",
    ),
    "the policy snapshot has no index": Refusal(
        look("a", policies=[policy(index="")]),
        ODD + "policy snapshot `/app-` does not have a policy index label",
    ),
    "the placement is not scheduled": Refusal(
        look("a", policies=[policy(scheduled="False")]),
        "policy snapshot `app-0` not fully scheduled yet",
    ),
    "PickN without its number": Refusal(
        wanting(None),
        count_problem("cannot find annotation kubernetes-fleet.io/number-of-clusters"),
    ),
    "PickN with a number that is none": Refusal(
        wanting("many"),
        count_problem(
            "invalid annotation kubernetes-fleet.io/number-of-clusters: many is not a valid count: "
            'strconv.Atoi: parsing "many": invalid syntax'
        ),
    ),
    "PickN with less than nothing": Refusal(
        wanting("-1"),
        count_problem(
            "invalid annotation kubernetes-fleet.io/number-of-clusters: -1 is not a valid count"
        ),
    ),
    "PickN has fewer clusters than it wants": Refusal(
        wanting("2"),
        ODD + "the number of selected bindings 1 is not equal to the observed cluster count 2",
    ),
    "PickFixed has fewer clusters than it names": Refusal(
        look("a", policies=[policy(FIXED)]),
        ODD + "the number of selected bindings 1 is not equal to the observed cluster count 2",
    ),
    "nothing is bound": Refusal(
        look(),
        "no scheduled or to-be-deleted bindings found for the latest policy snapshot /app-0",
    ),
    "there is no strategy": Refusal(
        look("a", strategy=None), USER + "referenced updateStrategy not found: `/stages`"
    ),
    "a cluster is in two stages": Refusal(
        look("b", "a", stages=[stage("one"), stage("two")]),
        USER + "cluster `a` appears in more than one stages",
    ),
    "a cluster is in no stage": Refusal(
        look("b", "a", stages=[stage("one", "prod")]),
        USER + "some clusters are not placed in any stage, total 2, showing up to 10: a, b",
    ),
    "twelve clusters are in no stage": Refusal(
        look(*(f"c{n:02}" for n in range(12)), stages=[StageConfig("none")]),
        USER
        + "some clusters are not placed in any stage, total 12, showing up to 10: "
        + ", ".join(f"c{n:02}" for n in range(10)),
    ),
    "a bound cluster has left the fleet": Refusal(
        look("a", bindings=[binding("a"), binding("left")]),
        USER + "some clusters are not placed in any stage, total 1, showing up to 10: left",
    ),
    "the sorting label is no number": Refusal(
        look(member("a", place="first"), stages=[stage("all", sorting_label_key="place")]),
        USER
        + 'the sorting label `place:first` on cluster `a` is not valid: strconv.Atoi: parsing "first": invalid syntax',
    ),
    "the sorting label is not there": Refusal(
        look("a", stages=[stage("all", sorting_label_key="place")]),
        USER
        + 'the sorting label `place:` on cluster `a` is not valid: strconv.Atoi: parsing "": invalid syntax',
    ),
    "a stage's selector cannot be understood": Refusal(
        look("a", stages=[replace(ANYBODY, label_selector=BAD_SELECTOR)]),
        USER
        + "the stage label selector is invalid, updateStrategy: `/stages`, stage: all, err: "
        + '"Like" is not a valid label selector operator',
    ),
    "two tasks before a stage": Refusal(
        look("a", stages=[stage("all", before_stage_tasks=approval() * 2)]),
        tasks_problem("before", "beforeStageTasks can have at most one task"),
    ),
    "a wait before a stage": Refusal(
        look("a", stages=[stage("all", before_stage_tasks=(StageTask(TIMED_WAIT, "5s"),))]),
        tasks_problem(
            "before",
            "task 0 of type TimedWait is not allowed in beforeStageTasks, allowed type: Approval",
        ),
    ),
    "two approvals after a stage": Refusal(
        look("a", stages=[stage("all", after_stage_tasks=approval() * 2)]),
        tasks_problem("after", "afterStageTasks cannot have two tasks of the same type: Approval"),
    ),
    "a wait without a time": Refusal(
        look("a", stages=[stage("all", after_stage_tasks=approval(TIMED_WAIT))]),
        tasks_problem("after", "task 0 of type TimedWait has wait duration set to nil"),
    ),
    "a wait of no time": Refusal(
        look("a", stages=[stage("all", after_stage_tasks=(StageTask(TIMED_WAIT, "0s"),))]),
        tasks_problem("after", "task 0 of type TimedWait has wait duration <= 0"),
    ),
    "the index is no number": Refusal(
        look("a"),
        USER + "invalid resource snapshot index `latest` provided, expected an integer >= 0",
        index="latest",
    ),
    "the index is negative": Refusal(
        look("a"),
        USER + "invalid resource snapshot index `-1` provided, expected an integer >= 0",
        index="-1",
    ),
    "there is no snapshot of the index": Refusal(
        look("a"),
        USER + "no resourceSnapshots with index `7` found for placement `/app`",
        index="7",
    ),
    "the index is not spelled as on the snapshot": Refusal(
        look("a"),
        USER + "no resourceSnapshots with index `0` found for placement `/app`",
        index="00",
    ),
    "the snapshot has shards and no master": Refusal(
        look("a"),
        ODD + "no master resourceSnapshot found for placement `/app` with index `0`",
        snapshots=[snapshot(master=False)],
    ),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_why_a_run_does_not_begin(case: Refusal) -> None:
    status = initialized(case.seen, *case.snapshots, index=case.index)
    [got] = status.conditions
    assert (got.type, got.status, got.reason) == (
        "Initialized",
        "False",
        "UpdateRunInitializedFailed",
    )
    assert got.message == PREFIX + case.want
    assert got.observed_generation == 2


def test_a_refusal_of_a_namespaced_run_names_the_namespace() -> None:
    seen = look("a", policies=[])
    spaced = replace(seen.run, metadata=ObjectMeta(name="run", namespace="team", generation=2))
    status = initialized(look("a", policies=[], run=spaced), snapshot())
    assert status.conditions[0].message.endswith("with the placement: `team/app`")


def test_what_was_found_out_stands_beside_the_refusal() -> None:
    status = initialized(look("a", strategy=None), snapshot())
    assert status.policy_snapshot_index_used == "0"
    assert status.policy_observed_cluster_count == 1
    assert status.applied_strategy is not None


@dataclass
class Staging:
    seen: Look
    want: dict[str, list[str]]


STAGINGS = {
    "by name": Staging(look("b", "c", "a"), {"all": ["a", "b", "c"]}),
    "by a label that counts, then by name": Staging(
        look(
            *(member(n, place=p) for n, p in (("a", "10"), ("b", "9"), ("c", "-1"), ("d", "9"))),
            stages=[stage("all", sorting_label_key="place")],
        ),
        {"all": ["c", "b", "d", "a"]},
    ),
    "by selectors": Staging(
        look(
            member("a", env="prod"),
            member("b", env="dev"),
            stages=[stage("one", "dev"), stage("two", "prod")],
        ),
        {"one": ["b"], "two": ["a"]},
    ),
    "a stage that nobody is in": Staging(
        look(member("a", env="dev"), stages=[stage("one", "dev"), stage("two", "prod")]),
        {"one": ["a"], "two": []},
    ),
    "clusters the placement is not on are in no stage": Staging(
        look("a", members=[member("a"), member("b")]), {"all": ["a"]}
    ),
    "a stage without a selector takes nobody": Staging(
        look("a", stages=[StageConfig("none"), ANYBODY]), {"none": [], "all": ["a"]}
    ),
    "only what is to be deleted": Staging(look(leaving=["x"]), {"all": []}),
}


@pytest.mark.parametrize("case", STAGINGS.values(), ids=STAGINGS)
def test_who_is_in_which_stage(case: Staging) -> None:
    status = initialized(case.seen, snapshot())
    got = {
        one.stage_name: [each.cluster_name for each in one.clusters] for one in status.stages_status
    }
    assert got == case.want
    assert status.conditions[0].message == "The UpdateRun initialized successfully"


@given(st.permutations(["a", "b", "c", "d"]), st.lists(st.integers(-5, 5), min_size=4, max_size=4))
def test_the_order_does_not_depend_on_the_order_of_lists(
    order: list[str], places: list[int]
) -> None:
    members = {
        name: member(name, place=str(place)) for name, place in zip("abcd", places, strict=True)
    }
    stages = [stage("all", sorting_label_key="place")]
    want = initialized(look(*members.values(), stages=stages), snapshot())
    got = initialized(
        look(
            *(members[name] for name in order),
            stages=stages,
            bindings=[binding(name) for name in order],
        ),
        snapshot(),
    )
    assert got == want


def test_unscheduled_bindings_are_deleted_in_order_of_their_clusters() -> None:
    status = initialized(look("a", leaving=["z", "y"]), snapshot())
    deletion = status.deletion_stage_status
    assert deletion is not None
    assert deletion.stage_name == "kubernetes-fleet.io/deleteStage"
    assert [one.cluster_name for one in deletion.clusters] == ["y", "z"]
    assert status.policy_observed_cluster_count == 1


def test_the_tasks_of_a_stage_are_named_after_the_run() -> None:
    tasks = (StageTask(APPROVAL, "5s"), StageTask(TIMED_WAIT, "60s"))
    config = stage("all", before_stage_tasks=approval(), after_stage_tasks=tasks)
    status = initialized(look("a", stages=[config]), snapshot())
    [got] = status.stages_status
    assert [one.approval_request_name for one in got.before_stage_task_status] == ["run-before-all"]
    assert [(one.type, one.approval_request_name) for one in got.after_stage_task_status] == [
        ("Approval", "run-after-all"),
        ("TimedWait", ""),
    ]
    kept = status.staged_update_strategy_snapshot
    assert kept is not None
    assert kept.stages[0].after_stage_tasks == (StageTask(APPROVAL), StageTask(TIMED_WAIT, "1m0s"))


def test_overrides_are_asked_for_with_the_whole_name_of_the_placement_and_kept() -> None:
    asked = []

    def overrides(key: Key, shards: Sequence[ResourceSnapshot], one: MemberCluster) -> Picked:
        asked.append((key, len(shards), one.metadata.name))
        return Picked(("cro-1",), (NamespacedName("ro-1", "team"),))

    spaced = replace(run(), metadata=ObjectMeta(name="run", namespace="team", generation=2))
    seen = look("a", run=spaced)
    shards = [snapshot(), snapshot(master=False), snapshot(1)]
    status = initializing.planned(seen)
    status = initializing.initialized(
        status, seen, index="0", snapshots=shards, overrides=overrides
    )
    assert asked == [(Key("team", "app"), 2, "a")]
    [cluster] = status.stages_status[0].clusters
    assert cluster.cluster_resource_override_snapshots == ("cro-1",)
    assert cluster.resource_override_snapshots == (NamespacedName("ro-1", "team"),)
    assert status.resource_snapshot_index_used == "0"


def test_a_binding_of_an_older_policy_that_is_not_given_up_yet_is_waited_for() -> None:
    old = binding("b", scheduling_policy_snapshot_name="app-old")
    with pytest.raises(Unsettled, match="with old policy snapshot `/app-old` has state Scheduled"):
        initializing.planned(look("a", bindings=[binding("a"), old]))
