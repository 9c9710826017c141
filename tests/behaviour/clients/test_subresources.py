"""status, scale, eviction, binding, tokens and reviews."""

from __future__ import annotations

import pytest

from argosy.base.errors import Conflict, NotFound, TooManyRequests
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import (
    DEPLOYMENTS,
    POD_DISRUPTION_BUDGETS,
    PODS,
    SERVICE_ACCOUNTS,
    Resource,
)
from tests.behaviour.clients.conftest import Place

LABELS = {"app": "web"}
CONTAINERS = [{"name": "c", "image": "i"}]
POD: Object = {"metadata": {"name": "p", "labels": LABELS}, "spec": {"containers": CONTAINERS}}
DEPLOYMENT: Object = {
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": LABELS},
        "template": {"metadata": {"labels": LABELS}, "spec": {"containers": CONTAINERS}},
    },
}
REVIEWS = Resource(
    "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", False
)
WHO = Resource("authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", False)


async def test_status_is_written_apart_from_spec(place: Place) -> None:
    where = place.namespace
    created = decode(await place.client.create(DEPLOYMENTS, DEPLOYMENT, namespace=where))
    created["status"] = {"replicas": 2, "observedGeneration": 1}
    created["spec"]["replicas"] = 9
    done = decode(await place.client.update(DEPLOYMENTS, created, subresource="status"))
    assert (done["status"]["replicas"], done["spec"]["replicas"]) == (2, 2)
    assert done["metadata"]["generation"] == 1
    got = decode(await place.client.get(DEPLOYMENTS, "web", namespace=where, subresource="status"))
    assert got == done
    for kind in (PatchType.MERGE, PatchType.STRATEGIC):
        patch = {"status": {"readyReplicas": 1}, "spec": {"replicas": 7}}
        got = decode(
            await place.client.patch(
                DEPLOYMENTS, "web", patch, kind=kind, namespace=where, subresource="status"
            )
        )
        assert (got["status"]["readyReplicas"], got["spec"]["replicas"]) == (1, 2)
    # The other way round: status in a plain write is ignored.
    await place.client.patch(DEPLOYMENTS, "web", {"status": {"replicas": 5}}, namespace=where)
    assert (await place.read(DEPLOYMENTS, "web"))["status"]["replicas"] == 2


async def test_status_can_be_applied(place: Place) -> None:
    where = place.namespace
    await place.client.create(DEPLOYMENTS, DEPLOYMENT, namespace=where)
    got = decode(
        await place.client.apply(
            DEPLOYMENTS,
            "web",
            {"status": {"replicas": 1}},
            field_manager="m",
            namespace=where,
            subresource="status",
        )
    )
    entries = [(e["manager"], e.get("subresource", "")) for e in got["metadata"]["managedFields"]]
    assert (got["status"], entries) == ({"replicas": 1}, [("m", "status"), ("contract", "")])


async def test_scale(place: Place) -> None:
    where = place.namespace
    await place.client.create(DEPLOYMENTS, DEPLOYMENT, namespace=where)
    scale = decode(await place.client.get(DEPLOYMENTS, "web", namespace=where, subresource="scale"))
    assert (scale["kind"], scale["apiVersion"], scale["spec"]) == (
        "Scale",
        "autoscaling/v1",
        {"replicas": 2},
    )
    assert scale["status"] == {"replicas": 0, "selector": "app=web"}
    scale["spec"]["replicas"] = 3
    done = decode(await place.client.update(DEPLOYMENTS, scale, subresource="scale"))
    assert done["spec"] == {"replicas": 3}
    with pytest.raises(Conflict):
        await place.client.update(DEPLOYMENTS, scale, subresource="scale")
    patch = {"spec": {"replicas": 4}}
    dry = await place.client.patch(
        DEPLOYMENTS, "web", patch, namespace=where, subresource="scale", dry_run=True
    )
    assert decode(dry)["spec"] == {"replicas": 4}
    assert (await place.read(DEPLOYMENTS, "web"))["spec"]["replicas"] == 3
    await place.client.patch(
        DEPLOYMENTS, "web", patch, namespace=where, subresource="scale", field_manager="scaler"
    )
    got = await place.read(DEPLOYMENTS, "web")
    entry = next(
        e
        for e in got["metadata"]["managedFields"]
        if e.get("subresource") == "scale" and e["manager"] == "scaler"
    )
    assert (got["spec"]["replicas"], entry["fieldsV1"]) == (4, {"f:spec": {"f:replicas": {}}})


