"""Which Works of a binding are made, changed, deleted and waited for, and when to look."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
import pytest

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.works import SentWork
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.placement.overriding.applying import Overrider
from argosy.placement.working.building import Draft, build
from argosy.placement.working.occasions import is_due, tells_more
from argosy.placement.working.syncing import carry_name, is_synced, plan
from tests.unit.placement.golden import view
from tests.unit.placement.working.builders import (
    STRATEGY,
    binding,
    condition,
    config_map,
    envelope,
    manifest,
    snapshot,
    work,
)

BINDING = binding()
SHARDS = [snapshot(config_map("a")), snapshot(config_map("b"), subindex=0)]
BOXED = [snapshot(config_map("a"), envelope("box", {"k": config_map("b")}), envelopes=1)]
PLAIN = Overrider(MemberCluster())


def made(draft: Draft, **changes: Object | None) -> SentWork:
    """A Work that was made of a draft."""
    given: Object = {
        "labels": dict(draft.labels),
        "annotations": dict(draft.annotations),
        **changes,
    }
    return work(draft.name, **given)


def drafts(shards: list[ResourceSnapshot]) -> list[Draft]:
    return build(BINDING, shards, PLAIN)


FIRST, SECOND = drafts(SHARDS)
OTHER_LABELS: Object = {**FIRST.labels, names.PARENT_BINDING: "other"}


@dataclass
class Case:
    works: list[SentWork]
    create: list[str] = field(default_factory=list)
    update: list[str] = field(default_factory=list)
    strategies: list[str] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    # Works of the namespace that are not the binding's.
    others: list[SentWork] = field(default_factory=list)


PLANS = {
    "nothing is there": Case([], create=["p-work", "p-0"]),
    "all is there": Case([made(FIRST), made(SECOND)]),
    "labels of other people do not matter": Case(
        [made(FIRST, labels={**FIRST.labels, "x": "y"}), made(SECOND)]
    ),
    "one is of another snapshot": Case(
        [made(FIRST, labels={**FIRST.labels, names.PARENT_SNAPSHOT_INDEX: "7"}), made(SECOND)],
        update=["p-work"],
    ),
    "one has other overrides": Case(
        [made(FIRST), made(SECOND, annotations={**FIRST.annotations, names.OVERRIDE_HASH: "x"})],
        update=["p-0"],
    ),
    "one has another apply strategy": Case(
        [made(FIRST, strategy={**STRATEGY, "type": "ReportDiff"}), made(SECOND, strategy=None)],
        strategies=["p-work", "p-0"],
    ),
    "what is not needed goes": Case(
        [made(FIRST), made(SECOND), work("p-9"), work("p-8")], delete=["p-8", "p-9"]
    ),
    "a name that is about to get free": Case(
        [made(SECOND)], waiting=["p-work"], others=[made(FIRST, is_leaving=True)]
    ),
    "a name that another binding has": Case(
        [made(SECOND)], waiting=["p-work"], others=[made(FIRST, labels=OTHER_LABELS)]
    ),
    "a name that nobody's Work has is taken": Case(
        [made(SECOND)], update=["p-work"], others=[made(FIRST, labels={"x": "y"})]
    ),
    "a name that a forgotten binding's Work has is taken": Case(
        [made(SECOND)],
        update=["p-work"],
        others=[made(FIRST, labels={**FIRST.labels, names.PARENT_BINDING: "gone"})],
    ),
}


@pytest.mark.parametrize("case", PLANS.values(), ids=PLANS)
def test_what_is_written(case: Case) -> None:
    known = {each.metadata.name: each for each in (*case.works, *case.others)}
    got = plan(
        [FIRST, SECOND], case.works, named=known.get, is_alive=lambda key: key == Key("", "other")
    )
    assert [each.name for each in got.create] == case.create
    assert [each.name for each in got.update] == case.update
    assert [each.metadata.name for each in got.strategies] == case.strategies
    assert [each.metadata.name for each in got.delete] == case.delete
    assert [each.metadata.name for each in got.waiting] == case.waiting
    rest = (case.create, case.update, case.strategies, case.delete, case.waiting)
    assert got.is_idle is not any(rest)


BOX, REST = drafts(BOXED)
SYNCED: dict[str, tuple[list[ResourceSnapshot], list[SentWork], bool]] = {
    "all shards have their Work": (SHARDS, [made(FIRST), made(SECOND)], True),
    "one is missing": (SHARDS, [made(FIRST)], False),
    "one has another name": (
        SHARDS,
        [made(FIRST), work("x", labels=dict(SECOND.labels), annotations=dict(SECOND.annotations))],
        False,
    ),
    "one too many": (SHARDS, [made(FIRST), made(SECOND), work("x")], False),
    "one is of another snapshot": (
        SHARDS,
        [made(FIRST), made(SECOND, annotations={names.PARENT_SNAPSHOT_NAME: "x"})],
        False,
    ),
    "one has another strategy": (SHARDS, [made(FIRST), made(SECOND, strategy=None)], False),
    "an envelope has its Work": (BOXED, [made(BOX), made(REST)], True),
    "the Work of an envelope is missing": (BOXED, [made(REST)], False),
    "an envelope has a Work too many": (
        BOXED,
        [made(BOX), made(REST), work("twin", labels=dict(BOX.labels), annotations=dict(BOX.annotations))],
        False,
    ),
    "the snapshot does not tell how many envelopes it has": (
        [snapshot(config_map("a"), envelopes=None)],
        [made(FIRST)],
        False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("shards", "works", "want"), SYNCED.values(), ids=SYNCED)
def test_works_are_in_place(
    shards: list[ResourceSnapshot], works: list[SentWork], want: bool
) -> None:
    assert is_synced(BINDING, shards, works) is want
    if want:
        # The long way comes to the same.
        known = {each.metadata.name: each for each in works}
        assert plan(drafts(shards), works, named=known.get, is_alive=lambda _: True).is_idle


def test_works_may_outlive_their_snapshot() -> None:
    assert carry_name([made(FIRST), made(SECOND)], "p-0-snapshot")
    assert not carry_name([made(FIRST), made(SECOND)], "p-1-snapshot")
    assert not carry_name([made(FIRST), work("x")], "p-0-snapshot")
    assert not carry_name([], "p-0-snapshot")


def _rolled(status: str, generation: int, **spec: str) -> Binding:
    conditions = view(
        {"status": {"conditions": [condition("RolloutStarted", status, generation=generation)]}},
        Binding,
    )
    return msgspec.structs.replace(binding(**spec), status=conditions.status)


DUE: dict[str, tuple[Binding, bool]] = {
    "its rollout has started": (_rolled("True", 3), True),
    "its rollout is held back": (_rolled("False", 3), True),
    "its rollout is unknown": (_rolled("Unknown", 3), False),
    "what was said is of another generation": (_rolled("True", 2), False),
    "nothing was said of its rollout": (binding(), False),
    "it is only scheduled": (_rolled("True", 3, state="Scheduled"), False),
    "it is on its way out": (binding(state="Unscheduled"), True),
    "it is on its way out and never had anything": (
        binding(state="Unscheduled", resourceSnapshotName=""),
        False,
    ),
}


@pytest.mark.parametrize(("bound", "want"), DUE.values(), ids=DUE)
def test_when_a_binding_becomes_works(bound: Binding, want: bool) -> None:
    assert is_due(bound) is want


BEFORE = work(
    "w", condition("Applied", "True"), manifests=[manifest("a", condition("Applied", "True"))]
)
NEWS: dict[str, tuple[SentWork, bool]] = {
    "nothing": (BEFORE, False),
    "another generation": (msgspec.structs.replace(
        BEFORE, metadata=msgspec.structs.replace(BEFORE.metadata, generation=2)), False),
    "what is reported back of its objects": (
        work("w", condition("Applied", "True"),
             manifests=[manifest("a", condition("Applied", "True"), backReportedStatus={"x": 1})]),
        False,
    ),
    "a condition": (
        work("w", condition("Applied", "False"), manifests=[manifest("a", condition("Applied", "True"))]),
        True,
    ),
    "a condition of a manifest": (
        work("w", condition("Applied", "True"), manifests=[manifest("a", condition("Applied", "False"))]),
        True,
    ),
    "a drift": (
        work("w", condition("Applied", "True"),
             manifests=[manifest("a", condition("Applied", "True"), driftDetails={"observationTime": "x"})]),
        True,
    ),
    "a label": (msgspec.structs.replace(
        BEFORE, metadata=msgspec.structs.replace(BEFORE.metadata, labels={})), True),
    "its end": (
        work("w", condition("Applied", "True"), is_leaving=True,
             manifests=[manifest("a", condition("Applied", "True"))]),
        True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("after", "want"), NEWS.values(), ids=NEWS)
def test_what_of_a_work_is_news(after: SentWork, want: bool) -> None:
    assert tells_more(BEFORE, after) is want


WISHES = {names.QUEUE_MANAGED: "ignore"}
(WISHED,) = build(BINDING, SHARDS[:1], PLAIN, wishes=WISHES)


@pytest.mark.parametrize(
    ("draft", "work_", "wishes"),
    [(WISHED, made(FIRST), WISHES), (FIRST, made(WISHED), {})],
    ids=["a wish that is new", "one that is gone"],
)
def test_wishes_of_the_placement(draft: Draft, work_: SentWork, wishes: dict[str, str]) -> None:
    assert not is_synced(BINDING, SHARDS[:1], [work_], wishes)
    got = plan([draft], [work_], named=lambda _: work_, is_alive=lambda _: True)
    assert got.update == (draft,)
    assert is_synced(BINDING, SHARDS[:1], [made(draft)], wishes)
    # What is wished for no more is taken away; a new Work never has it.
    said = draft.patch()["metadata"]["annotations"][names.QUEUE_MANAGED]
    assert said == wishes.get(names.QUEUE_MANAGED)
    assert (names.QUEUE_MANAGED in draft.document()["metadata"]["annotations"]) is bool(wishes)
