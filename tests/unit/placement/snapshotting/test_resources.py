"""When a placement gets another resource snapshot, in how many pieces, and how long it waits for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import Placement, PlacementSpec
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.timestamps import format_time
from argosy.placement.selecting.selections import Selection, identifiers
from argosy.placement.snapshotting.plans import Plan
from argosy.placement.snapshotting.resources import (
    NO_DELAYS,
    SHARD_BYTES,
    Delays,
    cut,
    plan_resources,
    shards_of,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
META = ObjectMeta("web", uid="u1", generation=1)


def selection(*sizes: int, mark: str = "a", envelopes: int = 0) -> Selection:
    """Objects of these sizes."""
    frame = len('{"a":""}')
    return Selection(
        tuple(b'{"a":"%s"}' % (mark.encode() * (size - frame)) for size in sizes), envelopes
    )


def placement(limit: int = 10) -> Placement:
    return Placement(META, PlacementSpec(revision_history_limit=limit))


def written(plan: Plan, at: datetime = NOW) -> list[ResourceSnapshot]:
    """What a plan's new snapshots are once they are there."""
    return [
        msgspec.json.decode(
            msgspec.json.encode(
                {
                    **each,
                    "metadata": {**each["metadata"], "creationTimestamp": format_time(at)},
                }
            ),
            type=ResourceSnapshot,
        )
        for each in plan.creations
    ]


def unmarked(snapshot: ResourceSnapshot) -> ResourceSnapshot:
    labels = {**snapshot.metadata.labels, names.IS_LATEST: "false"}
    meta = msgspec.structs.replace(snapshot.metadata, labels=labels)
    return msgspec.structs.replace(snapshot, metadata=meta)


def plan(
    there: list[ResourceSnapshot],
    selected: Selection,
    *,
    delays: Delays = NO_DELAYS,
    limit: int = 10,
    now: datetime = NOW,
) -> Plan:
    return plan_resources(placement(limit), there, selected, delays, now)


def created(made: Plan) -> list[str]:
    return [each["metadata"]["name"] for each in made.creations]


def test_the_first_one() -> None:
    selected = selection(20, 30, envelopes=1)
    (document,) = plan([], selected).creations
    assert document["metadata"]["name"] == "web-0-snapshot"
    assert document["metadata"]["labels"] == {
        names.PARENT: "web",
        names.RESOURCE_INDEX: "0",
        names.IS_LATEST: "true",
    }
    assert document["metadata"]["annotations"] == {
        names.RESOURCE_HASH: selected.digest,
        names.NUMBER_OF_SNAPSHOTS: "1",
        names.NUMBER_OF_ENVELOPES: "1",
    }
    assert tuple(map(bytes, document["spec"]["selectedResources"])) == selected.contents


def test_nothing_selected_is_a_snapshot_too() -> None:
    (master,) = written(plan([], Selection((), 0)))
    assert master.metadata.annotations[names.NUMBER_OF_SNAPSHOTS] == "1"
    assert master.spec.selected_resources == ()


def test_the_hash_is_that_of_a_spec_as_go_writes_it() -> None:
    import hashlib

    selected = Selection((b'{"a":"<b>&"}',), 0)
    body = rb'{"selectedResources":[{"a":"\u003cb\u003e\u0026"}]}'
    assert selected.digest == hashlib.sha256(body).hexdigest()


CUTS = {
    "all in one": ([1, 2, 3], 6, [[1, 2, 3]]),
    "cut where a piece would grow too large": ([3, 3, 1], 6, [[3, 3], [1]]),
    "never filled up with a later one": ([5, 2, 1], 6, [[5], [2, 1]]),
    "one that is too large stands alone": ([1, 9, 1], 6, [[1], [9], [1]]),
    "a first one that is too large": ([9, 1], 6, [[9], [1]]),
    "nothing": ([], 6, [[]]),
}


@pytest.mark.parametrize("case", CUTS.values(), ids=CUTS.keys())
def test_pieces(case: tuple[list[int], int, list[list[int]]]) -> None:
    sizes, most, want = case
    got = cut([b"x" * size for size in sizes], most)
    assert [[len(each) for each in piece] for piece in got] == want


@given(st.lists(st.integers(0, 40)), st.integers(1, 50))
def test_pieces_lose_nothing_and_are_no_larger_than_they_must_be(
    sizes: list[int], most: int
) -> None:
    contents = [bytes([number % 256]) * size for number, size in enumerate(sizes)]
    pieces = cut(contents, most)
    assert [each for piece in pieces for each in piece] == contents
    for piece in pieces:
        assert len(piece) < 2 or sum(map(len, piece)) <= most
    for piece, after in pairwise(pieces):
        assert sum(map(len, piece)) + len(after[0]) > most


