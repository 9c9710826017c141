"""Laws of judging a placement."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import EXTERNAL, REPORT_DIFF
from argosy.api.objects.fleet.policies import PICK_N, PlacementPolicy
from argosy.placement.statuses.documents import status_patch
from argosy.placement.statuses.evaluating import Picture, evaluate, stages_of
from argosy.placement.statuses.wordings import HEAD, STAGES
from tests.unit.placement.statuses.pictures import LATER, NOW, SNAPSHOT, binding, picture

WORTH = {"Unknown": 0, "False": 1, "True": 2}


@st.composite
def bindings(draw: st.DrawFn) -> list[Binding]:
    return [
        binding(
            cluster,
            snapshot=draw(st.sampled_from([SNAPSHOT, "web-6-snapshot", ""])),
            observed=draw(st.sampled_from([3, 3, 3, 2])),
            deleting=draw(st.integers(0, 9)) == 0,
            **draw(st.dictionaries(st.sampled_from(STAGES), st.sampled_from(["True", "False"]))),
        )
        for cluster in draw(st.lists(st.sampled_from("abcd"), unique=True))
    ]


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    return picture(
        draw(bindings()),
        unselected=draw(st.lists(st.sampled_from("xyz"), unique=True)),
        policy=draw(st.sampled_from([None, PlacementPolicy(PICK_N, number_of_clusters=5)])),
        strategy=draw(st.sampled_from(["", EXTERNAL])),
        apply=draw(st.sampled_from(["", REPORT_DIFF])),
        namespace=draw(st.sampled_from(["", "ns"])),
        observed=draw(st.sampled_from([4, 4, 4, 3])),
    )


def judged(seen: Picture, before: Picture) -> Picture:
    """The same picture, of a placement that has been told of another one."""
    status = evaluate(before, HEAD, NOW)
    placement = msgspec.structs.replace(seen.placement, status=status)
    return Picture(placement, seen.policy, seen.resources, seen.bindings, seen.index, seen.selected)


@given(pictures())
def test_a_picture_that_was_told_gives_nothing_more_to_write(seen: Picture) -> None:
    again = judged(seen, seen)
    status = evaluate(again, HEAD, LATER)
    assert status == again.placement.status
    assert status_patch(again.placement.status, status) == {}


@given(pictures(), pictures())
def test_what_is_told_depends_on_the_picture_and_not_on_what_was_told_before(
    seen: Picture, before: Picture
) -> None:
    if seen.policy is not None and seen.policy.status.observed_crp_generation < seen.generation:
        return  # What was said before stays while nobody knows where the placement goes.
    got = evaluate(judged(seen, before), HEAD, LATER)
    want = evaluate(seen, HEAD, LATER)
    if seen.scope is before.scope:
        assert {each.type: (each.status, each.message) for each in got.conditions} == {
            each.type: (each.status, each.message) for each in want.conditions
        }
    assert [
        (each.cluster_name, {one.type: one.status for one in each.conditions})
        for each in got.placement_statuses
    ] == [
        (each.cluster_name, {one.type: one.status for one in each.conditions})
        for each in want.placement_statuses
    ]


@given(pictures())
def test_the_sum_of_a_stage_is_its_weakest_cluster(seen: Picture) -> None:
    status = evaluate(seen, HEAD, NOW)
    clusters = [each for each in status.placement_statuses if each.cluster_name]
    said = {each.type: each for each in status.conditions}
    for stage in stages_of(seen.placement.spec):
        got = said.get(seen.scope.condition(stage))
        if got is None or got.reason == "RolloutControlledByExternalController":
            break
        found = [one.status for each in clusters for one in each.conditions if one.type == stage]
        assert got.status == min(found, key=WORTH.__getitem__)
        if got.status == "True":
            assert len(found) == len(clusters)
