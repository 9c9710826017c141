"""Flavors for whole workloads: how each can be had, what it would use, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.kueue.quotas import (
    BorrowWithinCohort,
    ClusterQueuePreemption,
    FlavorFungibility,
)
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assigning import IGNORE_UNDECLARED, Assigner
from argosy.queueing.flavors.assignments import Assignment, Mode, Possibility
from argosy.queueing.flavors.choosing import Nomination
from argosy.queueing.flavors.reasons import message
from argosy.queueing.quotas.amounts import FlavorResource, quantities
from argosy.queueing.workloads.infos import Info, LastAssignment, PodSetResources
from argosy.queueing.workloads.making import ALLOWED_FLAVORS
from tests.unit.queueing.flavors.building import Oracle, cluster, flavor, info, pod_set

TRY_ALL = FlavorFungibility(when_can_borrow="TryNextFlavor", when_can_preempt="TryNextFlavor")
GROUP = {"podSetGroupName": "g"}


@dataclass
class Case:
    """`flavors` and `tried` are those of each pod set, in the order they were looked at."""

    snapshot: Snapshot
    info: Info
    mode: Mode
    flavors: Sequence[Mapping[str, str]] = ()
    said: str = ""
    reason: str = ""
    tried: Sequence[Mapping[str, int]] | None = None
    borrowing: int = 0
    usage: Mapping[tuple[str, str], int] | None = None
    oracle: Oracle = field(default_factory=Oracle)
    assigner: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def _short(flavor: str, more: str, resource: str = "cpu") -> str:
    return f"insufficient unused quota for {resource} in flavor {flavor}, {more} more needed"


def _over(flavor: str, assumed: str, request: str, capacity: str, resource: str = "cpu") -> str:
    return (
        f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests ({assumed})"
        f" + current podset request ({request}) > maximum capacity ({capacity})"
    )


def _not(pod_set: str, *said: str) -> str:
    return f"couldn't assign flavors to pod set {pod_set}: {', '.join(said)}"


def _slice(**flavors: str) -> Info:
    """A slice of pod set main that holds one of each resource."""
    held = PodSetResources("main", 1, dict.fromkeys(flavors, 1000), flavors)
    return Info(info(pod_set()).obj, (held,))


def _last(*tried: Mapping[str, int]) -> LastAssignment:
    return LastAssignment(tried, generation=0)


CASES: dict[str, Case] = {
    "the only flavor fits": Case(
        cluster({"f": {"cpu": "4"}}),
        info(pod_set(count=2, cpu="1500m")),
        Mode.FIT,
        [{"cpu": "f"}],
        tried=[{"cpu": -1}],
        usage={("f", "cpu"): 3000},
    ),
    "the first of two flavors that fit is taken, the search is not over": Case(
        cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}}),
        info(pod_set(cpu="1")),
        Mode.FIT,
        [{"cpu": "f"}],
        tried=[{"cpu": 0}],
    ),
    "a search goes on after the flavor tried last": Case(
        cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}, "h": {"cpu": "4"}}),
        info(pod_set(cpu="1"), last=_last({"cpu": 0})),
        Mode.FIT,
        [{"cpu": "g"}],
        tried=[{"cpu": 1}],
    ),
    "a search that got to the end starts over": Case(
        cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}}),
        info(pod_set(cpu="1"), last=_last({"cpu": -1})),
        Mode.FIT,
        [{"cpu": "f"}],
    ),
    "a search starts over where flavors went away": Case(
        cluster({"f": {"cpu": "4"}}),
        info(pod_set(cpu="1"), last=_last({"cpu": 3})),
        Mode.FIT,
        [{"cpu": "f"}],
    ),
    "more than there is quota for never fits": Case(
        cluster({"f": {"cpu": "4"}}),
        info(pod_set(cpu="5")),
        Mode.NO_FIT,
        [{}],
        _not("main", _over("f", "0", "5", "4")),
        "ExceedsMaxQuota",
    ),
    "all resources that are missing are named, in order of words": Case(
        cluster({"f": {"memory": "1Mi", "cpu": "1"}}),
        info(pod_set(cpu="2", memory="2Mi")),
        Mode.NO_FIT,
        [{}],
        _not("main", _over("f", "0", "2", "1"), _over("f", "0", "2Mi", "1Mi", "memory")),
        "ExceedsMaxQuota",
    ),
    "what is used now may be preempted, however much is used": Case(
        cluster({"f": {"cpu": "4"}}, used={"f": {"cpu": "6"}}),
        info(pod_set(cpu="4")),
        Mode.PREEMPT,
        [{"cpu": "f"}],
        _not("main", _short("f", "4")),
    ),
    "beyond the nominal quota nothing is preempted in a flat cohort": Case(
        cluster({"f": {"cpu": "4"}}, others={"f": {"cpu": "4"}}, others_use={"f": {"cpu": "4"}}),
        info(pod_set(cpu="5")),
        Mode.NO_FIT,
        [{}],
        _not("main", _short("f", "1")),
        "WaitingForQuota",
    ),
    "unless the ClusterQueue may preempt while it borrows": Case(
        cluster(
            {"f": {"cpu": "4"}},
            others={"f": {"cpu": "4"}},
            others_use={"f": {"cpu": "4"}},
            preemption=ClusterQueuePreemption(
                borrow_within_cohort=BorrowWithinCohort(policy="LowerPriority")
            ),
        ),
        info(pod_set(cpu="5")),
        Mode.PREEMPT,
        [{"cpu": "f"}],
        _not("main", _short("f", "1")),
        borrowing=1,
        oracle=Oracle({"f": (Possibility.RECLAIM, 1)}),
    ),
    "or shares are fair and it may reclaim": Case(
        cluster(
            {"f": {"cpu": "4"}},
            others={"f": {"cpu": "4"}},
            others_use={"f": {"cpu": "4"}},
            preemption=ClusterQueuePreemption(reclaim_within_cohort="Any"),
        ),
        info(pod_set(cpu="5")),
        Mode.PREEMPT,
        [{"cpu": "f"}],
        _not("main", _short("f", "1")),
        assigner={"is_fair_sharing": True},
    ),
    "a flavor that fits by borrowing is good enough by default": Case(
        cluster({"f": {"cpu": "1"}, "g": {"cpu": "4"}}, others={"f": {"cpu": "4"}}),
        info(pod_set(cpu="2")),
        Mode.FIT,
        [{"cpu": "f"}],
        tried=[{"cpu": 0}],
        borrowing=1,
    ),
    "a later one that needs none is better if asked for": Case(
        cluster(
            {"f": {"cpu": "1"}, "g": {"cpu": "4"}},
            others={"f": {"cpu": "4"}},
            fungibility=TRY_ALL,
        ),
        info(pod_set(cpu="2")),
        Mode.FIT,
        [{"cpu": "g"}],
        tried=[{"cpu": -1}],
    ),
    "reclaiming from others is better than preempting within": Case(
        cluster(
            {"f": {"cpu": "2"}, "g": {"cpu": "2"}}, used={"f": {"cpu": "2"}, "g": {"cpu": "2"}}
        ),
        info(pod_set(cpu="1")),
        Mode.PREEMPT,
        [{"cpu": "g"}],
        _not("main", _short("f", "1"), _short("g", "1")),
        oracle=Oracle({"g": (Possibility.RECLAIM, 0)}),
    ),
    "what would rather preempt than borrow counts as fitting by its higher resource": Case(
        cluster(
            {"f": {"cpu": "2", "memory": "1"}},
            used={"f": {"cpu": "2"}},
            others={"f": {"cpu": "0", "memory": "4"}},
            fungibility=FlavorFungibility(
                when_can_borrow="TryNextFlavor",
                when_can_preempt="TryNextFlavor",
                preference="PreemptionOverBorrowing",
            ),
        ),
        info(pod_set(cpu="1", memory="2")),
        Mode.FIT,
        [{"cpu": "f", "memory": "f"}],
        borrowing=1,
    ),
    "a flavor that is gone is passed over": Case(
        Snapshot(cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}}).queues, {"g": flavor("g")}),
        info(pod_set(cpu="1")),
        Mode.FIT,
        [{"cpu": "g"}],
    ),
    "no flavor suits": Case(
        cluster(
            {"f": {"cpu": "4"}, "g": {"cpu": "4"}},
            flavors=[
                flavor("f", nodeLabels={"x": "a"}),
                flavor("g", nodeTaints=[{"key": "k", "effect": "NoExecute"}]),
            ],
        ),
        info(pod_set(cpu="1", spec={"nodeSelector": {"x": "b"}})),
        Mode.NO_FIT,
        [{}],
        _not(
            "main",
            "flavor f doesn't match node affinity",
            "untolerated taint {k  NoExecute <nil>} in flavor g",
        ),
        "NoMatchingFlavor",
    ),
    "any flavor of a group would do, so the mildest reason is told": Case(
        cluster(
            {"f": {"cpu": "4"}, "g": {"cpu": "2"}}, flavors=[flavor("f", nodeLabels={"x": "a"})]
        ),
        info(pod_set(cpu="3", spec={"nodeSelector": {"x": "b"}})),
        Mode.NO_FIT,
        [{}],
        _not("main", "flavor f doesn't match node affinity", _over("g", "0", "3", "2")),
        "ExceedsMaxQuota",
    ),
    "resource groups are chosen for one by one": Case(
        cluster({"f": {"cpu": "4", "memory": "4"}}, {"a": {"gpu": "1"}, "b": {"gpu": "8"}}),
        info(pod_set(cpu="1", memory="1", gpu="4")),
        Mode.FIT,
        [{"cpu": "f", "memory": "f", "example.com/gpu": "b"}],
    ),
    "the reasons of the group that fails are told alone": Case(
        cluster({"f": {"cpu": "4"}}, {"a": {"gpu": "1"}}, used={"f": {"cpu": "4"}}),
        info(pod_set(cpu="1", gpu="4")),
        Mode.NO_FIT,
        [{}],
        _not("main", _over("a", "0", "4", "1", "example.com/gpu")),
        "ExceedsMaxQuota",
    ),
    "a resource that is not covered rules a workload out": Case(
        cluster({"f": {"cpu": "4"}}),
        info(pod_set(cpu="1", gpu="1")),
        Mode.NO_FIT,
        [{}],
        _not("main", "resource example.com/gpu unavailable in ClusterQueue"),
        "NoMatchingFlavor",
    ),
    "nothing of a resource that is not covered is no request": Case(
        cluster({"f": {"cpu": "4"}}), info(pod_set(cpu="1", gpu="0")), Mode.FIT, [{"cpu": "f"}]
    ),
    "nothing of a resource that is covered still gets a flavor": Case(
        cluster({"f": {"cpu": "4", "gpu": "1"}}),
        info(pod_set(cpu="1", gpu="0")),
        Mode.FIT,
        [{"cpu": "f", "example.com/gpu": "f"}],
    ),
    "what is not declared may be ignored": Case(
        cluster({"f": {"cpu": "4"}}),
        info(pod_set("a", cpu="1", gpu="1"), pod_set("b", gpu="1"), pod_set("c", cpu="1")),
        Mode.FIT,
        [{"cpu": "f"}, {}, {"cpu": "f"}],
        usage={("f", "cpu"): 2000},
        assigner={"quota_check_strategy": IGNORE_UNDECLARED},
    ),
    "pods are counted where they are covered": Case(
        cluster({"f": {"cpu": "4", "pods": "2"}}),
        info(pod_set(count=3, cpu="1")),
        Mode.NO_FIT,
        [{}],
        _not("main", _over("f", "0", "3", "2", "pods")),
        "ExceedsMaxQuota",
    ),
    "a pod set sees what those before it would take": Case(
        cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}}),
        info(pod_set("a", cpu="3"), pod_set("b", cpu="3")),
        Mode.FIT,
        [{"cpu": "f"}, {"cpu": "g"}],
        tried=[{"cpu": 0}, {"cpu": -1}],
        usage={("f", "cpu"): 3000, ("g", "cpu"): 3000},
    ),
    "the first pod set that cannot be had ends it": Case(
        cluster({"f": {"cpu": "4"}}),
        info(pod_set("a", cpu="3"), pod_set("b", cpu="3"), pod_set("c", cpu="1")),
        Mode.NO_FIT,
        [{"cpu": "f"}, {}],
        _not("b", _over("f", "3", "3", "4")),
        "ExceedsMaxQuota",
    ),
    "what is said of several pod sets is told one after the other": Case(
        cluster(
            {"f": {"cpu": "4"}, "g": {"cpu": "9"}}, used={"f": {"cpu": "2"}, "g": {"cpu": "9"}}
        ),
        info(pod_set("a", cpu="3"), pod_set("b", cpu="5")),
        Mode.PREEMPT,
        [{"cpu": "f"}, {"cpu": "g"}],
        "; ".join(
            (
                _not("a", _short("f", "1"), _short("g", "3")),
                _not("b", _over("f", "3", "5", "4"), _short("g", "5")),
            )
        ),
    ),
    "pod sets of a group get the same flavors, by what they request together": Case(
        cluster({"f": {"cpu": "4", "gpu": "4"}, "g": {"cpu": "5", "gpu": "4"}}),
        info(
            pod_set("worker", 4, cpu="1", gpu="1", topology=GROUP),
            pod_set("other", cpu="4"),
            pod_set("leader", cpu="1", topology=GROUP),
        ),
        Mode.FIT,
        [{"cpu": "g", "example.com/gpu": "g"}, {"cpu": "g"}, {"cpu": "f"}],
        tried=[{"cpu": -1, "example.com/gpu": -1}, {"cpu": 0}, {"cpu": -1}],
    ),
    "flavors that the workload does not allow are passed over": Case(
        cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}, "h": {"cpu": "4"}}),
        info(pod_set(cpu="1"), annotations={ALLOWED_FLAVORS: "h, g"}, variants=True),
        Mode.FIT,
        [{"cpu": "g"}],
    ),
    "the annotation says nothing where there are no variants of workloads": Case(
        cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}}),
        info(pod_set(cpu="1"), annotations={ALLOWED_FLAVORS: "g"}),
        Mode.FIT,
        [{"cpu": "f"}],
    ),
    "an empty list allows none": Case(
        cluster({"f": {"cpu": "4"}}),
        info(pod_set(cpu="1"), annotations={ALLOWED_FLAVORS: ""}, variants=True),
        Mode.NO_FIT,
        [{}],
        _not("main", "skipping flavor f due to WorkloadAllowedResourceFlavorAnnotation annotation"),
        "NoMatchingFlavor",
    ),
    "a nominated flavor is looked at again, wherever the search stopped": Case(
        cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}}, used={"f": {"cpu": "4"}}),
        info(pod_set(cpu="1"), last=_last({"cpu": 0})),
        Mode.PREEMPT,
        [{"cpu": "f"}],
        _not(
            "main",
            _short("f", "1"),
            "skipping flavor g as it is not found in the nomination mapping for resource cpu",
        ),
        options={"nomination": {"main": {"cpu": "f"}}},
    ),
    "a slice keeps the flavor of the one it replaces, and asks only for more": Case(
        cluster({"f": {"cpu": "9"}, "g": {"cpu": "3"}}, used={"g": {"cpu": "1"}}),
        info(pod_set(cpu="3")),
        Mode.FIT,
        [{"cpu": "g"}],
        usage={("g", "cpu"): 2000},
        options={"replaced": _slice(cpu="g")},
    ),
    "a slice whose flavor has no room waits for it": Case(
        cluster({"f": {"cpu": "9"}, "g": {"cpu": "1"}}, used={"g": {"cpu": "1"}}),
        info(pod_set(cpu="3")),
        Mode.NO_FIT,
        [{}],
        _not(
            "main",
            "could not assign f flavor since the original workload is assigned: g",
            _over("g", "0", "2", "1"),
        ),
        "ExceedsMaxQuota",
        options={"replaced": _slice(cpu="g")},
    ),
    "fewer pods are asked for where counts are given": Case(
        cluster({"f": {"cpu": "4", "pods": "10"}}),
        info(pod_set(count=8, cpu="1")),
        Mode.FIT,
        [{"cpu": "f", "pods": "f"}],
        usage={("f", "cpu"): 3000, ("f", "pods"): 3},
        options={"counts": [3]},
    ),
}


def _assign(case: Case) -> Assignment:
    queue = case.snapshot.queues["cq"]
    return Assigner(**case.assigner).assign(
        case.info, queue, case.snapshot, case.oracle, **case.options
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_flavors(case: Case) -> None:
    got = _assign(case)
    names = [
        {resource: one.name for resource, one in pod_set.flavors.items()}
        for pod_set in got.pod_sets
    ]
    assert (got.mode, names, message(got)) == (case.mode, list(case.flavors), case.said)
    assert (got.no_fit_reason, got.borrowing) == (case.reason, case.borrowing)
    assert got.last is not None
    if case.tried is not None:
        assert list(got.last.tried) == list(case.tried)
    if case.usage is not None:
        assert got.usage == case.usage


def test_flavors_of_an_earlier_pass_are_kept() -> None:
    snapshot = cluster({"f": {"cpu": "4"}, "g": {"cpu": "4"}})
    workload = info(pod_set(cpu="1"))
    workload.total_requests = (
        PodSetResources("main", 1, {"cpu": 1000}, {"cpu": "g"}, topology_assignment={"levels": []}),
    )
    got = Assigner().assign(workload, snapshot.queues["cq"], snapshot, Oracle())
    (main,) = got.pod_sets
    assert (got.mode, main.flavors["cpu"].name) == (Mode.FIT, "g")
    assert main.topology_assignment == {"levels": []}
    assert main.attempts == []


def test_an_admission_uses_only_what_has_a_flavor() -> None:
    case = CASES["nothing of a resource that is not covered is no request"]
    (main,) = _assign(case).pod_sets
    assert quantities(main.requests) == {"cpu": "1", "example.com/gpu": "0"}
    assert quantities(main.resource_usage) == {"cpu": "1"}


def test_the_oracle_is_asked_for_all_that_the_workload_would_use() -> None:
    snapshot = cluster({"f": {"cpu": "4"}}, used={"f": {"cpu": "3"}})
    oracle = Oracle()
    workload = info(pod_set("a", cpu="1"), pod_set("b", cpu="2"))
    Assigner().assign(workload, snapshot.queues["cq"], snapshot, oracle)
    assert oracle.asked == [(FlavorResource("f", "cpu"), 3000)]


_RESOURCES = ("cpu", "memory", "pods")
_amounts = st.integers(0, 6).map(str)
_quota = st.fixed_dictionaries(dict.fromkeys(_RESOURCES, _amounts))
_pods = st.dictionaries(st.sampled_from(("cpu", "memory")), _amounts)


@st.composite
def _situations(draw: st.DrawFn) -> tuple[Snapshot, list[tuple[int, dict[str, str]]]]:
    groups = draw(st.fixed_dictionaries({"f": _quota, "g": _quota}))
    fungibility = FlavorFungibility(
        when_can_borrow=draw(st.sampled_from(("MayStopSearch", "TryNextFlavor"))),
        when_can_preempt=draw(st.sampled_from(("MayStopSearch", "TryNextFlavor"))),
    )
    snapshot = cluster(
        groups,
        used=draw(st.fixed_dictionaries({"f": _quota, "g": _quota})),
        others=draw(st.fixed_dictionaries({"f": _quota, "g": _quota})),
        others_use=draw(st.fixed_dictionaries({"f": _quota, "g": _quota})),
        fungibility=fungibility,
    )
    return snapshot, draw(st.lists(st.tuples(st.integers(0, 3), _pods), min_size=1, max_size=3))


@given(_situations())
def test_what_fits_is_there_to_be_used(
    situation: tuple[Snapshot, list[tuple[int, dict[str, str]]]],
) -> None:
    """Never is more admitted than the quota left, by all pod sets together; and nothing changes by asking."""
    snapshot, pods = situation
    node = snapshot.queues["cq"].node
    before = list(node.usage)
    workload = info(*(pod_set(f"p{i}", count, **each) for i, (count, each) in enumerate(pods)))
    got = _with(snapshot, workload)
    if got.mode is Mode.FIT:
        assert all(value <= node.available(where) for where, value in got.usage.items())
        heights = [node.height_that_fits(where, value)[0] for where, value in got.usage.items()]
        assert got.borrowing == max(heights, default=0)
    assert (got.mode is Mode.FIT) is (message(got) == "")
    assert bool(got.no_fit_reason) is (got.mode is Mode.NO_FIT)
    assert node.usage == before


@given(_situations())
def test_the_order_of_requests_does_not_matter(
    situation: tuple[Snapshot, list[tuple[int, dict[str, str]]]],
) -> None:
    snapshot, pods = situation
    answers = []
    for turn in (1, -1):
        made = [
            pod_set(f"p{i}", count, **dict(list(each.items())[::turn]))
            for i, (count, each) in enumerate(pods)
        ]
        assignment = _with(snapshot, info(*made))
        answers.append((assignment.mode, assignment.usage, message(assignment), assignment.last))
    assert answers[0] == answers[1]


def _with(snapshot: Snapshot, workload: Info, nomination: Nomination | None = None) -> Assignment:
    queue = snapshot.queues["cq"]
    return Assigner().assign(workload, queue, snapshot, Oracle(), nomination=nomination)


@given(_situations())
def test_what_was_nominated_comes_out_again(
    situation: tuple[Snapshot, list[tuple[int, dict[str, str]]]],
) -> None:
    snapshot, pods = situation
    workload = info(*(pod_set(f"p{i}", count, **each) for i, (count, each) in enumerate(pods)))
    first = _with(snapshot, workload)
    if first.mode is not Mode.NO_FIT:
        nomination = {
            one.name: {resource: flavor.name for resource, flavor in one.flavors.items()}
            for one in first.pod_sets
        }
        again = _with(snapshot, workload, nomination)
        assert (again.mode, again.usage) == (first.mode, first.usage)
