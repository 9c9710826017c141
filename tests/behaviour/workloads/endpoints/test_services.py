"""EndpointSlices and Endpoints follow services and pods, in virtual time."""

from __future__ import annotations

from argosy.base.types import Json, Object
from argosy.client.resources import ENDPOINT_SLICES, ENDPOINTS, NODES, PODS, SERVICES
from argosy.workloads.endpoints import add_endpoints
from tests.fakes.worlds import World, running

WEB = {
    "metadata": {"name": "web", "labels": {"tier": "front"}},
    "spec": {
        "selector": {"app": "web"},
        "ports": [
            {"name": "http", "port": 80, "targetPort": "http", "appProtocol": "kubernetes.io/h2c"},
            {"name": "metrics", "port": 9090},
            {"name": "dns", "port": 53, "targetPort": 5353, "protocol": "UDP"},
        ],
    },
}
HEAD = {
    "metadata": {"name": "head"},
    "spec": {"clusterIP": "None", "selector": {"app": "web"}, "publishNotReadyAddresses": True},
}


def service(name: str, **spec: Json) -> Object:
    ports = [{"port": 80, "protocol": "TCP"}]
    return {
        "metadata": {"name": name},
        "spec": {"selector": {"app": "web"}, "ports": ports, **spec},
    }


async def web(world: World, number: int, *, ready: bool = True, **spec: Json) -> Object:
    """A pod that runs, with an address."""
    name = f"web-{number}"
    meta = {"labels": {"app": "web"}}
    ports = {"ports": [{"name": "http", "containerPort": 8080}]}
    made = await world.pod(name, node="n1", metadata=meta, container=ports, **spec)
    ip = f"10.1.{number // 250}.{number % 250}"
    await world.status(PODS, name, {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}]})
    await readiness(world, name, "True" if ready else "False")
    return made


async def readiness(world: World, name: str, status: str) -> None:
    await world.status(PODS, name, {"conditions": [{"type": "Ready", "status": status}]})


async def slices(world: World, name: str) -> list[Object]:
    await world.settle()
    return await world.list(ENDPOINT_SLICES, f"kubernetes.io/service-name={name}")


def endpoint(number: int, pod: Object, *, ready: bool, serving: bool, **more: Json) -> Object:
    meta = pod["metadata"]
    return {
        "addresses": [f"10.1.0.{number}"],
        "conditions": {"ready": ready, "serving": serving, "terminating": False},
        "nodeName": "n1",
        "zone": "a",
        "targetRef": {"kind": "Pod", "namespace": "ns", "name": meta["name"], "uid": meta["uid"]},
        **more,
    }


async def node(world: World) -> None:
    await world.node("n1", labels={"topology.kubernetes.io/zone": "a"})


def test_a_service_has_slices_and_endpoints_as_upstream_writes_them() -> None:
    async def story(world: World) -> None:
        await node(world)
        made = await world.create(SERVICES, WEB)
        pods = [
            await web(world, number, ready=number < 2, hostname=f"web-{number}", subdomain="head")
            for number in range(3)
        ]
        (found,) = await slices(world, "web")
        assert found["metadata"]["generateName"] == "web-"
        assert found["metadata"]["labels"] == {
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
            "kubernetes.io/service-name": "web",
            "tier": "front",
        }
        assert found["metadata"]["ownerReferences"] == [
            {
                "apiVersion": "v1", "kind": "Service", "name": "web", "controller": True,
                "uid": made["metadata"]["uid"], "blockOwnerDeletion": True,
            }
        ]  # fmt: skip
        assert found["addressType"] == "IPv4"
        http = {
            "name": "http", "port": 8080, "protocol": "TCP", "appProtocol": "kubernetes.io/h2c",
        }  # fmt: skip
        metrics = {"name": "metrics", "port": 9090, "protocol": "TCP"}
        dns = {"name": "dns", "port": 5353, "protocol": "UDP"}
        # The orders in which upstream's hashes put them.
        assert found["ports"] == [http, dns, metrics]
        assert found["endpoints"] == [
            endpoint(number, pod, ready=number < 2, serving=number < 2)
            for number, pod in enumerate(pods)
        ]
        legacy = await world.get(ENDPOINTS, "web")
        assert legacy is not None
        assert legacy["metadata"]["labels"] == {
            "endpoints.kubernetes.io/managed-by": "endpoint-controller",
            "tier": "front",
        }
        addresses = [
            {"ip": f"10.1.0.{number}", "nodeName": "n1", "targetRef": entry["targetRef"]}
            for number, entry in enumerate(found["endpoints"])
        ]
        assert legacy["subsets"] == [
            {
                "addresses": addresses[:2],
                "notReadyAddresses": addresses[2:],
                "ports": [http, metrics, dns],
            }
        ]

    running(story, add_endpoints)


