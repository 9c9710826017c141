"""Remedies do what they say: with any one of them applied, the workload fits."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from argosy.queueing.explaining.explaining import explain
from argosy.queueing.explaining.explanations import Outlook
from argosy.queueing.explaining.remedies import Change, Remedy
from argosy.queueing.quotas.amounts import printed
from tests.unit.queueing.explaining.drawing import NOW, Drawing, cpu

small = st.integers(min_value=0, max_value=6)
limits = st.none() | small


@st.composite
def drawings(draw: st.DrawFn) -> Drawing:
    """A tree of one to three cohorts with some ClusterQueues, in some of which something runs."""
    drawing = Drawing()
    parents = ["", "top", draw(st.sampled_from(["top", "mid"]))]
    names = ["top", "mid", "low"][: draw(st.integers(min_value=1, max_value=3))]
    for name, parent in zip(names, parents, strict=False):
        nominal = cpu(
            draw(small), draw(limits) if parent else None, draw(limits) if parent else None
        )
        drawing.cohort(name, parent, ("default", nominal))
    for index in range(draw(st.integers(min_value=1, max_value=4))):
        own = draw(small)
        lend = draw(limits)
        lend = None if lend is None else min(lend, own)
        quota = cpu(own, draw(limits), lend)
        drawing.queue(f"q{index}", draw(st.sampled_from(names)), ("default", quota))
        for number in range(draw(st.integers(min_value=0, max_value=2))):
            drawing.holds(
                f"h{index}-{number}", f"q{index}", draw(st.integers(min_value=1, max_value=5))
            )
    return drawing.waits("w", "q0", draw(st.integers(min_value=1, max_value=9)))


def applied(drawing: Drawing, remedy: Remedy) -> Drawing:
    """The cluster with the remedy's changes made and its workloads ended."""
    changed = copy.deepcopy(drawing)
    for change in remedy.changes:
        _raise(changed, change)
    ended = {name.removeprefix("ns/") for name in remedy.workloads}
    changed.workloads = [one for one in changed.workloads if one["metadata"]["name"] not in ended]
    return changed


def _raise(drawing: Drawing, change: Change) -> None:
    owners = drawing.cohorts if change.kind == "Cohort" else drawing.queues
    (owner,) = (one for one in owners if one["metadata"]["name"] == change.name)
    (resource,) = _quotas(owner)
    resource[change.field] = str(int(resource[change.field]) + int(printed("cpu", change.by)))


def _quotas(owner: Any) -> list[Any]:
    return [
        quota
        for group in owner["spec"]["resourceGroups"]
        for flavor in group["flavors"]
        for quota in flavor["resources"]
    ]


@settings(max_examples=400, deadline=None)
@given(drawings())
def test_every_remedy_is_enough(drawing: Drawing) -> None:
    found = explain(drawing.workload("w"), drawing.picture(), now=NOW)
    assume(found.outlook is Outlook.WAITS)
    assert found.remedies
    for remedy in found.remedies:
        if remedy.changes or remedy.workloads:
            again = applied(drawing, remedy)
            got = explain(again.workload("w"), again.picture(), now=NOW)
            assert got.outlook is Outlook.FITS, remedy


@settings(max_examples=200, deadline=None)
@given(drawings())
def test_less_than_a_raise_is_not_enough(drawing: Drawing) -> None:
    """The nominal quota is to be raised by no more than it takes."""
    found = explain(drawing.workload("w"), drawing.picture(), now=NOW)
    assume(found.outlook is Outlook.WAITS)
    (change,) = found.remedies[0].changes
    assume(change.by > 1000)
    less = Remedy(
        "",
        (
            Change(
                change.kind,
                change.name,
                change.field,
                change.flavor,
                change.resource,
                change.by - 1000,
            ),
        ),
    )
    again = applied(drawing, less)
    got = explain(again.workload("w"), again.picture(), now=NOW)
    assert got.outlook is Outlook.WAITS


@settings(max_examples=200, deadline=None)
@given(drawings())
def test_looking_changes_nothing_and_is_repeatable(drawing: Drawing) -> None:
    picture = drawing.picture()
    first = explain(drawing.workload("w"), picture, now=NOW)
    second = explain(drawing.workload("w"), picture, now=NOW)
    assert first.remedies == second.remedies
    assert first.looks == second.looks
