"""`kubectl top` on made-up usage, and metrics.k8s.io as kubectl sees it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.hosting import Host, hosting
from tests.support.kubectls import Kubectl, find_kubectl

pytestmark = pytest.mark.kubectl

MEBIBYTE = 2**20


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("host")) as hosted:
        size = {"cpu": "4", "memory": "1Gi"}
        for name, zone in (("n1", "a"), ("n2", "b")):
            node = {"metadata": {"name": name, "labels": {"zone": zone}}}
            hosted.api.create(
                "/api/v1/nodes", {**node, "status": {"capacity": size, "allocatable": size}}
            )
        hosted.usage.node("n1", 1_000_000_000, 512 * MEBIBYTE)
        hosted.usage.node("n2", 123_456_789, 100 * MEBIBYTE)
        hosted.run_pod("idle", labels={"app": "idle"})
        hosted.run_pod("busy", "main", "sidecar", labels={"app": "busy"})
        hosted.usage.pod("default", "idle", main=(1_000_000, 2 * MEBIBYTE))
        hosted.usage.pod("default", "busy", main=(2_000_000_000, MEBIBYTE), sidecar=(1, 0))
        yield hosted


@pytest.fixture(scope="module")
def kubectl(host: Host, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    return Kubectl(find_kubectl(), host.kubeconfig, tmp_path_factory.mktemp("home"), "default")


PRINTED: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "nodes": (
        ("node", "--no-headers"),
        ["n1 1000m 25% 512Mi 50%", "n2 124m 3% 100Mi 9%"],
    ),
    "a node by name": (("node", "n2", "--no-headers"), ["n2 124m 3% 100Mi 9%"]),
    "nodes by label": (("node", "-l", "zone=a", "--no-headers"), ["n1 1000m 25% 512Mi 50%"]),
    "nodes by memory": (
        ("node", "--sort-by=memory", "--no-headers"),
        ["n1 1000m 25% 512Mi 50%", "n2 124m 3% 100Mi 9%"],
    ),
    "pods": (
        ("pod",),
        ["NAME CPU(cores) MEMORY(bytes)", "busy 2001m 1Mi", "idle 1m 2Mi"],
    ),
    "containers": (
        ("pod", "--containers"),
        [
            "POD NAME CPU(cores) MEMORY(bytes)",
            "busy main 2000m 1Mi",
            "busy sidecar 1m 0Mi",
            "idle main 1m 2Mi",
        ],
    ),
    "a pod by name": (("pod", "idle", "--no-headers"), ["idle 1m 2Mi"]),
    "pods by label": (("pod", "-l", "app=idle", "--no-headers"), ["idle 1m 2Mi"]),
    "pods by cpu": (("pod", "--sort-by=cpu", "--no-headers"), ["busy 2001m 1Mi", "idle 1m 2Mi"]),
    "pods by memory": (
        ("pod", "--sort-by=memory", "--no-headers"),
        ["idle 1m 2Mi", "busy 2001m 1Mi"],
    ),
    "pods of all namespaces": (
        ("pod", "-A", "--no-headers"),
        ["default busy 2001m 1Mi", "default idle 1m 2Mi"],
    ),
    "the sum of pods": (
        ("pod", "--sum", "--no-headers"),
        ["busy 2001m 1Mi", "idle 1m 2Mi", "________ ________", "2002m 3Mi"],
    ),
}


@pytest.mark.parametrize("case", PRINTED.values(), ids=PRINTED)
def test_what_is_printed(kubectl: Kubectl, case: tuple[tuple[str, ...], list[str]]) -> None:
    arguments, want = case
    assert [" ".join(row) for row in kubectl("top", *arguments).rows] == want


def test_what_is_not_there(kubectl: Kubectl) -> None:
    assert (
        kubectl.fails("top", "pod", "nope")
        == 'Error from server (NotFound): pods "nope" not found\n'
    )
    assert (
        kubectl.fails("top", "node", "nope")
        == 'Error from server (NotFound): nodes "nope" not found\n'
    )
    none = kubectl("top", "pod", "-l", "app=nope")
    assert none.stderr == "No resources found in default namespace.\n"


def test_metrics_are_resources_beside_the_core_ones(kubectl: Kubectl) -> None:
    assert kubectl("get", "nodes.metrics.k8s.io").rows == [
        ["NAME", "CPU", "MEMORY", "WINDOW"],
        ["n1", "1", "512Mi", "15s"],
        ["n2", "123456789n", "100Mi", "15s"],
    ]
    assert kubectl("get", "pods", "-o", "name").lines == ["pod/busy", "pod/idle"]
    shown = kubectl("api-resources", "--api-group=metrics.k8s.io", "--no-headers").rows
    assert shown == [
        ["nodes", "metrics.k8s.io/v1beta1", "false", "NodeMetrics"],
        ["pods", "metrics.k8s.io/v1beta1", "true", "PodMetrics"],
    ]
