"""Who owns the claims of a StatefulSet's pods."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.objects import ObjectMeta, OwnerReference
from argosy.api.objects.apps import ClaimRetentionPolicy, StatefulSet, StatefulSetSpec
from argosy.api.objects.storage import PersistentVolumeClaim
from argosy.workloads.apps.statefulsets.claims import (
    claim_names,
    claims_of,
    has_stale_pod,
    is_up_to_date,
    owners_of,
)

POD = ObjectMeta(name="db-1", namespace="ns", uid="pod")
OF_SET = OwnerReference("apps/v1", "StatefulSet", "db", "set", controller=True)
OF_POD = OwnerReference("v1", "Pod", "db-1", "pod", controller=True)
OF_EARLIER_POD = OwnerReference("v1", "Pod", "db-1", "before", controller=True)
OF_ANOTHER = OwnerReference("v1", "Thing", "t", "thing", controller=True)


def _set(deleted: str = "Retain", scaled: str = "Retain") -> StatefulSet:
    template = {"metadata": {"name": "data", "labels": {"tier": "disk"}}, "spec": {"a": 1}}
    return StatefulSet(
        ObjectMeta(name="db", namespace="ns", uid="set"),
        StatefulSetSpec(
            selector={"matchLabels": {"app": "a"}},
            volume_claim_templates=(template,),
            persistent_volume_claim_retention_policy=ClaimRetentionPolicy(deleted, scaled),
        ),
    )


def _claim(*owners: OwnerReference) -> PersistentVolumeClaim:
    return PersistentVolumeClaim(ObjectMeta(name="data-db-1", owner_references=owners))


class Case(NamedTuple):
    owner: StatefulSet
    claim: PersistentVolumeClaim
    is_leaving: bool
    want: bool
    # Names of the kinds that should own it.
    owners: list[str]


CASES = {
    "kept: nobody": Case(_set(), _claim(), False, True, []),
    "kept, but owned once": Case(_set(), _claim(OF_SET), False, False, []),
    "goes with the set": Case(_set("Delete"), _claim(), False, False, ["StatefulSet"]),
    "goes with the set, and says so": Case(
        _set("Delete"), _claim(OF_SET), True, True, ["StatefulSet"]
    ),
    "goes with a pod that is scaled away": Case(
        _set("Retain", "Delete"), _claim(), True, False, ["Pod"]
    ),
    "a pod that stays does not own it": Case(
        _set("Retain", "Delete"), _claim(OF_POD), False, False, []
    ),
    "with the set until the pod is scaled away": Case(
        _set("Delete", "Delete"), _claim(OF_SET), True, False, ["Pod"]
    ),
    "and again with the set when it is not": Case(
        _set("Delete", "Delete"), _claim(OF_POD), False, False, ["StatefulSet"]
    ),
    "another controller's is left alone": Case(
        _set("Delete"), _claim(OF_ANOTHER), False, True, ["Thing"]
    ),
    "unless it was ours, too": Case(
        _set("Delete"), _claim(OF_ANOTHER, OF_SET), False, False, ["Thing"]
    ),
    "an owner that is no controller becomes one": Case(
        _set("Delete"),
        _claim(OwnerReference("apps/v1", "StatefulSet", "db", "set")),
        False,
        False,
        ["StatefulSet"],
    ),
    "one that an earlier pod takes along goes": Case(
        _set("Retain", "Delete"), _claim(OF_EARLIER_POD), False, True, []
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_owners(case: Case) -> None:
    got = is_up_to_date(case.claim, case.owner, POD, is_leaving=case.is_leaving)
    assert got is case.want
    owners = owners_of(case.claim, case.owner, POD, is_leaving=case.is_leaving)
    assert [each["kind"] for each in owners] == case.owners
    assert all(each["controller"] for each in owners)


def test_a_claim_goes_with_a_pod_that_is_gone() -> None:
    assert has_stale_pod(_claim(OF_EARLIER_POD), "db-1", "")
    assert not has_stale_pod(_claim(OF_SET), "db-1", "")


def test_claims_as_they_are_made() -> None:
    assert claim_names(_set(), 1) == {"data": "data-db-1"}
    want = {
        "metadata": {
            "name": "data-db-1",
            "namespace": "ns",
            "labels": {"tier": "disk", "app": "a"},
        },
        "spec": {"a": 1},
    }
    assert claims_of(_set(), 1) == [want]
