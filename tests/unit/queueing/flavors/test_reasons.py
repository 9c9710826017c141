"""What events tell of flavors, and flavors of several resource groups."""

from __future__ import annotations

from argosy.queueing.cache.clusterqueues import Group
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.flavors.assignments import Assignment, Attempt, Mode, Possibility
from argosy.queueing.flavors.attempts import merge
from argosy.queueing.flavors.reasons import considered
from tests.unit.queueing.flavors.building import Oracle, cluster, flavor, info, pod_set


def test_flavors_considered_are_told_by_pod_set_but_those_that_simply_fit() -> None:
    snapshot = cluster(
        {"c": {"cpu": "4"}, "b": {"cpu": "4"}, "a": {"cpu": "1"}},
        used={"b": {"cpu": "4"}},
        others={"a": {"cpu": "8"}},
        flavors=[flavor("c", nodeLabels={"x": "y"})],
    )
    oracle = Oracle({"b": (Possibility.NO_CANDIDATES, 0)})
    workload = info(
        pod_set("one", cpu="2", spec={"nodeSelector": {"x": "z"}}), pod_set("two", cpu="1")
    )
    got = Assigner().assign(workload, snapshot.queues["cq"], snapshot, oracle)
    assert considered(got) == (
        "one: a(Fit;borrow=1),"
        " b(preemptionMode=NoCandidates;insufficient unused quota for cpu in flavor b, 2 more needed),"
        " c(NoFit;flavor c doesn't match node affinity)"
    )


def test_nothing_is_told_of_what_simply_fits() -> None:
    snapshot = cluster({"f": {"cpu": "4"}})
    got = Assigner().assign(info(pod_set(cpu="1")), snapshot.queues["cq"], snapshot, Oracle())
    assert considered(got) == ""
    assert considered(Assignment([])) == ""


def test_a_flavor_of_two_groups_is_told_by_its_worst() -> None:
    told: dict[str, Attempt] = {}
    cpu, gpu = Group(frozenset({"cpu"}), ("f",)), Group(frozenset({"gpu"}), ("f",))
    merge(told, [Attempt("f", Mode.PREEMPT, 2, Possibility.RECLAIM, ("b",))], "cpu", cpu)
    merge(told, [Attempt("f", Mode.NO_FIT, 1, None, ("a", "b"), "WaitingForQuota")], "gpu", gpu)
    want = Attempt("f", Mode.NO_FIT, 2, Possibility.RECLAIM, ("a", "b"), "WaitingForQuota")
    assert told == {"f": want}


def test_a_flavor_that_another_group_did_not_get_to_does_not_provide_its_resource() -> None:
    told: dict[str, Attempt] = {}
    cpu, gpu = Group(frozenset({"cpu"}), ("f", "g")), Group(frozenset({"gpu"}), ("e", "f"))
    merge(told, [Attempt("f", Mode.NO_FIT), Attempt("g", Mode.FIT)], "cpu", cpu)
    merge(told, [Attempt("e", Mode.FIT)], "gpu", gpu)
    assert told["f"].reasons == ("flavor f does not provide resource gpu",)
    assert told["f"].no_fit_reason == "NoMatchingFlavor"
    assert told["g"] == Attempt("g", Mode.FIT)
