"""metrics.k8s.io: what metrics-server would say of the nodes and pods that are measured."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from argosy.apiserver.specials.streams import ContainerUsage, NodeUsage, PodUsage
from tests.behaviour.apiserver.streaming import Cluster, Usage, streaming

GROUP = "/apis/metrics.k8s.io/v1beta1"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"
WHEN = 1_767_323_045.5


def measured(story: Callable[[Cluster], Awaitable[None]]) -> None:
    """A cluster with two measured pods and one that is not, and the same of nodes."""
    usage = Usage(
        nodes=[
            NodeUsage("n1", 123_456_789, 20 * 2**20, WHEN, 15.0),
            NodeUsage("n2", 2_000_000_000, 1500, WHEN, 90.5),
            NodeUsage("gone", 1, 1, WHEN, 15.0),
        ],
        pods=[
            PodUsage("ns", "web", (ContainerUsage("main", 1_500_000, 2048),), WHEN, 15.0),
            PodUsage(
                "ns", "app",
                (ContainerUsage("a", 123_456, 2**30), ContainerUsage("b", 0, 1023)), WHEN, 15.0,
            ),
            PodUsage("other", "elsewhere", (), WHEN, 15.0),
        ],
    )  # fmt: skip

    async def run(cluster: Cluster) -> None:
        for name in ("n1", "n2", "unmeasured"):
            node = {"metadata": {"name": name, "labels": {"zone": name}}}
            assert (await cluster.ask("POST", "/api/v1/nodes", node))[0] == 201
        await cluster.pod("web", labels={"app": "web"})
        await cluster.pod("app", "a", "b")
        await cluster.pod("unmeasured", labels={"app": "web"})
        await story(cluster)

    streaming(run, metrics=usage)


async def names(cluster: Cluster, path: str) -> list[str]:
    code, body = await cluster.ask("GET", f"{GROUP}/{path}")
    assert code == 200, body
    return [item["metadata"]["name"] for item in body["items"]]


def test_nodes_are_listed_with_their_usage() -> None:
    async def story(cluster: Cluster) -> None:
        code, body = await cluster.ask("GET", f"{GROUP}/nodes")
        created = body["items"][0]["metadata"]["creationTimestamp"]
        want = {
            "kind": "NodeMetricsList",
            "apiVersion": "metrics.k8s.io/v1beta1",
            "metadata": {},
            "items": [
                {
                    "metadata": {"name": "n1", "creationTimestamp": created, "labels": {"zone": "n1"}},
                    "timestamp": "2026-01-02T03:04:05Z",
                    "window": "15s",
                    "usage": {"cpu": "123456789n", "memory": "20Mi"},
                },
                {
                    "metadata": {"name": "n2", "creationTimestamp": created, "labels": {"zone": "n2"}},
                    "timestamp": "2026-01-02T03:04:05Z",
                    "window": "1m30.5s",
                    "usage": {"cpu": "2", "memory": "1500"},
                },
            ],
        }  # fmt: skip
        assert (code, body) == (200, want)

    measured(story)


def test_a_pod_has_the_usage_of_its_containers() -> None:
    async def story(cluster: Cluster) -> None:
        code, body = await cluster.ask("GET", f"{GROUP}/namespaces/ns/pods/app")
        created = body["metadata"].pop("creationTimestamp")
        want = {
            "kind": "PodMetrics",
            "apiVersion": "metrics.k8s.io/v1beta1",
            "metadata": {"name": "app", "namespace": "ns"},
            "timestamp": "2026-01-02T03:04:05Z",
            "window": "15s",
            "containers": [
                {"name": "a", "usage": {"cpu": "123456n", "memory": "1Gi"}},
                {"name": "b", "usage": {"cpu": "0", "memory": "1023"}},
            ],
        }
        assert (code, body) == (200, want)
        assert created

    measured(story)


SELECTED: dict[str, tuple[str, list[str]]] = {
    "all pods": ("pods", ["app", "web"]),
    "pods of a namespace": ("namespaces/ns/pods", ["app", "web"]),
    "pods of another": ("namespaces/other/pods", []),
    "pods by label": ("namespaces/ns/pods?labelSelector=app%3Dweb", ["web"]),
    "pods by name": ("pods?fieldSelector=metadata.name%3Dapp", ["app"]),
    "nodes by label": ("nodes?labelSelector=zone!=n1", ["n2"]),
}


@pytest.mark.parametrize("case", SELECTED.values(), ids=SELECTED)
def test_selectors_are_those_of_the_objects(case: tuple[str, list[str]]) -> None:
    path, want = case

    async def story(cluster: Cluster) -> None:
        assert await names(cluster, path) == want

    measured(story)


REFUSED: dict[str, tuple[str, str, int, str]] = {
    "an unknown node": ("GET", "nodes/nope", 404, 'nodes "nope" not found'),
    "a node that nobody measures": (
        "GET", "nodes/unmeasured", 404, 'nodemetrics.metrics.k8s.io "unmeasured" not found'
    ),
    "a pod that nobody measures": (
        "GET", "namespaces/ns/pods/unmeasured", 404, 'podmetrics.metrics.k8s.io "ns/unmeasured" not found'
    ),
    "a write": (
        "DELETE", "nodes/n1", 405, "the server does not allow this method on the requested resource"
    ),
    "a bad selector": (
        "GET", "pods?labelSelector=,,", 400, "found ',', expected: !, identifier, or 'end of string'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refusals_are_those_of_metrics_server(case: tuple[str, str, int, str]) -> None:
    method, path, code, text = case

    async def story(cluster: Cluster) -> None:
        got, body = await cluster.ask(method, f"{GROUP}/{path}")
        assert (got, text in body["message"]) == (code, True), body

    measured(story)


def test_a_table_sums_up_the_containers() -> None:
    async def story(cluster: Cluster) -> None:
        _, table = await cluster.ask("GET", f"{GROUP}/namespaces/ns/pods", accept=TABLE)
        columns = [(c["name"], c["format"]) for c in table["columnDefinitions"]]
        want = [
            ("Name", "name"),
            ("cpu", "quantity"),
            ("memory", "quantity"),
            ("Window", "duration"),
        ]
        assert columns == want
        assert [row["cells"] for row in table["rows"]] == [
            ["app", "123456n", "1073742847", "15s"],
            ["web", "1500u", "2Ki", "15s"],
        ]
        assert {row["object"]["kind"] for row in table["rows"]} == {"PartialObjectMetadata"}
        _, empty = await cluster.ask("GET", f"{GROUP}/namespaces/other/pods", accept=TABLE)
        assert (empty["columnDefinitions"], empty["rows"]) == (None, [])

    measured(story)


def test_other_forms() -> None:
    async def story(cluster: Cluster) -> None:
        path = f"{GROUP}/nodes/n1"
        _, whole = await cluster.ask("GET", f"{path}?includeObject=Object", accept=TABLE)
        assert whole["rows"][0]["object"]["kind"] == "NodeMetrics"
        _, bare = await cluster.ask("GET", f"{path}?includeObject=None", accept=TABLE)
        assert bare["rows"][0]["object"] is None
        partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
        _, one = await cluster.ask("GET", path, accept=partial)
        assert (one["kind"], one["metadata"]["name"]) == ("PartialObjectMetadata", "n1")
        _, many = await cluster.ask("GET", f"{GROUP}/nodes", accept=partial.replace("a;", "aList;"))
        assert (many["kind"], len(many["items"])) == ("PartialObjectMetadataList", 2)
        code, _ = await cluster.ask("GET", f"{GROUP}/nodes", accept=partial)
        assert code == 406

    measured(story)


def test_permissions_are_asked_for_as_for_any_resource() -> None:
    async def story(cluster: Cluster) -> None:
        code, body = await cluster.ask("GET", f"{GROUP}/nodes", token="reader")
        want = (
            'nodes.metrics.k8s.io is forbidden: User "reader" cannot list resource "nodes" '
            'in API group "metrics.k8s.io" at the cluster scope'
        )
        assert (code, body["message"]) == (403, want)

    measured(story)


def test_the_group_is_discovered_where_somebody_measures() -> None:
    resources = [
        {
            "name": name,
            "singularName": "",
            "namespaced": namespaced,
            "kind": kind,
            "verbs": ["get", "list"],
        }
        for name, namespaced, kind in (
            ("nodes", False, "NodeMetrics"),
            ("pods", True, "PodMetrics"),
        )
    ]

    async def story(cluster: Cluster) -> None:
        code, body = await cluster.ask("GET", GROUP)
        assert (code, body["groupVersion"], body["resources"]) == (
            200,
            "metrics.k8s.io/v1beta1",
            resources,
        )
        assert "metrics.k8s.io" in await _groups(cluster)
        accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        _, everything = await cluster.ask("GET", "/apis", accept=accept)
        group = next(g for g in everything["items"] if g["metadata"]["name"] == "metrics.k8s.io")
        assert [r["resource"] for r in group["versions"][0]["resources"]] == ["nodes", "pods"]
        # Controllers that walk all kinds do not meet it.
        assert cluster.server.cluster.scheme.find("metrics.k8s.io", "pods") is None

    measured(story)


def test_without_a_source_there_is_no_such_group() -> None:
    async def story(cluster: Cluster) -> None:
        assert "metrics.k8s.io" not in await _groups(cluster)
        for path in (GROUP, f"{GROUP}/nodes"):
            answer: Any = await cluster.answer("GET", path)
            assert (answer.status, answer.body) == (404, b"404 page not found\n")

    streaming(story)


async def _groups(cluster: Cluster) -> list[str]:
    _, body = await cluster.ask("GET", "/apis")
    return [group["name"] for group in body["groups"]]
