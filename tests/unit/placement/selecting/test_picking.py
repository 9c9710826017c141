"""What placements select, and what they say of selectors that cannot be."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.api.objects.fleet.placements import ResourceSelectorTerm
from argosy.api.objects.metadata import LabelSelector, LabelSelectorRequirement
from argosy.client.objects import Key
from argosy.client.resources import (
    CLUSTER_ROLES,
    CONFIG_MAPS,
    DEPLOYMENTS,
    ENDPOINTS,
    JOBS,
    NAMESPACES,
    NODES,
    PODS,
    PRIORITY_CLASSES,
    SECRETS,
    SERVICES,
    Resource,
)
from argosy.placement.selecting.exclusions import DEFAULT_EXCLUSIONS, Apis, Exclusions
from argosy.placement.selecting.picking import pick, wanted
from argosy.placement.selecting.terms import InvalidSelectors
from tests.unit.placement.selecting.shelves import BOATS, FLEETS, OLD_BOATS, Shelf

CRP = Key("", "crp")
RP = Key("work", "rp")
ERROR = "failed to process the request due to a client error: "


def term(
    resource: Resource, name: str = "", scope: str = "", **labels: str
) -> ResourceSelectorTerm:
    selector = LabelSelector(match_labels=labels) if labels else None
    return ResourceSelectorTerm(
        resource.group, resource.version, resource.kind, name, selector, scope
    )


def unknown(group: str, kind: str) -> ResourceSelectorTerm:
    return ResourceSelectorTerm(group, "v1", kind, "x")


def shelf() -> Shelf:
    gone = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    return (
        Shelf()
        .put(NAMESPACES, "work", meta={"labels": {"team": "a"}})
        .put(NAMESPACES, "play", meta={"labels": {"team": "b"}})
        .put(NAMESPACES, "leaving", meta={"labels": {"team": "c"}, **gone})
        .put(NAMESPACES, "default", meta={"labels": {"team": "d"}})
        .put(CONFIG_MAPS, "b", "work", meta={"labels": {"tier": "web"}})
        .put(CONFIG_MAPS, "a", "work")
        .put(CONFIG_MAPS, "kube-root-ca.crt", "work")
        .put(CONFIG_MAPS, "z", "play")
        .put(CONFIG_MAPS, "going", "work", meta=gone)
        .put(SECRETS, "token", "work", type="kubernetes.io/service-account-token")
        .put(SECRETS, "password", "work", type="Opaque")
        .put(SERVICES, "web", "work")
        .put(ENDPOINTS, "web", "work")
        .put(ENDPOINTS, "outside", "work")
        .put(PODS, "pod", "work")
        .put(JOBS, "train", "work")
        .put(BOATS, "anna", "work")
        .put(OLD_BOATS, "anna", "work")
        .put(CLUSTER_ROLES, "reader", meta={"labels": {"tier": "web"}})
        .put(CLUSTER_ROLES, "writer")
        .put(FLEETS, "north")
        .put(NODES, "n1")
    )  # fmt: skip


@dataclass
class Case:
    placement: Key
    terms: list[ResourceSelectorTerm]
    want: list[str]
    exclusions: Exclusions = field(default=DEFAULT_EXCLUSIONS)


CASES = {
    "an object by its name": Case(RP, [term(CONFIG_MAPS, "a")], ["ConfigMap a"]),
    "an object that is not there is no error": Case(RP, [term(CONFIG_MAPS, "c")], []),
    "an object of another namespace is not there": Case(RP, [term(CONFIG_MAPS, "z")], []),
    "objects by their labels": Case(RP, [term(CONFIG_MAPS, tier="web")], ["ConfigMap b"]),
    "without name and labels all of a kind, but what the cluster made and what goes": Case(
        RP, [term(CONFIG_MAPS)], ["ConfigMap a", "ConfigMap b"]
    ),
    "tokens of service accounts stay": Case(RP, [term(SECRETS)], ["Secret password"]),
    "endpoints of a service stay": Case(RP, [term(ENDPOINTS)], ["Endpoints outside"]),
    "kinds that never leave a hub are passed over": Case(
        RP, [term(PODS, "pod"), term(JOBS, "train")], ["Job train"]
    ),
    "any served version of a kind may be named": Case(RP, [term(OLD_BOATS, "anna")], ["Boat anna"]),
    "cluster-scoped objects by name and by labels": Case(
        CRP,
        [term(CLUSTER_ROLES, tier="web"), term(CLUSTER_ROLES, "writer"), term(FLEETS)],
        ["ClusterRole reader", "ClusterRole writer", "Fleet north"],
    ),
    "nodes never leave": Case(CRP, [term(NODES, "n1")], []),
    "a namespace alone": Case(CRP, [term(NAMESPACES, "work", "NamespaceOnly")], ["Namespace work"]),
    "a namespace alone may be a reserved one": Case(
        CRP, [term(NAMESPACES, "default", "NamespaceOnly")], ["Namespace default"]
    ),
    "a namespace with all that is in it, in the order of kinds": Case(
        CRP,
        [term(NAMESPACES, "work")],
        [
            "Namespace work",
            "Secret password",
            "ConfigMap a",
            "ConfigMap b",
            "Service web",
            "Job train",
            "Endpoints outside",
            "Boat anna",
        ],
    ),
    "namespaces by labels with all that is in them": Case(
        CRP, [term(NAMESPACES, team="b")], ["Namespace play", "ConfigMap z"]
    ),
    "a namespace that goes brings nothing along": Case(CRP, [term(NAMESPACES, team="c")], []),
    "a namespace that is not there is no error": Case(CRP, [term(NAMESPACES, "nowhere")], []),
    "a namespace and what else is selected in it": Case(
        CRP,
        [
            term(CONFIG_MAPS, "a"),
            term(NAMESPACES, "work", "NamespaceWithResourceSelectors"),
            term(JOBS),
            term(CLUSTER_ROLES, "reader"),
        ],
        ["Namespace work", "ConfigMap a", "ClusterRole reader", "Job train"],
    ),
    "kinds that a flag skips are passed over": Case(
        RP, [term(JOBS), term(CONFIG_MAPS, "a")], ["ConfigMap a"], Exclusions(skipped=Apis("batch"))
    ),
    "a list of allowed kinds stands instead of all that is skipped": Case(
        RP,
        [term(PODS), term(CONFIG_MAPS), term(BOATS)],
        ["Pod pod", "Boat anna"],
        Exclusions(allowed=Apis("v1/Pod; example.com/v1/Boat,Ship")),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_selected(case: Case) -> None:
    got = pick(case.placement, case.terms, shelf(), case.exclusions)
    assert [f"{each.resource.kind} {each.found.name}" for each in got] == case.want


PROBLEMS = {
    "twice the same object": Case(
        RP,
        [term(CONFIG_MAPS, "b"), term(CONFIG_MAPS, tier="web")],
        [
            "found duplicate resource {Group: Version:v1 Kind:ConfigMap Name:b Namespace:work Envelope:<nil>}"
        ],
    ),
    "the same object in two versions": Case(
        RP,
        [term(BOATS, "anna"), term(OLD_BOATS, "anna")],
        [
            (
                "found duplicate resource {Group:example.com Version:v1beta1 Kind:Boat Name:anna Namespace:work"
                " Envelope:<nil>}"
            )
        ],
    ),
    "a namespace in a placement of a namespace": Case(
        RP,
        [term(NAMESPACES, "work")],
        [
            "invalid placement work/rp: cannot select cluster-scoped resource Namespace in a resourcePlacement"
        ],
    ),
    "a cluster-scoped kind in a placement of a namespace": Case(
        RP,
        [term(CLUSTER_ROLES, "reader")],
        [
            (
                "invalid placement work/rp: cannot select cluster-scoped resource rbac.authorization.k8s.io/v1,"
                " Resource=clusterroles in a resourcePlacement"
            )
        ],
    ),
    "a kind that nobody serves": Case(
        RP,
        [unknown("example.com", "Ship")],
        [
            (
                "invalid placement work/rp, failed to get GVR of the selector: no matches for kind"
                ' "Ship" in version "example.com/v1"'
            )
        ],
    ),
    "a core kind that nobody serves": Case(
        RP,
        [unknown("", "Ship")],
        [
            'invalid placement work/rp, failed to get GVR of the selector: no matches for kind "Ship" in version "v1"'
        ],
    ),
    "a namespaced kind in a placement of the cluster": Case(
        CRP,
        [term(CONFIG_MAPS, "a")],
        [
            (
                "invalid clusterResourcePlacement crp: cannot select namespace-scoped resource /ConfigMap without a"
                " selected namespace (either missing NamespaceWithResourceSelectors mode or namespace selector matched no"
                " namespaces)"
            )
        ],
    ),
    "an unknown kind in a placement of the cluster counts as a namespaced one": Case(
        CRP,
        [unknown("example.com", "Ship")],
        [
            (
                "invalid clusterResourcePlacement crp: cannot select namespace-scoped resource example.com/Ship without a"
                " selected namespace (either missing NamespaceWithResourceSelectors mode or namespace selector matched no"
                " namespaces)"
            )
        ],
    ),
    "a reserved namespace with all that is in it": Case(
        CRP,
        [term(NAMESPACES, "kube-system")],
        [
            "invalid clusterRresourcePlacement crp: namespace kube-system is not allowed to propagate"
        ],
    ),
    "all namespaces, one of which is reserved": Case(
        CRP,
        [term(NAMESPACES)],
        ["invalid clusterRresourcePlacement crp: namespace default is not allowed to propagate"],
    ),
    "a namespace that a flag reserves": Case(
        CRP,
        [term(NAMESPACES, "work")],
        ["invalid clusterRresourcePlacement crp: namespace work is not allowed to propagate"],
        Exclusions(namespaces=frozenset({"work"})),
    ),
    "selectors in a namespace that is not there": Case(
        CRP,
        [term(NAMESPACES, "nowhere", "NamespaceWithResourceSelectors"), term(CONFIG_MAPS)],
        [
            (
                "invalid clusterResourcePlacement crp: NamespaceWithResourceSelectors mode requires exactly one namespace,"
                " but no namespaces were selected"
            )
        ],
    ),
    "selectors in two namespaces": Case(
        CRP,
        [term(NAMESPACES, "", "NamespaceWithResourceSelectors"), term(CONFIG_MAPS)],
        [
            (
                "invalid clusterResourcePlacement crp: NamespaceWithResourceSelectors mode requires exactly one namespace,"
                " but 2 namespaces were selected"
            )
        ],
    ),
    "labels that nobody understands": Case(
        RP,
        [
            ResourceSelectorTerm(
                "",
                "v1",
                "ConfigMap",
                label_selector=LabelSelector(
                    match_expressions=(LabelSelectorRequirement("a", "Near", ("b",)),)
                ),
            )
        ],
        [
            'cannot convert the label selector to a selector: "Near" is not a valid label selector operator'
        ],
    ),
}


@pytest.mark.parametrize("case", PROBLEMS.values(), ids=PROBLEMS.keys())
def test_refused(case: Case) -> None:
    with pytest.raises(InvalidSelectors) as refused:
        pick(case.placement, case.terms, shelf(), case.exclusions)
    assert [str(refused.value)] == [ERROR + each for each in case.want]


def test_selectors_want_the_kinds_they_name() -> None:
    got = wanted(
        RP, [term(ENDPOINTS), term(PODS), unknown("", "Ship")], shelf(), DEFAULT_EXCLUSIONS
    )
    assert got == {ENDPOINTS, SERVICES}


def test_a_whole_namespace_wants_every_namespaced_kind_that_may_leave() -> None:
    got = wanted(CRP, [term(NAMESPACES, "work")], shelf(), DEFAULT_EXCLUSIONS)
    assert got == {NAMESPACES, CONFIG_MAPS, SECRETS, SERVICES, ENDPOINTS, JOBS, DEPLOYMENTS, BOATS}
    alone = wanted(CRP, [term(NAMESPACES, "work", "NamespaceOnly")], shelf(), DEFAULT_EXCLUSIONS)
    assert alone == {NAMESPACES}
    assert wanted(CRP, [term(PRIORITY_CLASSES)], shelf(), DEFAULT_EXCLUSIONS) == {PRIORITY_CLASSES}
