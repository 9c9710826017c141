"""Which overrides concern the objects of a placement, and which of those a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.overrides import (
    ClusterResourceOverrideSnapshot,
    OverrideRule,
    ResourceOverrideSnapshot,
)
from argosy.api.objects.fleet.placements import NamespacedName
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Json, Object
from argosy.client.objects import Key
from argosy.placement.overriding.matching import Identified, Matched, for_cluster, holds, matching
from argosy.placement.picks import Picked
from tests.unit.placement.golden import view
from tests.unit.placement.overriding.builders import (
    MAP,
    NAMESPACE,
    ROLE,
    cluster_wide,
    namespaced,
)

CRP = Key("", "crp")
RP = Key("ns", "rp")


@dataclass
class Case:
    resources: list[Identified]
    cluster_wide: list[ClusterResourceOverrideSnapshot] = field(default_factory=list)
    namespaced: list[ResourceOverrideSnapshot] = field(default_factory=list)
    want: list[str] = field(default_factory=list)
    placement: Key = CRP


MATCHES = {
    "an override of the cluster finds a cluster-scoped object": Case(
        [ROLE], [cluster_wide("a", ROLE)], want=["a"]
    ),
    "an override of the cluster needs group, version, kind and name": Case(
        [ROLE],
        [
            cluster_wide("group", ROLE._replace(group="x")),
            cluster_wide("version", ROLE._replace(version="v2")),
            cluster_wide("kind", ROLE._replace(kind="Role")),
            cluster_wide("name", ROLE._replace(name="other")),
        ],
    ),
    "an override of a Namespace concerns the Namespace": Case(
        [NAMESPACE], [cluster_wide("a", NAMESPACE)], want=["a"]
    ),
    "an override of a Namespace concerns what lives there": Case(
        [MAP], [cluster_wide("a", NAMESPACE)], want=["a"], placement=RP
    ),
    "an override of a Namespace does not concern other namespaces": Case(
        [MAP._replace(namespace="other")], [cluster_wide("a", NAMESPACE)]
    ),
    "an override of the cluster does not find a namespaced object by its name": Case(
        [MAP], [cluster_wide("a", MAP)]
    ),
    "an override of a namespace finds an object there": Case(
        [MAP], namespaced=[namespaced("a", MAP)], want=["ns/a"]
    ),
    "an override of a namespace finds nothing in another": Case(
        [MAP], namespaced=[namespaced("a", MAP, namespace="other")]
    ),
    "one of several selectors is enough": Case(
        [MAP], namespaced=[namespaced("a", MAP._replace(name="x"), MAP)], want=["ns/a"]
    ),
    "an override for this placement of the cluster": Case(
        [ROLE], [cluster_wide("a", ROLE, placement={"name": "crp", "scope": "Cluster"})], want=["a"]
    ),
    "a placement of the cluster is meant where nothing is said": Case(
        [ROLE], [cluster_wide("a", ROLE, placement={"name": "crp"})], want=["a"]
    ),
    "an override for another placement": Case(
        [ROLE], [cluster_wide("a", ROLE, placement={"name": "other"})]
    ),
    "an override of a namespace for a placement of the cluster": Case(
        [MAP], namespaced=[namespaced("a", MAP, placement={"name": "crp"})], want=["ns/a"]
    ),
    "an override of a namespace for a placement of the cluster does not concern a namesake there": Case(
        [MAP],
        namespaced=[namespaced("a", MAP, placement={"name": "rp", "scope": "Cluster"})],
        placement=RP,
    ),
    "an override for the placement of its namespace": Case(
        [MAP],
        namespaced=[namespaced("a", MAP, placement={"name": "rp", "scope": "Namespaced"})],
        want=["ns/a"],
        placement=RP,
    ),
    "an override without placement concerns every placement": Case(
        [MAP], namespaced=[namespaced("a", MAP)], want=["ns/a"], placement=RP
    ),
    "old snapshots do not count": Case(
        [MAP, ROLE],
        [cluster_wide("a", ROLE, is_latest=False)],
        [namespaced("b", MAP, is_latest=False)],
    ),
    "of two that are marked as latest the newer one counts": Case(
        [MAP, ROLE],
        [
            cluster_wide("a-9", ROLE, index=9, parent="a"),
            cluster_wide("a-10", ROLE, index=10, parent="a"),
        ],
        [
            namespaced("b-3", MAP, index=3, parent="b"),
            namespaced("b-2", MAP, index=2, parent="b"),
            namespaced("b-1", MAP._replace(name="x"), index=1, parent="b"),
        ],
        want=["a-10", "ns/b-3"],
    ),
    "no objects, no overrides": Case([], [cluster_wide("a", ROLE)], [namespaced("b", MAP)]),
}


@pytest.mark.parametrize("case", MATCHES.values(), ids=MATCHES)
def test_overrides_of_a_placement(case: Case) -> None:
    got = matching(case.placement, case.resources, case.cluster_wide, case.namespaced)
    found = [each.metadata.name for each in got.cluster_overrides]
    found += [f"{each.metadata.namespace}/{each.metadata.name}" for each in got.overrides]
    assert found == case.want


def _rule(*terms: Object) -> Object:
    return {"clusterSelector": {"clusterSelectorTerms": list(terms)}}


def _labels(**labels: str) -> Object:
    return {"labelSelector": {"matchLabels": labels}}


def _expression(key: str, operator: str, *values: str) -> Object:
    found: Object = {"key": key, "operator": operator}
    if values:
        found["values"] = list(values)
    return {"labelSelector": {"matchExpressions": [found]}}


RULES: dict[str, tuple[Json, bool]] = {
    "no selector is for no cluster": ({}, False),
    "a selector without terms is for all": (_rule(), True),
    "a term without selector is for none": (_rule({}), False),
    "an empty selector is for all": (_rule({"labelSelector": {}}), True),
    "labels that the cluster has": (_rule(_labels(env="canary")), True),
    "labels that it does not have": (_rule(_labels(env="prod")), False),
    "all labels of a term have to be there": (_rule(_labels(env="canary", x="y")), False),
    "one of the terms is enough": (_rule(_labels(env="prod"), _labels(region="west")), True),
    "an expression": (_rule(_expression("env", "In", "canary", "prod")), True),
    "an expression that does not hold": (_rule(_expression("env", "DoesNotExist")), False),
}


@pytest.mark.parametrize(("rule", "want"), RULES.values(), ids=RULES)
def test_a_rule_is_for_clusters_with_labels(rule: Json, want: bool) -> None:
    assert holds(view(rule, OverrideRule), {"env": "canary", "region": "west"}) is want


def test_a_cluster_gets_the_overrides_that_have_a_rule_for_it_in_order() -> None:
    prod, canary = _rule(_labels(env="prod")), _rule(_labels(env="canary"))
    broken = _rule(_expression("env", "Like", "c"))
    matched = Matched(
        (
            cluster_wide("b-0", ROLE, rules=[prod, canary]),
            cluster_wide("a-10", ROLE),
            cluster_wide("a-2", ROLE, rules=[broken, canary]),
            cluster_wide("none", ROLE, rules=[prod]),
            cluster_wide("empty", ROLE, rules=[]),
        ),
        (
            namespaced("z-0", MAP, namespace="a"),
            namespaced("b-0", MAP),
            namespaced("a-0", MAP),
            namespaced("none", MAP, rules=[broken]),
        ),
    )
    member = MemberCluster(metadata=ObjectMeta(name="m1", labels={"env": "canary"}))
    assert for_cluster(matched, member) == Picked(
        ("a-10", "a-2", "b-0"),
        (NamespacedName("z-0", "a"), NamespacedName("a-0", "ns"), NamespacedName("b-0", "ns")),
    )
    assert for_cluster(Matched(), member) == Picked()