def test_a_large_selection_is_cut_at_800_kib() -> None:
    half = SHARD_BYTES // 2
    made = plan([], selection(half, half, 100, half))
    assert created(made) == ["web-0-snapshot", "web-0-0"]
    master, piece = written(made)
    assert master.metadata.annotations[names.NUMBER_OF_SNAPSHOTS] == "2"
    assert len(master.spec.selected_resources) == 2
    assert piece.metadata.annotations == {names.SUBINDEX: "0"}
    assert names.IS_LATEST not in piece.metadata.labels
    assert shards_of([piece, master], "0") == [master, piece]


def test_the_same_selection_is_kept() -> None:
    there = written(plan([], selection(20)))
    assert plan(there, selection(20)) == Plan()


def test_a_hub_that_died_between_the_pieces_makes_the_missing_ones() -> None:
    large = selection(*[SHARD_BYTES - 10] * 4)
    whole = written(plan([], large))
    assert [each.metadata.name for each in whole] == ["web-0-snapshot", "web-0-0", "web-0-1", "web-0-2"]  # fmt: skip
    assert created(plan(whole[:2], large)) == ["web-0-1", "web-0-2"]
    assert created(plan([whole[0], whole[2]], large)) == ["web-0-0", "web-0-2"]
    assert plan(whole, large) == Plan()


def test_another_selection_at_once_where_nothing_is_gathered() -> None:
    there = written(plan([], selection(20)))
    made = plan(there, selection(20, mark="b"))
    assert [each.patch for each in made.changes] == [
        {"metadata": {"labels": {names.IS_LATEST: "false"}}}
    ]
    assert created(made) == ["web-1-snapshot"]


def test_the_oldest_groups_make_room() -> None:
    large = selection(*[SHARD_BYTES - 10] * 2)
    first = written(plan([], large))
    second = written(plan([unmarked(first[0]), first[1]], selection(20)))
    made = plan([unmarked(first[0]), first[1], *second], selection(30), limit=2)
    assert [each.name for each in made.removals] == ["web-0-snapshot", "web-0-0"]
    assert created(made) == ["web-2-snapshot"]


def test_one_that_lost_its_mark_to_a_crash_is_latest_again() -> None:
    (master,) = written(plan([], selection(20)))
    made = plan([unmarked(master)], selection(20))
    assert [each.patch for each in made.changes] == [
        {"metadata": {"labels": {names.IS_LATEST: "true"}}}
    ]
    assert created(made) == []


def test_after_a_crash_before_the_new_one_nobody_waits() -> None:
    (master,) = written(plan([], selection(20)))
    made = plan([unmarked(master)], selection(30), delays=Delays())
    assert created(made) == ["web-1-snapshot"]


WAITS = {
    "a new change is noted and gathered": (100.0, None, 15.0),
    "a snapshot that is young adds to that": (5.0, None, 25.0),
    "changes that were seen before wait no longer than the first": (100.0, 10.0, 5.0),
    "a change that waited long enough": (100.0, 15.0, None),
    "nor too close to the last": (29.0, 20.0, 1.0),
}


@pytest.mark.parametrize("case", WAITS.values(), ids=WAITS.keys())
def test_waits(case: tuple[float, float | None, float | None]) -> None:
    age, seen, want = case
    (master,) = written(plan([], selection(20)), NOW - timedelta(seconds=age))
    if seen is not None:
        noted = format_time(NOW - timedelta(seconds=seen))
        annotations = {**master.metadata.annotations, names.NEXT_CANDIDATE: noted}
        meta = msgspec.structs.replace(master.metadata, annotations=annotations)
        master = msgspec.structs.replace(master, metadata=meta)
    made = plan([master], selection(30), delays=Delays())
    assert made.wait_seconds == want
    assert bool(made.creations) is (want is None)
    if want is not None:
        noted = {"metadata": {"annotations": {names.NEXT_CANDIDATE: format_time(NOW)}}}
        assert [each.patch for each in made.changes] == ([noted] if seen is None else [])


def test_who_is_in_a_group() -> None:
    job = (
        b'{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"ns"},"spec":{}}'
    )
    role = b'{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}}'
    found = identifiers(written(plan([], Selection((role, job), 0))))
    assert [(each.group, each.version, each.kind, each.namespace, each.name) for each in found] == [
        ("", "v1", "Namespace", "", "ns"),
        ("batch", "v1", "Job", "ns", "j"),
    ]