def test_a_headless_service_names_its_pods_and_publishes_those_not_ready() -> None:
    async def story(world: World) -> None:
        await node(world)
        pod = await web(world, 0, ready=False, hostname="web-0", subdomain="head")
        await world.create(SERVICES, HEAD)
        (found,) = await slices(world, "head")
        assert found["metadata"]["labels"] == {
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
            "kubernetes.io/service-name": "head",
            "service.kubernetes.io/headless": "",
        }
        assert found["endpoints"] == [endpoint(0, pod, ready=True, serving=False, hostname="web-0")]
        assert not found.get("ports")
        legacy = await world.get(ENDPOINTS, "head")
        assert legacy is not None
        (subset,) = legacy["subsets"]
        assert [one["hostname"] for one in subset["addresses"]] == ["web-0"]
        assert "ports" not in subset

    running(story, add_endpoints)


def test_a_service_without_pods_has_one_empty_slice_since_it_was_made() -> None:
    async def story(world: World) -> None:
        made = await world.create(SERVICES, service("empty"))
        (found,) = await slices(world, "empty")
        stamp = made["metadata"]["creationTimestamp"]
        trigger = {"endpoints.kubernetes.io/last-change-trigger-time": stamp}
        assert found["metadata"]["annotations"] == trigger
        assert not found.get("endpoints")
        assert not found.get("ports")
        legacy = await world.get(ENDPOINTS, "empty")
        assert legacy is not None
        assert legacy["metadata"]["annotations"] == trigger
        assert not legacy.get("subsets")

    running(story, add_endpoints)


def test_a_pod_that_leaves_keeps_serving_and_is_not_ready() -> None:
    async def story(world: World) -> None:
        await node(world)
        await world.create(SERVICES, service("web"))
        await web(world, 0)
        await world.client.delete(PODS, "web-0", namespace="ns")
        (found,) = await slices(world, "web")
        (entry,) = found["endpoints"]
        assert entry["conditions"] == {"ready": False, "serving": True, "terminating": True}
        legacy = await world.get(ENDPOINTS, "web")
        assert legacy is not None
        assert not legacy.get("subsets")
        await world.client.delete(PODS, "web-0", namespace="ns", grace_seconds=0)
        (emptied,) = await slices(world, "web")
        assert emptied["metadata"]["name"] == found["metadata"]["name"]
        assert not emptied.get("endpoints")

    running(story, add_endpoints)


def test_only_the_slice_that_changes_is_written() -> None:
    async def story(world: World) -> None:
        await node(world)
        for number in range(250):
            await web(world, number)
        await world.create(SERVICES, service("web"))
        before = {one["metadata"]["name"]: one for one in await slices(world, "web")}
        assert sorted(len(one["endpoints"]) for one in before.values()) == [50, 100, 100]
        await readiness(world, "web-7", "False")
        await world.pass_time(3)
        after = {one["metadata"]["name"]: one for one in await slices(world, "web")}
        changed = [name for name in before if before[name] != after[name]]
        assert len(changed) == 1
        assert after.keys() == before.keys()
        (now,) = [
            one["conditions"]["ready"]
            for one in after[changed[0]]["endpoints"]
            if one["targetRef"]["name"] == "web-7"
        ]
        assert now is False

    running(story, add_endpoints)