async def evict(place: Place, **options: bool) -> None:
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    await place.client.create(
        PODS, body, namespace=place.namespace, name="p", subresource="eviction", **options
    )


async def test_eviction_deletes_within_the_budget(place: Place) -> None:
    where = place.namespace
    await place.client.create(
        PODS, {**POD, "spec": {"containers": CONTAINERS, "nodeName": "n"}}, namespace=where
    )
    ready = {"type": "Ready", "status": "True"}
    running = {"status": {"phase": "Running", "conditions": [ready]}}
    await place.client.patch(PODS, "p", running, namespace=where, subresource="status")
    budget = {
        "metadata": {"name": "b"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": LABELS}},
    }
    await place.client.create(POD_DISRUPTION_BUDGETS, budget, namespace=where)
    status = {
        "status": {
            "observedGeneration": 1,
            "disruptionsAllowed": 0,
            "currentHealthy": 1,
            "desiredHealthy": 1,
            "expectedPods": 1,
        }
    }
    await place.client.patch(
        POD_DISRUPTION_BUDGETS, "b", status, namespace=where, subresource="status"
    )
    with pytest.raises(TooManyRequests) as got:
        await evict(place)
    assert got.value.message == "Cannot evict pod as it would violate the pod's disruption budget."
    assert got.value.details is not None
    assert [(c.reason, c.message) for c in got.value.details.causes] == [
        ("DisruptionBudget", "The disruption budget b needs 1 healthy pods and has 1 currently")
    ]
    allowed = {"status": {"disruptionsAllowed": 1}}
    await place.client.patch(
        POD_DISRUPTION_BUDGETS, "b", allowed, namespace=where, subresource="status"
    )
    await evict(place, dry_run=True)
    assert "deletionTimestamp" not in (await place.read(PODS, "p"))["metadata"]
    await evict(place)
    assert (await place.read(PODS, "p"))["metadata"]["deletionTimestamp"]


async def test_binding_puts_a_pod_on_a_node(place: Place) -> None:
    where = place.namespace
    await place.client.create(PODS, POD, namespace=where)
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "p"},
        "target": {"kind": "Node", "name": "n"},
    }

    async def bind() -> None:
        await place.client.create(PODS, body, namespace=where, name="p", subresource="binding")

    await bind()
    pod = await place.read(PODS, "p")
    (condition,) = pod["status"]["conditions"]
    assert (pod["spec"]["nodeName"], condition["type"], condition["status"]) == (
        "n",
        "PodScheduled",
        "True",
    )
    with pytest.raises(Conflict) as got:
        await bind()
    assert got.value.message == (
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"'
    )


async def test_tokens(place: Place) -> None:
    body = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": 600},
    }
    got = decode(
        await place.client.create(
            SERVICE_ACCOUNTS, body, namespace=place.namespace, name="default", subresource="token"
        )
    )
    assert (got["kind"], got["status"]["token"].count(".")) == ("TokenRequest", 2)


async def test_reviews(place: Place) -> None:
    ask = {
        "spec": {
            "resourceAttributes": {"verb": "list", "resource": "pods", "namespace": place.namespace}
        }
    }
    for client, want in ((place.world.admin, True), (place.world.plain, False)):
        got = decode(await client.create(REVIEWS, ask))
        assert got["status"]["allowed"] is want
    who = decode(await place.world.plain.create(WHO, {}))
    assert who["status"]["userInfo"]["username"] == "plain"


async def test_a_subresource_that_is_not_there(place: Place) -> None:
    await place.client.create(PODS, POD, namespace=place.namespace)
    with pytest.raises(NotFound) as got:
        await place.client.get(PODS, "p", namespace=place.namespace, subresource="scale")
    assert got.value.message == "the server could not find the requested resource"
    with pytest.raises(NotFound):
        await place.client.get(PODS, "nope", namespace=place.namespace, subresource="status")
