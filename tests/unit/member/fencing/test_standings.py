"""How long a word of the hub is good for, and that a fence falls before the hub can act, however messages travel."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.reschedules import fence_seconds
from argosy.api.objects.fleet.works import AppliedWork, Work
from argosy.base.types import Object
from argosy.member.fencing.agreements import Agreement, agreement, terms_of
from argosy.member.fencing.standings import Standing
from tests.unit.placement.golden import view

AFTER = 600.0


def test_nothing_may_run_before_the_hub_has_said_a_word() -> None:
    standing = Standing()
    assert not standing.is_known
    assert not standing.holds(AFTER, 0)
    assert standing.left(AFTER, 0) < 0


def test_what_an_agent_before_this_one_heard_keeps_what_runs_and_starts_nothing() -> None:
    standing = Standing()
    standing.recall(100)
    assert standing.is_known
    assert standing.left(AFTER, 200) == 350
    assert not standing.holds(AFTER, 200)
    standing.acknowledge(250, 251)
    assert standing.holds(AFTER, 260)
    standing.recall(0)
    assert standing.left(AFTER, 250) == 450


def test_an_answer_counts_from_when_its_heartbeat_was_sent() -> None:
    standing = Standing()
    standing.acknowledge(0, 300)
    assert standing.left(AFTER, 300) == 150
    assert not standing.holds(AFTER, 450)
    # Late answers of earlier heartbeats take nothing back.
    standing.acknowledge(400, 401)
    standing.acknowledge(100, 402)
    assert standing.left(AFTER, 402) == 448


@dataclass(frozen=True)
class Beat:
    """When it was sent, when the hub heard it, when its answer arrived; None: lost."""

    sent: float
    heard: float | None
    answered: float | None


@st.composite
def beats(draw: st.DrawFn) -> list[Beat]:
    found, now = [], 0.0
    for _ in range(draw(st.integers(1, 12))):
        now += draw(st.floats(0.1, 900))
        there, back = draw(st.floats(0, 400)), draw(st.floats(0, 400))
        fate = draw(st.sampled_from(("fine", "fine", "lost", "unanswered")))
        heard = now + there if fate != "lost" else None
        found.append(
            Beat(now, heard, heard + back if heard is not None and fate == "fine" else None)
        )
    return found


@given(beats())
def test_a_fence_falls_before_the_hub_may_act_and_is_never_lifted_unnoticed(
    sent: list[Beat],
) -> None:
    heard = sorted(each.heard for each in sent if each.heard is not None)
    answers = sorted(
        ((each.answered, each.sent) for each in sent if each.answered is not None),
    )
    silences = [one + AFTER for one, two in pairwise([*heard, float("inf")]) if two - one >= AFTER]
    for moment in silences:
        standing = Standing()
        for answered, began in answers:
            if answered <= moment:
                standing.acknowledge(began, answered)
        # Whatever was answered by then, nothing may have run for a quarter of the time.
        assert standing.left(AFTER, moment) <= -AFTER / 4 + 1e-6
        later = [each for each in answers if each[0] > moment]
        if later and standing.is_known:
            answered, began = later[0]
            assert standing.acknowledge(began, answered) >= fence_seconds(AFTER)


def _work(**annotations: str) -> Work:
    keys = {"asked": names.RESCHEDULE, "said": names.RESCHEDULE_ACCEPTED}
    given_: Object = {keys[key]: value for key, value in annotations.items()}
    return view({"metadata": {"name": "w", "annotations": given_}}, Work)


def _applied(kept: str = "") -> AppliedWork:
    given_ = {names.RESCHEDULE: kept} if kept else {}
    return view({"metadata": {"name": "w", "annotations": given_}}, AppliedWork)


TERMS = {
    "none": (_work(), None),
    "what is asked for": (_work(asked="after=10m"), 600.0),
    "what was agreed, until it is taken back": (_work(said="after=10m"), 600.0),
    "the shorter of both": (_work(asked="after=10m", said="after=5m"), 300.0),
    "nothing that cannot be read": (_work(asked="soon"), None),
}


@pytest.mark.parametrize(("work", "want"), TERMS.values(), ids=TERMS)
def test_the_terms_of_a_work(work: Work, want: float | None) -> None:
    assert terms_of(work) == want


AGREEMENTS = {
    "nothing is asked for": (_work(), _applied(), Agreement(None)),
    "all is settled": (
        _work(asked="after=10m", said="after=10m"),
        _applied("after=10m"),
        Agreement("after=10m"),
    ),
    "new terms are written down before they are accepted": (
        _work(asked="after=10m"),
        _applied(),
        Agreement("after=10m", says=True, keeps=True),
    ),
    "so are shorter ones": (
        _work(asked="after=5m", said="after=10m"),
        _applied("after=10m"),
        Agreement("after=5m", says=True, keeps=True),
    ),
    "longer ones are told first": (
        _work(asked="after=20m", said="after=10m"),
        _applied("after=10m"),
        Agreement("after=20m", says=True, keeps=True, says_first=True),
    ),
    "that there are none is told first": (
        _work(said="after=10m"),
        _applied("after=10m"),
        Agreement(None, says=True, keeps=True, says_first=True),
    ),
    "an AppliedWork that is new": (
        _work(asked="after=10m", said="after=10m"),
        _applied(),
        Agreement("after=10m", keeps=True),
    ),
    "terms that cannot be read are none": (_work(asked="soon"), _applied(), Agreement(None)),
}


@pytest.mark.parametrize(("work", "applied", "want"), AGREEMENTS.values(), ids=AGREEMENTS)
def test_what_has_to_be_written_for_an_agreement(
    work: Work, applied: AppliedWork, want: Agreement
) -> None:
    assert agreement(work, applied) == want