def test_pods_that_become_ready_one_by_one_are_taken_together() -> None:
    async def story(world: World) -> None:
        await node(world)
        await world.create(SERVICES, service("web"))
        for number in range(100):
            await web(world, number, ready=False)
        await world.pass_time(2)
        (before,) = await slices(world, "web")
        for number in range(100):
            await readiness(world, f"web-{number}", "True")
        await world.pass_time(2)
        (after,) = await slices(world, "web")
        assert all(one["conditions"]["ready"] for one in after["endpoints"])
        assert after["metadata"]["generation"] - before["metadata"]["generation"] < 5

    running(story, add_endpoints)


def test_labels_and_selectors_that_change_are_followed() -> None:
    async def story(world: World) -> None:
        await node(world)
        await web(world, 0)
        await world.create(SERVICES, service("web"))
        await world.settle()
        patch = {"metadata": {"labels": {"team": "a"}}}
        await world.client.patch(SERVICES, "web", patch, namespace="ns")
        (found,) = await slices(world, "web")
        assert found["metadata"]["labels"]["team"] == "a"
        await world.client.patch(
            PODS, "web-0", {"metadata": {"labels": {"app": "other"}}}, namespace="ns"
        )
        (found,) = await slices(world, "web")
        assert not found.get("endpoints")
        await world.client.patch(
            SERVICES, "web", {"spec": {"selector": {"app": "other"}}}, namespace="ns"
        )
        (found,) = await slices(world, "web")
        assert [one["targetRef"]["name"] for one in found["endpoints"]] == ["web-0"]

    running(story, add_endpoints)


def test_a_slice_that_somebody_deletes_or_changes_comes_back() -> None:
    async def story(world: World) -> None:
        await node(world)
        await web(world, 0)
        await world.create(SERVICES, service("web"))
        (found,) = await slices(world, "web")
        name = found["metadata"]["name"]
        await world.client.patch(ENDPOINT_SLICES, name, {"endpoints": []}, namespace="ns")
        await world.pass_time(2)
        (again,) = await slices(world, "web")
        assert again["endpoints"] == found["endpoints"]
        await world.client.delete(ENDPOINT_SLICES, again["metadata"]["name"], namespace="ns")
        await world.pass_time(2)
        (third,) = await slices(world, "web")
        assert third["endpoints"] == found["endpoints"]
        await world.client.delete(ENDPOINTS, "web", namespace="ns")
        await world.settle()
        assert await world.get(ENDPOINTS, "web") is not None

    running(story, add_endpoints)


def test_endpoints_go_with_their_service() -> None:
    async def story(world: World) -> None:
        await world.create(SERVICES, service("web"))
        await world.settle()
        await world.client.delete(SERVICES, "web", namespace="ns")
        await world.settle()
        assert await world.get(ENDPOINTS, "web") is None

    running(story, add_endpoints)


def test_a_pod_whose_node_is_not_there_is_left_out_until_it_is() -> None:
    async def story(world: World) -> None:
        await node(world)
        await world.create(SERVICES, service("web"))
        await web(world, 0)
        await world.client.delete(NODES, "n1")
        await readiness(world, "web-0", "False")
        (found,) = await slices(world, "web")
        assert not found.get("endpoints")
        want = (
            "Error updating Endpoint Slices for Service ns/web: "
            "skipping Pod web-0 for Service ns/web: Node n1 Not Found"
        )
        assert await world.events("web") == [("Warning", "FailedToUpdateEndpointSlices", want)]
        await node(world)
        await world.pass_time(6)
        (found,) = await slices(world, "web")
        assert len(found["endpoints"]) == 1

    running(story, add_endpoints)


def test_services_without_a_selector_are_left_to_their_owners() -> None:
    async def story(world: World) -> None:
        bare = {"metadata": {"name": "bare"}, "spec": {"ports": [{"port": 80}]}}
        outside = {
            "metadata": {"name": "outside"},
            "spec": {"type": "ExternalName", "externalName": "example.com"},
        }
        await world.create(SERVICES, bare)
        await world.create(SERVICES, outside)
        await world.settle()
        assert await world.list(ENDPOINT_SLICES) == []
        assert await world.list(ENDPOINTS) == []

    running(story, add_endpoints)
