"""Kueue's kinds written through the API: both versions, what is filled in, what is refused, and in whose words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from argosy.apiserver.http.messages import Response
from argosy.base.types import Object
from argosy.queueing.admission import add_admission
from argosy.queueing.conversion import add_versions
from argosy.queueing.definitions import definitions
from argosy.queueing.workloads.phases import RESOURCE_IN_USE
from tests.behaviour.apiserver.serving import TABLE, Served, serving

GROUP = "/apis/kueue.x-k8s.io"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
OLD = f"{GROUP}/v1beta1"
NEW = f"{GROUP}/v1beta2"
WORKLOADS = f"{NEW}/namespaces/ns/workloads"
DEPRECATED = "This version is deprecated. Use v1beta2 instead."


def queueing(story: Callable[[Served], Awaitable[None]]) -> None:
    async def run(served: Served) -> None:
        add_admission(served.server.cluster)
        add_versions(served.server.cluster)
        for crd in definitions():
            code, answer = await served.ask("POST", CRDS, crd)
            assert code == 201, answer
        await story(served)

    serving(run)


def named(name: str, **more: Any) -> Object:
    return {"metadata": {"name": name}, **more}


def typed(version: str, kind: str, body: Object) -> Object:
    return {"apiVersion": f"kueue.x-k8s.io/{version}", "kind": kind, **body}


def quota(nominal: str = "9", **limits: str) -> list[Object]:
    resource = {"name": "cpu", "nominalQuota": nominal, **limits}
    return [{"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [resource]}]}]


def workload(name: str = "w", **spec: Any) -> Object:
    pod = {"containers": [{"name": "c", "image": "i"}]}
    body = named(name, spec={"podSets": [{"template": {"spec": pod}}], **spec})
    return typed("v1beta2", "Workload", body)


def test_the_talks_cluster_queue_is_stored_in_the_words_of_today() -> None:
    async def story(served: Served) -> None:
        talk = typed(
            "v1beta1",
            "ClusterQueue",
            named("team-a", spec={"cohort": "org", "resourceGroups": quota()}),
        )
        answer = await served.answer("POST", f"{OLD}/clusterqueues", talk)
        assert isinstance(answer, Response)
        assert (answer.status, answer.warnings) == (201, [DEPRECATED])

        _, stored = await served.ask("GET", f"{NEW}/clusterqueues/team-a")
        assert stored["spec"]["cohortName"] == "org"
        assert "cohort" not in stored["spec"]
        for path in (OLD, NEW):
            _, table = await served.ask("GET", f"{path}/clusterqueues", accept=TABLE)
            assert [row["cells"] for row in table["rows"]] == [
                ["team-a", "org", "BestEffortFIFO", None, None]
            ]

    queueing(story)


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_the_talks_parent_of_a_cohort_is_its_parent_name(version: str) -> None:
    async def story(served: Served) -> None:
        talk = typed(version, "Cohort", named("team", spec={"parent": "org"}))
        answer = await served.answer(
            "POST", f"{GROUP}/{version}/cohorts?fieldValidation=Strict", talk
        )
        assert isinstance(answer, Response)
        assert answer.status == 201
        assert answer.warnings[-1].startswith("spec.parent: this field is called spec.parentName")
        _, stored = await served.ask("GET", f"{NEW}/cohorts/team")
        assert stored["spec"] == {"parentName": "org"}

    queueing(story)


@pytest.mark.parametrize(
    ("plural", "kind", "held"),
    [
        ("clusterqueues", "ClusterQueue", True),
        ("resourceflavors", "ResourceFlavor", True),
        ("cohorts", "Cohort", False),
    ],
)
def test_new_queues_and_flavors_are_held_until_nothing_uses_them(
    plural: str, kind: str, held: bool
) -> None:
    async def story(served: Served) -> None:
        _, made = await served.ask("POST", f"{NEW}/{plural}", typed("v1beta2", kind, named("x")))
        assert made["metadata"].get("finalizers", []) == ([RESOURCE_IN_USE] if held else [])
        # Only at creation, as upstream: who takes it away has taken it.
        _, freed = await served.ask(
            "PATCH", f"{NEW}/{plural}/x", {"metadata": {"finalizers": None}}, content_type=MERGE
        )
        assert "finalizers" not in freed["metadata"]

    queueing(story)


def test_a_refusal_reads_as_kube_apiserver_relays_a_webhooks() -> None:
    async def story(served: Served) -> None:
        lends = named("a", spec={"cohortName": "c", "resourceGroups": quota("1", lendingLimit="2")})
        assert await served.said("POST", f"{NEW}/clusterqueues", typed("v1beta2", "ClusterQueue", lends)) == (
            403,
            ('admission webhook "vclusterqueue.kb.io" denied the request: spec.resourceGroups[0].flavors[0].resources[0]'
            '.lendingLimit: Invalid value: "2": must be less than or equal to the nominalQuota'),
        )  # fmt: skip
        both = named("a", spec={"fairSharing": {"weight": "-1"}, "resourceGroups": quota("-1")})
        assert await served.said("POST", f"{OLD}/cohorts", typed("v1beta1", "Cohort", both)) == (
            403,
            ('admission webhook "vcohort.kb.io" denied the request: [spec.fairSharing: Invalid value: "-1": must be '
            "greater than or equal to 0, spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Invalid value: "
            '"-1": must be greater than or equal to 0]'),
        )  # fmt: skip
        huge = named("a", spec={"resourceGroups": quota("1e99999")})
        code, message = await served.said(
            "POST", f"{NEW}/clusterqueues", typed("v1beta2", "ClusterQueue", huge)
        )
        assert (code, message.split(":")[0]) == (
            403,
            'admission webhook "vclusterqueue.kb.io" denied the request',
        )

    queueing(story)


def test_the_schema_speaks_before_the_webhook() -> None:
    async def story(served: Served) -> None:
        borrows = named("a", spec={"resourceGroups": quota(borrowingLimit="1")})
        for version in ("v1beta1", "v1beta2"):
            said = await served.said(
                "POST", f"{GROUP}/{version}/clusterqueues", typed(version, "ClusterQueue", borrows)
            )
            assert said == (
                422,
                ('ClusterQueue.kueue.x-k8s.io "a" is invalid: spec: Invalid value: borrowingLimit must be nil when '
                "cohort is empty"),
            )  # fmt: skip

    queueing(story)


def test_defaults_of_a_workload() -> None:
    async def story(served: Served) -> None:
        _, made = await served.ask("POST", WORKLOADS, workload())
        pod_set = made["spec"]["podSets"][0]
        assert (made["spec"]["active"], pod_set["name"], pod_set["count"]) == (True, "main", 1)

    queueing(story)


RESERVED = {
    "type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}  # fmt: skip


def test_a_status_is_checked_as_the_rest_is() -> None:
    async def story(served: Served) -> None:
        await served.ask("POST", WORKLOADS, workload())
        path = f"{WORKLOADS}/w/status"
        said = await served.said(
            "PATCH", path, {"status": {"conditions": [RESERVED]}}, content_type=MERGE
        )
        assert said == (
            403,
            ('admission webhook "vworkload.kb.io" denied the request: status.admission: Required value: must be set '
            "while quota is reserved"),
        )  # fmt: skip
        given = {"clusterQueue": "cq", "podSetAssignments": [{"name": "main"}]}
        status = {"conditions": [RESERVED], "admission": given}
        code, _ = await served.ask("PATCH", path, {"status": status}, content_type=MERGE)
        assert code == 200
        _, chosen = await served.ask(
            "GET", f"{WORKLOADS}?fieldSelector=status.admission.clusterQueue%3Dcq"
        )
        assert [each["metadata"]["name"] for each in chosen["items"]] == ["w"]

        code, message = await served.said(
            "PATCH", f"{WORKLOADS}/w", {"spec": {"queueName": "q"}}, content_type=MERGE
        )
        assert (code, message) == (
            422,
            ('Workload.kueue.x-k8s.io "w" is invalid: <nil>: Invalid value: queueName is immutable while workload '
            "quota reserved"),
        )  # fmt: skip

    queueing(story)


def test_a_workloads_priority_class_is_the_same_in_both_versions() -> None:
    async def story(served: Served) -> None:
        ref = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"}
        await served.ask("POST", WORKLOADS, workload(priorityClassRef=ref, priority=5))
        _, old = await served.ask("GET", f"{OLD}/namespaces/ns/workloads/w")
        assert old["spec"]["priorityClassName"] == "high"
        assert old["spec"]["priorityClassSource"] == "kueue.x-k8s.io/workloadpriorityclass"

        old["spec"]["priority"] = 6
        code, _ = await served.ask("PUT", f"{OLD}/namespaces/ns/workloads/w", old)
        _, new = await served.ask("GET", f"{WORKLOADS}/w")
        assert (code, new["spec"]["priorityClassRef"], new["spec"]["priority"]) == (200, ref, 6)

    queueing(story)


def test_applying_the_old_version_again_changes_nothing() -> None:
    async def story(served: Served) -> None:
        body = named(
            "a",
            spec={
                "cohort": "c",
                "namespaceSelector": {},
                "resourceGroups": quota(borrowingLimit="1"),
                "flavorFungibility": {"whenCanBorrow": "Borrow"},
            },
        )
        manifest = typed("v1beta1", "ClusterQueue", body)
        path = f"{OLD}/clusterqueues/a?fieldManager=me"
        code, made = await served.ask("PATCH", path, manifest, content_type=APPLY)
        assert code == 201
        code, again = await served.ask("PATCH", path, manifest, content_type=APPLY)
        assert (code, again["metadata"]["resourceVersion"]) == (
            200,
            made["metadata"]["resourceVersion"],
        )

    queueing(story)
