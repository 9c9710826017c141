"""Nodes by kubectl: cordon, taint, label, drain; and the pods on them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.compat.objects import pod
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl


@pytest.fixture
def node(kubectl: Kubectl, api: Connection) -> Iterator[str]:
    """A node that nobody runs, with no taints."""
    name = f"{kubectl.namespace}-node"
    api.create("/api/v1/nodes", {"metadata": {"name": name}})
    api.merge(f"/api/v1/nodes/{name}", {"spec": {"taints": None}})
    yield name
    api.request("DELETE", f"/api/v1/nodes/{name}")


def taints(kubectl: Kubectl, node: str) -> list[str]:
    shape = "jsonpath={range .spec.taints[*]}{.key}={.value}:{.effect} {end}"
    return kubectl("get", "node", node, "-o", shape).stdout.split()


def test_the_table_of_nodes(kubectl: Kubectl, node: str, api: Connection) -> None:
    assert kubectl("get", "node", node, "--no-headers").rows[0][:3] == [node, "Unknown", "<none>"]
    ready = {"type": "Ready", "status": "True"}
    info = {"kubeletVersion": "v1.35.4"}
    addresses = [{"type": "InternalIP", "address": "10.0.0.3"}]
    api.merge(
        f"/api/v1/nodes/{node}", {"metadata": {"labels": {"node-role.kubernetes.io/gpu": ""}}}
    )
    api.merge(
        f"/api/v1/nodes/{node}/status",
        {"status": {"conditions": [ready], "nodeInfo": info, "addresses": addresses}},
    )
    head, row = kubectl("get", "node", node, "-o", "wide").rows
    assert head[:5] == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert [*row[:3], *row[4:7]] == [node, "Ready", "gpu", "v1.35.4", "10.0.0.3", "<none>"]


def test_cordon_and_uncordon(kubectl: Kubectl, node: str) -> None:
    assert kubectl("cordon", node).stdout == f"node/{node} cordoned\n"
    assert kubectl("get", "node", node, "--no-headers").rows[0][1] == "Unknown,SchedulingDisabled"
    assert kubectl("cordon", node).stdout == f"node/{node} already cordoned\n"
    got = kubectl("get", "nodes", "--field-selector=spec.unschedulable=true", "-o", "name").lines
    assert f"node/{node}" in got
    assert kubectl("uncordon", node).stdout == f"node/{node} uncordoned\n"


def test_taint_and_untaint(kubectl: Kubectl, node: str) -> None:
    said = kubectl("taint", "node", node, "gpu=yes:NoSchedule", "old:NoExecute").stdout
    assert said == f"node/{node} tainted\n"
    assert sorted(taints(kubectl, node)) == ["gpu=yes:NoSchedule", "old=:NoExecute"]
    got = kubectl.fails("taint", "node", node, "gpu=no:NoSchedule")
    assert "already has gpu taint(s) with same effect(s) and --overwrite is false" in got
    assert kubectl("taint", "node", node, "gpu-", "old:NoExecute-").stdout == (
        f"node/{node} untainted\n"
    )
    assert taints(kubectl, node) == []


def test_a_bad_taint_is_refused(kubectl: Kubectl, node: str) -> None:
    wrong = '{"spec":{"taints":[{"key":"a b","effect":"Sometimes"}]}}'
    got = kubectl.fails("patch", "node", node, "-p", wrong)
    assert 'metadata.taints[0].key: Invalid value: "a b": name part must consist of' in got
    assert 'metadata.taints[0].effect: Unsupported value: "Sometimes": supported values: ' in got


def test_drain_evicts_the_pods(kubectl: Kubectl, node: str, api: Connection) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}/pods"
    raw = pod("p", app="web")
    raw["spec"] |= {"nodeName": node, "terminationGracePeriodSeconds": 0}
    api.create(path, raw)
    got = kubectl("drain", node, "--force", "--timeout=20s")
    assert f"evicting pod {kubectl.namespace}/p" in got.stdout + got.stderr
    assert f"node/{node} drained" in got.stdout
    assert api.request("GET", f"{path}/p").code == 404


def test_a_budget_refuses_an_eviction(kubectl: Kubectl, node: str, api: Connection) -> None:
    namespace = f"/api/v1/namespaces/{kubectl.namespace}"
    api.create(f"{namespace}/pods", pod("p", app="web"))
    kubectl("create", "pdb", "budget", "--selector=app=web", "--min-available=1")
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    api.merge(f"{namespace}/pods/p/status", ready)
    status = {
        "observedGeneration": 1,
        "disruptionsAllowed": 0,
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
    }
    budget = f"/apis/policy/v1/namespaces/{kubectl.namespace}/poddisruptionbudgets/budget"
    api.merge(f"{budget}/status", {"status": status})
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    got = api.request("POST", f"{namespace}/pods/p/eviction", eviction)
    assert (got.code, got.body["reason"]) == (429, "TooManyRequests")
    assert got.body["message"] == (
        "Cannot evict pod as it would violate the pod's disruption budget."
    )
    assert api.request("GET", f"{namespace}/pods/p").code == 200


def test_binding_gives_a_pod_its_node(kubectl: Kubectl, node: str, api: Connection) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}/pods"
    api.create(path, pod("p"))
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "p"},
        "target": {"kind": "Node", "name": node},
    }
    api.create(f"{path}/p/binding", binding)
    got = kubectl("get", "pods", f"--field-selector=spec.nodeName={node}", "-o", "json").json
    (item,) = got["items"]
    assert item["spec"]["nodeName"] == node
    (scheduled,) = item["status"]["conditions"]
    assert (scheduled["type"], scheduled["status"]) == ("PodScheduled", "True")
    again = api.request("POST", f"{path}/p/binding", binding)
    assert (again.code, again.body["reason"]) == (409, "Conflict")
