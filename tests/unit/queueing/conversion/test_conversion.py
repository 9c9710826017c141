"""What each kind becomes in its other version, beyond upstream's own cases: what is dropped, and what stays untouched."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.types import Json, Object
from argosy.queueing.conversion import CONVERTERS
from argosy.queueing.definitions import KINDS, definitions

UP = ("v1beta1", "v1beta2")
DOWN = ("v1beta2", "v1beta1")


@dataclass(slots=True, frozen=True)
class Case:
    kind: str
    way: tuple[str, str]
    given: Object
    want: Object


CASES = {
    "a list of checks replaces a strategy": Case(
        "ClusterQueue",
        UP,
        {
            "spec": {
                "admissionChecks": ["a"],
                "admissionChecksStrategy": {"admissionChecks": [{"name": "b"}]},
            }
        },
        {"spec": {"admissionChecksStrategy": {"admissionChecks": [{"name": "a"}]}}},
    ),
    "an empty list of checks leaves the strategy": Case(
        "ClusterQueue",
        UP,
        {"spec": {"admissionChecks": [], "admissionChecksStrategy": {"admissionChecks": []}}},
        {"spec": {"admissionChecksStrategy": {"admissionChecks": []}}},
    ),
    "the old words of fungibility become one": Case(
        "ClusterQueue",
        UP,
        {"spec": {"flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"}}},
        {
            "spec": {
                "flavorFungibility": {
                    "whenCanBorrow": "MayStopSearch",
                    "whenCanPreempt": "MayStopSearch",
                }
            }
        },
    ),
    "a word of the other knob is left to validation": Case(
        "ClusterQueue",
        UP,
        {"spec": {"flavorFungibility": {"whenCanBorrow": "Preempt"}}},
        {"spec": {"flavorFungibility": {"whenCanBorrow": "Preempt"}}},
    ),
    "v1beta1 knows no concurrent admission": Case(
        "ClusterQueue",
        DOWN,
        {"spec": {"cohortName": "c", "concurrentAdmissionPolicy": {"migration": {}}}},
        {"spec": {"cohort": "c"}},
    ),
    "v1beta2 knows no pending workloads in a status": Case(
        "ClusterQueue",
        UP,
        {"status": {"pendingWorkloads": 1, "pendingWorkloadsStatus": {"lastChangeTime": "t"}}},
        {"status": {"pendingWorkloads": 1}},
    ),
    "a cohort has no history of use in v1beta2": Case(
        "Cohort",
        UP,
        {"status": {"fairSharing": {"weightedShare": 1, "admissionFairSharingStatus": {}}}},
        {"status": {"fairSharing": {"weightedShare": 1}}},
    ),
    "a LocalQueue does not list its flavors in v1beta2": Case(
        "LocalQueue",
        UP,
        {"status": {"flavors": [{"name": "f"}], "flavorUsage": []}},
        {"status": {"flavorsUsage": []}},
    ),
    "a class of unknown kind is dropped": Case(
        "Workload",
        UP,
        {"spec": {"priorityClassName": "high", "priorityClassSource": "", "priority": 1}},
        {"spec": {"priority": 1}},
    ),
    "v1beta1 knows no gates and no slices within slices": Case(
        "Workload",
        DOWN,
        {
            "spec": {
                "preemptionGates": [{"name": "g"}],
                "podSets": [
                    {
                        "name": "main",
                        "topologyRequest": {
                            "required": "rack",
                            "podsetSliceRequiredTopologyConstraints": [],
                        },
                    }
                ],
            },
            "status": {"preemptionGates": []},
        },
        {
            "spec": {"podSets": [{"name": "main", "topologyRequest": {"required": "rack"}}]},
            "status": {},
        },
    ),
    "a delay of retries is dropped": Case(
        "AdmissionCheck",
        UP,
        {"spec": {"controllerName": "c", "retryDelayMinutes": 15}},
        {"spec": {"controllerName": "c"}},
    ),
    "v1beta1 always shows a kubeconfig": Case(
        "MultiKueueCluster",
        DOWN,
        {"spec": {"clusterSource": {"clusterProfileRef": {"name": "p"}}}},
        {
            "spec": {
                "kubeConfig": {"location": "", "locationType": ""},
                "clusterProfileRef": {"name": "p"},
            }
        },
    ),
    "who manages quota is dropped": Case(
        "MultiKueueConfig",
        DOWN,
        {"spec": {"clusters": ["a"], "quotaManagement": "Manual"}},
        {"spec": {"clusters": ["a"]}},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_conversion(case: Case) -> None:
    got = CONVERTERS[case.kind][case.way](case.given)

    assert got == {**case.want, "apiVersion": f"kueue.x-k8s.io/{case.way[1]}"}


def test_kinds_whose_fields_differ_are_converted_and_no_others() -> None:
    def fields(schema: Json, path: str = "") -> set[str]:
        found = {
            f"{path}.{name}" for name in schema.get("properties", {}) if isinstance(schema, dict)
        }
        for name, part in schema.get("properties", {}).items():
            found |= fields(part, f"{path}.{name}")
        return found | (fields(schema["items"], f"{path}[]") if "items" in schema else set())

    differing = set()
    for crd in definitions():
        old, new = (
            fields(version["schema"]["openAPIV3Schema"]) for version in crd["spec"]["versions"]
        )
        if old != new:
            differing.add(crd["spec"]["names"]["kind"])

    assert differing == set(CONVERTERS)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                (
                    "spec", "status", "cohort", "cohortName", "admissionChecks", "podSets", "admission", "fairSharing",
                    "flavorFungibility", "kubeConfig", "clusterSource", "priorityClassRef", "priorityClassSource",
                    "podSetAssignments", "topologyAssignment", "topologyRequest", "domains", "flavorUsage",
                )
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.sampled_from(sorted(CONVERTERS)), junk, junk, st.sampled_from((UP, DOWN)))
def test_no_form_of_an_object_breaks_a_conversion_or_is_changed_by_it(
    kind: str, spec: Json, status: Json, way: tuple[str, str]
) -> None:
    given = {"apiVersion": f"kueue.x-k8s.io/{way[0]}", "spec": spec, "status": status}
    before = copy.deepcopy(given)
    CONVERTERS[kind][way](given)

    assert given == before


def test_every_kind_that_is_converted_is_defined() -> None:
    assert set(CONVERTERS) <= {kind.resource.kind for kind in KINDS}
