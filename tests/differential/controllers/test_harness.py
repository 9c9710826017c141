"""The harness itself: what it reads, what it takes for equal, what it notices."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from tests.differential.controllers import describing, groups
from tests.differential.controllers.comparing import differences
from tests.differential.controllers.describing import lines_of
from tests.differential.controllers.groups import Group, grouped
from tests.differential.controllers.observing import _events, normalized
from tests.differential.controllers.playing import Record
from tests.differential.controllers.scenarios import Scenario, ScenarioError, Step, _step
from tests.differential.repeating import Differences, Outcome, insist


def scenario(*differing: int) -> Scenario:
    return Scenario("theme", "name", (), {}, (), frozenset(differing))


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Created pod: a-0-x2k9w", "Created pod: a-0-*"),
        ("a-x2k9w", "a-*"),
        ("job-tracking", "job-tracking"),
        ("2026-01-01T00:00:00Z", "<time>"),
        ("0b0d6d0e-7b3b-4f43-8a92-6f6c1c1d6b4e", "<uid>"),
        ("pod h-x/a", "pod <ns>/a"),
        ("a-29388847", "a-<minute>"),
        ("Created pod: a-29388847-x2k9w", "Created pod: a-<minute>-*"),
        ("2026-01-01T05:31:00+05:30", "<time>+05:30"),
        ("Missed: Mon, 16 Nov 2026 07:31:00 +0000", "Missed: <time>"),
    ],
)
def test_what_must_differ_is_replaced(text: str, want: str) -> None:
    assert normalized({"a": [text]}, "h-x") == {"a": [want]}


def test_versions_and_the_order_of_endpoints_are_left_out() -> None:
    endpoints = [{"addresses": ["10.0.0.2"]}, {"addresses": ["10.0.0.1"]}]
    got = normalized({"resourceVersion": "5", "endpoints": endpoints}, "h-x")
    assert got == {"resourceVersion": "<version>", "endpoints": endpoints[::-1]}


def test_how_often_the_volume_controller_looks_is_not_compared() -> None:
    about = {"involvedObject": {"kind": "PersistentVolumeClaim", "name": "c"}, "type": "Normal"}
    about["source"] = {"component": "persistentvolume-controller"}
    once = about | {"reason": "WaitForFirstConsumer", "message": "waiting"}
    late = about | {"reason": "WaitForPodScheduled", "message": "waiting for pod p"}
    line = "event PersistentVolumeClaim/c Normal WaitForFirstConsumer persistentvolume-controller: waiting"
    want = {line: "again and again"}
    assert _events([once], "h-x") == _events([once | {"count": 2}, late], "h-x") == want


def test_steps_name_the_namespace() -> None:
    step = Step("patch", "nodes/<ns>-1", {"body": {"a": ["<ns>", 1]}})
    want = Step("patch", "nodes/h-x-1", {"body": {"a": ["h-x", 1]}})
    assert step.within("h-x") == want


def test_scenarios_are_grouped_by_what_they_need() -> None:
    found = grouped(["cronjobs", "nodes", "scheduling"])
    got = [(group.peer, group.is_alone, {s.theme for s in group.scenarios}) for group in found]
    assert got == [((), False, {"cronjobs", "nodes"}), (("scheduler",), True, {"scheduling"})]


DESCRIPTION = """\
Name:         a-x2k9w
Namespace:    h-x
Start Time:   Mon, 16 Nov 2026 07:31:19 +0000
IP:           10.0.0.7
Events:
  Type    Reason     Age               From               Message
  ----    ------     ----              ----               -------
  Normal  Started    3s (x2 over 10s)  kubelet            Container started
  Normal  Scheduled  5s                default-scheduler  Successfully assigned h-x/a-x2k9w to n
