"""Which clusters pass: properties, affinity, eligibility, namespaces, taints; and the words for those that do not."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
import pytest

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.policies import PlacementPolicy, Toleration
from argosy.api.objects.metadata import Quantities
from argosy.base.types import Object
from argosy.placement.scheduling.affinity import Preferences, interpolate
from argosy.placement.scheduling.affinity import required as requires
from argosy.placement.scheduling.eligibility import ineligibility
from argosy.placement.scheduling.namespaces import absence
from argosy.placement.scheduling.properties import value_of
from argosy.placement.scheduling.snapshots import CycleError
from argosy.placement.scheduling.taints import repulsion
from tests.support.placing import (
    NOW,
    RESOURCES,
    agent,
    labelled,
    member,
    preferred,
    required,
    sorted_by,
    taint,
    where,
)

USAGE = {
    "capacity": {"cpu": "32", "nvidia.com/gpu": "8"},
    "allocatable": {"cpu": "30"},
    "available": {"cpu": "4500m", "memory": "8Gi", "ephemeral-storage": "100Gi"},
}
CLUSTER = member(
    "c",
    labels={"region": "r1", "env": "prod"},
    usage=USAGE,
    properties={"kubernetes-fleet.io/node-count": "4", "k8s.io/k8s-version": "v1.34"},
)


@dataclass
class Lookup:
    name: str
    want: str | None
    reserved: dict[str, Quantities] = field(default_factory=dict)


LOOKUPS = {
    "the total of a resource is its capacity": Lookup(RESOURCES + "total-cpu", "32"),
    "the allocatable amount of a resource": Lookup(RESOURCES + "allocatable-cpu", "30"),
    "the available amount of a resource": Lookup(RESOURCES + "available-cpu", "4500m"),
    "a resource with a dash in its name": Lookup(
        RESOURCES + "available-ephemeral-storage", "100Gi"
    ),
    "a resource of a vendor": Lookup(RESOURCES + "total-nvidia.com/gpu", "8"),
    "a resource that nobody reports": Lookup(RESOURCES + "allocatable-memory", None),
    "a property of the cluster's own": Lookup("kubernetes-fleet.io/node-count", "4"),
    "a property that nobody reports": Lookup("kubernetes-fleet.io/other", None),
    "a promise is taken off what is available": Lookup(
        RESOURCES + "available-cpu", "2500m", {"c": {"cpu": "2"}}
    ),
    "more promises than there is leave less than nothing": Lookup(
        RESOURCES + "available-cpu", "-500m", {"c": {"cpu": "5"}}
    ),
    "a promise of another resource changes nothing": Lookup(
        RESOURCES + "available-cpu", "4500m", {"c": {"memory": "5Gi"}}
    ),
    "a promise of another cluster changes nothing": Lookup(
        RESOURCES + "available-cpu", "4500m", {"d": {"cpu": "2"}}
    ),
    "a promise leaves the total alone": Lookup(RESOURCES + "total-cpu", "32", {"c": {"cpu": "2"}}),
    "a promise leaves the allocatable amount alone": Lookup(
        RESOURCES + "allocatable-cpu", "30", {"c": {"cpu": "2"}}
    ),
}


@pytest.mark.parametrize("case", LOOKUPS.values(), ids=LOOKUPS.keys())
def test_a_property_has_the_value(case: Lookup) -> None:
    got = value_of(CLUSTER, case.name, case.reserved)
    assert (str(got) if got is not None else None) == case.want


UNREADABLE = {
    "no resource": (
        RESOURCES + "cpu",
        (
            "failed to retrieve resource property value for cpu from cluster c:"
            " invalid resource property name: cpu"
        ),
    ),
    "no kind of amount": (
        RESOURCES + "-cpu",
        (
            "failed to retrieve resource property value for -cpu from cluster c:"
            " invalid resource property name: -cpu"
        ),
    ),
    "an amount nobody knows": (
        RESOURCES + "spare-cpu",
        (
            "failed to retrieve resource property value for spare-cpu from cluster c:"
            " invalid capacity type spare in resource property name spare-cpu"
        ),
    ),
    "a property that is no quantity": (
        "k8s.io/k8s-version",
        (
            "value v1.34 of property k8s.io/k8s-version from cluster c is not a valid quantity:"
            " quantities must match the regular expression"
            " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        ),
    ),
}


@pytest.mark.parametrize(("name", "want"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_property_that_cannot_be_read_ends_the_cycle(name: str, want: str) -> None:
    with pytest.raises(CycleError) as error:
        value_of(CLUSTER, name, {})
    assert str(error.value) == want


def _policy(document: Object) -> PlacementPolicy:
    return msgspec.convert(document, PlacementPolicy)


CPU = RESOURCES + "available-cpu"
BOTH = {**labelled(region="r1"), **where(CPU, "Ge", "4")}
FITS: dict[str, tuple[list[Object], bool]] = {
    "a label that it has": ([labelled(region="r1")], True),
    "a label that it has not": ([labelled(region="r2")], False),
    "one of two terms": ([labelled(region="r2"), labelled(env="prod")], True),
    "none of two terms": ([labelled(region="r2"), labelled(env="dev")], False),
    "a term that asks nothing": ([{}], True),
    "labels and properties of one term": ([BOTH], True),
    "labels of a term whose property it has not": (
        [{**labelled(region="r1"), **where(CPU, "Lt", "4")}],
        False,
    ),
    "the same amount in other words": ([where(CPU, "Eq", "4.5")], True),
    "not that amount": ([where(CPU, "Ne", "4.5")], False),
    "more than less": ([where(CPU, "Gt", "4")], True),
    "more than as much": ([where(CPU, "Gt", "4500m")], False),
    "at least as much": ([where(CPU, "Ge", "4500m")], True),
    "less than as much": ([where(CPU, "Lt", "4500m")], False),
    "at most as much": ([where(CPU, "Le", "4500m")], True),
    "a property that it does not report, even to differ from": (
        [where("x.io/y", "Ne", "1")],
        False,
    ),
    "labels by expression": (
        [{"labelSelector": {"matchExpressions": [{"key": "env", "operator": "Exists"}]}}],
        True,
    ),
}


@pytest.mark.parametrize(("terms", "want"), FITS.values(), ids=FITS.keys())
def test_required_affinity_fits(terms: list[Object], want: bool) -> None:
    fits = requires(_policy(required(*terms)), {})
    assert fits is not None
    assert fits(CLUSTER) is want


@pytest.mark.parametrize("document", [{}, {"affinity": {}}, required()], ids=str)
def test_no_required_term_lets_everybody_pass(document: Object) -> None:
    assert requires(_policy(document), {}) is None


def test_promises_count_for_required_affinity() -> None:
    fits = requires(_policy(required(where(CPU, "Ge", "4"))), {"c": {"cpu": "1"}})
    assert fits is not None
    assert not fits(CLUSTER)


BROKEN = {
    "two values": (
        where(CPU, "Eq", "1", "2"),
        "more than one value in the property selector expression",
    ),
    "an operator nobody knows": (where(CPU, "Near", "1"), "invalid operator: Near"),
    "a value that is no quantity": (
        where(CPU, "Eq", "many"),
        (
            "value specified in property selector many is not a valid resource quantity:"
            " quantities must match the regular expression"
            " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        ),
    ),
    "a label selector nobody can read": (
        {"labelSelector": {"matchExpressions": [{"key": "env", "operator": "Near"}]}},
        'failed to parse label selector: "Near" is not a valid label selector operator',
    ),
}


@pytest.mark.parametrize(("term", "want"), BROKEN.values(), ids=BROKEN.keys())
def test_a_required_term_that_cannot_be_judged_ends_the_cycle(term: Object, want: str) -> None:
    fits = requires(_policy(required(term)), {})
    assert fits is not None
    with pytest.raises(CycleError) as error:
        fits(CLUSTER)
    assert str(error.value) == want


# Upstream's own vectors: the value is 4.
VECTORS = {
    "the smallest, descending": (4, 8, 100, "Descending", 0),
    "the smallest, ascending": (4, 8, 100, "Ascending", 100),
    "the largest, descending": (2, 4, 100, "Descending", 100),
    "the largest, ascending": (2, 4, 100, "Ascending", 0),
    "2.8 is 3": (2, 7, 7, "Descending", 3),
    "4.2 is 4": (2, 7, 7, "Ascending", 4),
    "3.2 is 3": (2, 7, 8, "Descending", 3),
    "4.8 is 5": (2, 7, 8, "Ascending", 5),
    "all alike": (4, 4, 100, "Descending", 0),
    "a half goes up": (3, 5, 5, "Descending", 3),
    "a half of a negative weight goes down": (3, 5, -5, "Descending", -3),
}


@pytest.mark.parametrize(
    ("smallest", "largest", "weight", "order", "want"), VECTORS.values(), ids=VECTORS.keys()
)
def test_a_value_earns_its_share_of_a_weight(
    smallest: int, largest: int, weight: int, order: str, want: int
) -> None:
    assert interpolate(4.0, smallest, largest, weight, order) == want


def test_a_sort_order_nobody_knows_ends_the_cycle() -> None:
    with pytest.raises(CycleError, match="sort order Sideways is invalid"):
        interpolate(4.0, 1, 5, 10, "Sideways")


SMALL = member("small", labels={"region": "r1"}, available={"cpu": "10"})
LARGE = member("large", labels={"region": "r2"}, available={"cpu": "20"})
BLANK = member("blank", labels={"region": "r2"})
FLEET = (SMALL, LARGE, BLANK)
SICK = member("sick", available={"cpu": "30"}, agent=agent(joined=""))


@dataclass
class Preferred:
    terms: list[tuple[int, Object]]
    want: tuple[int, int, int]
    fleet: tuple[MemberCluster, ...] = FLEET
    reserved: dict[str, Quantities] = field(default_factory=dict)


SCORES = {
    "labels give the whole weight": Preferred([(20, labelled(region="r2"))], (0, 20, 20)),
    "terms add up": Preferred(
        [(20, labelled(region="r2")), (-7, labelled(region="r2"))], (0, 13, 13)
    ),
    "a term that asks nothing gives its weight to all": Preferred([(5, {})], (5, 5, 5)),
    "a sorter gives a share, and nothing to whoever does not report": Preferred(
        [(40, sorted_by(CPU))], (0, 40, 0)
    ),
    "nothing, also upside down, to whoever does not report": Preferred(
        [(40, sorted_by(CPU, "Ascending"))], (40, 0, 0)
    ),
    "labels and sorter have to fit both": Preferred(
        [(40, sorted_by(CPU, **labelled(region="r1")))], (0, 0, 0)
    ),
    "a weight of zero is passed over": Preferred([(0, sorted_by("bad"))], (0, 0, 0)),
    "the range is of the whole fleet, also of those nobody can pick": Preferred(
        [(40, sorted_by(CPU))], (0, 20, 0), (*FLEET, SICK)
    ),
    "promises change values and their range": Preferred(
        [(40, sorted_by(CPU))], (40, 0, 0), reserved={"large": {"cpu": "15"}}
    ),
    "a property nobody reports gives nothing": Preferred([(40, sorted_by("x.io/y"))], (0, 0, 0)),
}


@pytest.mark.parametrize("case", SCORES.values(), ids=SCORES.keys())
def test_preferred_affinity_scores(case: Preferred) -> None:
    preferences = Preferences(_policy(preferred(*case.terms)), case.fleet, case.reserved)
    assert tuple(preferences.score(each) for each in FLEET) == case.want


AWAY = "cluster is not connected to the fleet: "
MINUTES = timedelta(minutes=1)
ELIGIBILITIES = {
    "joined and well": ({}, ""),
    "leaving": ({"leaving": True}, "cluster has left the fleet"),
    "never heard of": ({"agent": {"type": "Other"}}, AWAY + "member agent not online yet"),
    "heard five minutes ago": ({"agent": agent(silent=5 * MINUTES)}, ""),
    "silent for longer": (
        {"agent": agent(silent=timedelta(minutes=5, seconds=8))},
        AWAY + "no recent heartbeat signals (last received 5.13 minutes ago)",
    ),
    "silent for ever": (
        {"agent": {"type": "MemberAgent"}},
        AWAY + "no recent heartbeat signals (last received 153722867.28 minutes ago)",
    ),
    "not joined": ({"agent": agent(joined="False")}, AWAY + "member agent not joined yet"),
    "without a word of joining": (
        {"agent": agent(joined="")},
        AWAY + "member agent not joined yet",
    ),
    "without a word of health": (
        {"agent": agent(healthy="")},
        AWAY + "health condition from member agent is not available",
    ),
    "ill for a moment": ({"agent": agent(healthy="False", sick=5 * MINUTES)}, ""),
    "ill for longer": (
        {"agent": agent(healthy="False", sick=10 * MINUTES)},
        AWAY + "unhealthy for a prolonged period of time (last transitioned 10.00 minutes ago)",
    ),
    "well for long": ({"agent": agent(sick=100 * MINUTES)}, ""),
    "silent before ill": (
        {"agent": agent(silent=6 * MINUTES, joined="", healthy="")},
        AWAY + "no recent heartbeat signals (last received 6.00 minutes ago)",
    ),
}


@pytest.mark.parametrize(("more", "want"), ELIGIBILITIES.values(), ids=ELIGIBILITIES.keys())
def test_a_cluster_is_eligible_or_says_why_not(more: Object, want: str) -> None:
    assert ineligibility(member("c", **more), NOW) == want


TELLS = {"conditions": [{"type": "NamespaceCollectionSucceeded", "status": "True"}]}
NAMESPACES = {
    "a placement of the whole cluster": ("", {**TELLS, "namespaces": {}}, ""),
    "a cluster that does not tell": ("team", {"namespaces": {}}, ""),
    "a cluster that should tell and does not": (
        "team",
        TELLS,
        "cluster has no namespace information available",
    ),
    "a cluster without it": (
        "team",
        {**TELLS, "namespaces": {"other": ""}},
        "target namespace does not exist on cluster",
    ),
    "a cluster with it": ("team", {**TELLS, "namespaces": {"team": "some-work"}}, ""),
}


@pytest.mark.parametrize(("namespace", "more", "want"), NAMESPACES.values(), ids=NAMESPACES.keys())
def test_a_namespace_is_there_or_not(namespace: str, more: Object, want: str) -> None:
    assert absence(member("c", **more), namespace) == want


GPU = "taint &{Key:gpu Value:yes Effect:NoSchedule} cannot be tolerated"
TAINTS = {
    "no taint": ([], [], ""),
    "no toleration": ([taint("gpu", "yes")], [], GPU),
    "the same key and value": ([taint("gpu", "yes")], [Toleration("gpu", "Equal", "yes")], ""),
    "equality is what is meant": ([taint("gpu", "yes")], [Toleration("gpu", "", "yes")], ""),
    "another value": ([taint("gpu", "yes")], [Toleration("gpu", "Equal", "no")], GPU),
    "any value of the key": ([taint("gpu", "yes")], [Toleration("gpu", "Exists")], ""),
    "any value of another key": ([taint("gpu", "yes")], [Toleration("cpu", "Exists")], GPU),
    "anything": ([taint("gpu", "yes")], [Toleration("", "Exists")], ""),
    "that effect": ([taint("gpu", "yes")], [Toleration("gpu", "Exists", "", "NoSchedule")], ""),
    "another effect": ([taint("gpu", "yes")], [Toleration("gpu", "Exists", "", "Other")], GPU),
    "the first that is not tolerated": (
        [taint("a"), taint("b"), taint("gpu")],
        [Toleration("a", "Exists")],
        "taint &{Key:b Value: Effect:NoSchedule} cannot be tolerated",
    ),
}


@pytest.mark.parametrize(("taints", "tolerations", "want"), TAINTS.values(), ids=TAINTS.keys())
def test_taints_are_tolerated_or_told(
    taints: list[Object], tolerations: list[Toleration], want: str
) -> None:
    assert repulsion(member("c", taints=taints), tolerations) == want
