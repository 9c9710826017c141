"""Which manifests go first."""

from __future__ import annotations

import pytest

from argosy.api.objects.fleet.works import WorkResourceIdentifier
from argosy.client.resources import Resource
from argosy.member.applying.manifests import Manifest
from argosy.member.applying.reasons import ResultType
from argosy.member.applying.waves import LAST, wave_of, waves

CASES: dict[str, tuple[str, str, int]] = {
    "namespaces": ("", "namespaces", 0),
    "priority classes": ("scheduling.k8s.io", "priorityclasses", 0),
    "data": ("", "configmaps", 1),
    "definitions": ("apiextensions.k8s.io", "customresourcedefinitions", 1),
    "roles": ("rbac.authorization.k8s.io", "roles", 2),
    "bindings of roles": ("rbac.authorization.k8s.io", "clusterrolebindings", 3),
    "workloads": ("apps", "deployments", 4),
    "jobs": ("batch", "jobs", 4),
    "autoscalers": ("autoscaling", "horizontalpodautoscalers", 4),
    "webhooks": ("admissionregistration.k8s.io", "validatingwebhookconfigurations", 5),
    "custom resources": ("kueue.x-k8s.io", "clusterqueues", LAST),
    "services of somebody else": ("serving.knative.dev", "services", LAST),
    "built-in kinds without a place": ("coordination.k8s.io", "leases", LAST),
}


@pytest.mark.parametrize("case", CASES)
def test_the_wave_of_a_resource(case: str) -> None:
    group, plural, want = CASES[case]
    assert wave_of(Resource(group, "v1", plural, "X")) == want


def test_waves_keep_the_order_of_the_work_and_leave_out_what_cannot_be_applied() -> None:
    def one(ordinal: int, plural: str, failure: ResultType | None = None) -> Manifest:
        resource = Resource("", "v1", plural, "X")
        return Manifest(WorkResourceIdentifier(ordinal), {}, resource, failure)

    found = waves(
        [
            one(0, "services"),
            one(1, "configmaps"),
            one(2, "secrets", ResultType.DUPLICATED),
            one(3, "namespaces"),
            one(4, "secrets"),
            Manifest(WorkResourceIdentifier(5), {}, None, ResultType.DECODING_ERRED),
        ]
    )
    assert [[each.identifier.ordinal for each in wave] for wave in found] == [[3], [1, 4], [0]]