"""


def test_descriptions_become_lines() -> None:
    assert lines_of(DESCRIPTION, "h-x") == [
        "Name: a-*",
        "Namespace: <ns>",
        "Start Time: <time>",
        "IP: <address>",
        "Events:",
        "  Normal Scheduled  default-scheduler: Successfully assigned <ns>/a-* to n",
        "  Normal Started x2 kubelet: Container started",
    ]


def test_descriptions_differ_by_what_is_not_permitted() -> None:
    want = {"a": ["Name: a", "IP:", "Status: Running"]}
    same = {"a": ["Name: a", "IP: <address>", "Status: Running"]}
    other = {"a": ["Name: a", "Status: Failed"]}
    assert describing.compare(want, same) == {}
    changes = [
        "--- real",
        "+++ argosy",
        "@@ -1,2 +1,2 @@",
        " Name: a",
        "-Status: Running",
        "+Status: Failed",
    ]
    assert describing.compare(want, other) == {"a": ["\n  ".join(changes)]}


def test_what_is_permitted_has_a_reason() -> None:
    assert all(each.because for each in describing.permitted())


def test_records_are_compared_as_they_stand_after_each_step() -> None:
    want = Record("name", [{"one": {"a": 1}}, {"two": {"a": 2, "b": 1}}, {"three": {"b": None}}])
    late = Record("name", [{"one": {"a": 1}}, {"two": {"b": 1}}, {"three": {"a": 2, "b": None}}])
    assert differences(scenario(), want, want) == []
    assert differences(scenario(), want, late) == ["step 2 (two): a\n    real:   2\n    argosy: 1"]
    assert differences(scenario(2), want, late) == []


def test_a_scenario_that_ends_early_differs() -> None:
    want = Record("name", [{"one": {}}, {"two": {}}])
    assert differences(scenario(), want, Record("name", [{"one": {}}])) == ["2 steps there, 1 here"]


def test_templates_are_filled_in() -> None:
    content = {"templates": {"job": {"kind": "Job", "spec": {"a": 1}}}}
    got = _step("here", content, {"create": "job", "name": "x", "set": {"spec.b": 2}})
    body = {"kind": "Job", "spec": {"a": 1, "b": 2}, "metadata": {"name": "x"}}
    assert got == Step("create", "job", {"name": "x", "set": {"spec.b": 2}, "body": body})


@pytest.mark.parametrize("written", [{"bite": 1}, {"report": "x", "of": {"color": 1}}, {"of": {}}])
def test_mistakes_in_themes_are_named(written: dict[str, object]) -> None:
    with pytest.raises(ScenarioError, match=r"^here: "):
        _step("here", {}, written)


A, B = {"a": ["one", "two"]}, {"b": ["three"]}

# What differs in each play of `a` and `b`, and what is said of it.
PLAYS: dict[str, tuple[list[Differences], Outcome]] = {
    "what is the same is played once": ([{}], Outcome(2)),
    "what differs once passes and is named": ([A, {}], Outcome(2, A)),
    "what differs twice passes and is named": ([A, A, {}], Outcome(2, A)),
    "what differs three times is different": ([A, A, A], Outcome(2, A, A)),
    "only what differs is played again": ([A | B, B, {}], Outcome(2, A | B)),
    "what differed first is named, what differed last is told": (
        [A, {"a": ["four"]}, {"a": ["five"]}],
        Outcome(2, A, {"a": ["five"]}),
    ),
}


@pytest.mark.parametrize("name", PLAYS)
def test_what_differs_is_played_again(name: str) -> None:
    plays, want = PLAYS[name]
    left, asked = list(plays), []

    def play(titles: Collection[str]) -> Differences:
        asked.append(list(titles))
        return left.pop(0)

    assert insist(["a", "b"], play) == want
    assert asked == [["a", "b"], *map(list, plays[: len(asked) - 1])]
    assert not left


def test_nothing_is_played_again_where_chance_is_sought() -> None:
    assert insist(["a"], lambda _: A, tries=1) == Outcome(1, {}, A)


def test_whatever_was_played_again_is_told_with_its_first_difference() -> None:
    got = str(Outcome(2, A | B, B) + Outcome(3))
    want = ["played again: a", "  one", "played again: b", "  three", "b:", "  three"]
    want.append("4 comparisons the same, 1 not, 2 played again")
    assert got.splitlines() == want


def test_a_scenario_that_differs_is_played_in_full_on_both_sides_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    same, other = (Record("name", [{"one": {"a": number}}]) for number in (1, 2))
    real = iter([other, same])
    played = []

    async def play_group(_: Path, group: Group) -> dict[str, Record]:
        return {one.title: next(real) for one in group.scenarios}

    def play_here(one: Scenario) -> Record:
        played.append(one.title)
        return same

    monkeypatch.setattr(groups, "play_group", play_group)
    monkeypatch.setattr(groups, "play_here", play_here)
    records, outcome = groups.hold(Path("kubeconfig"), Group((), False, (scenario(),)))
    first = ["step 1 (one): a\n    real:   2\n    argosy: 1"]
    assert outcome == Outcome(1, {"theme: name": first})
    assert records == {"theme: name": same}
    assert played == ["theme: name"] * 2
