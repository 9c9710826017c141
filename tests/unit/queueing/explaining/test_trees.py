"""Trees as they are shown: order, shares, borrowing, what is only named, and what is broken."""

from __future__ import annotations

from argosy.queueing.explaining.trees import Branch, branches, is_infinite, tree_of
from tests.unit.queueing.explaining.drawing import Drawing, cpu


def drawn(drawing: Drawing) -> list[Branch]:
    return branches(drawing.picture())


def test_cohorts_come_first_then_lone_queues_then_broken_ones() -> None:
    drawing = (
        Drawing()
        .queue("zoo", "", ("default", cpu(1)))
        .queue("team", "named", ("default", cpu(1)))
        .cohort("x", "y")
        .cohort("y", "x")
        .queue("lost", "x", ("default", cpu(1)))
    )
    found = drawn(drawing)
    assert [(one.kind, one.name, one.is_implicit) for one in found] == [
        ("Cohort", "named", True),
        ("ClusterQueue", "zoo", False),
        ("ClusterQueue", "lost", False),
    ]
    assert found[2].problem == "its cohort x is part of a cycle"
    assert [one.name for one in tree_of(found, "team")] == ["named"]
    assert tree_of(found, "nope") == []


def test_shares_of_the_talk() -> None:
    """Three ClusterQueues of 8 in one cohort that borrow 3, 2 and nothing of 24."""
    drawing = Drawing()
    for name, used in (("a", 11), ("b", 10), ("c", 3)):
        drawing.queue(name, "lab", ("default", cpu(8))).holds(f"w-{name}", name, used)
    (tree,) = drawn(drawing)
    assert [(one.name, one.share) for one in tree.children] == [("a", 125), ("b", 84), ("c", 0)]
    assert tree.share is None
    (line,) = tree.children[0].lines
    assert (line.used, line.borrowed, line.available, line.lendable) == (11000, 3000, 0, 8000)


def test_a_borrower_without_weight_has_an_infinite_share() -> None:
    drawing = (
        Drawing()
        .queue("a", "lab", ("default", cpu(1)), fairSharing={"weight": "0"})
        .queue("b", "lab", ("default", cpu(4)))
        .holds("w", "a", 2)
    )
    (tree,) = drawn(drawing)
    assert is_infinite(tree.children[0].share)
    assert tree.children[0].dominant == "cpu"


def test_what_is_used_without_quota_is_shown() -> None:
    drawing = Drawing().queue("a", "", ("default", cpu(1))).holds("w", "a", 2, flavor="gone")
    (tree,) = drawn(drawing)
    assert [(line.flavor, line.nominal, line.used, line.available) for line in tree.lines] == [
        ("default", 1000, 0, 1000),
        ("gone", 0, 2000, -2000),
    ]


def test_counts() -> None:
    drawing = (
        Drawing()
        .queue(
            "a", "", ("default", cpu(4)), status={"pendingWorkloads": 7, "reservingWorkloads": 5}
        )
        .holds("w", "a", 2)
        .waits("x", "a", 9)
        .waits("off", "a", 9, active=False)
    )
    (tree,) = drawn(drawing)
    assert (tree.pending, tree.reserving) == (1, 1)
    drawing.sees_all = False
    (tree,) = drawn(drawing)
    assert (tree.pending, tree.reserving) == (7, 5)
