"""`kubectl describe`: it reads an object, what belongs to it and its events, and prints all of it."""

from __future__ import annotations

import re

import pytest

from tests.compat.objects import config_map, definition, deployment, job, pod
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl


def described(kubectl: Kubectl, kind: str, name: str) -> dict[str, str]:
    """The lines `Key:  value` of a description that stand at its margin."""
    text = kubectl("describe", kind, name).stdout
    return {key: value.strip() for key, value in re.findall(r"(?m)^(\S[^:\n]*):(.*)$", text)}


def test_pod(kubectl: Kubectl) -> None:
    raw = pod("p", app="web")
    raw["spec"]["containers"][0] |= {
        "env": [{"name": "A", "value": "b"}],
        "ports": [{"containerPort": 80}],
        "resources": {"limits": {"cpu": "100m", "memory": "64Mi"}},
    }
    kubectl("create", "-f", "-", stdin=raw)
    got = described(kubectl, "pod", "p")
    assert got["Name"] == "p"
    assert got["Namespace"] == kubectl.namespace
    assert got["Service Account"] == "default"
    assert got["Labels"] == "app=web"
    assert got["Status"] == "Pending"
    assert got["QoS Class"] == "Guaranteed"
    assert got["Events"] == "<none>"
    text = kubectl("describe", "pod", "p").stdout
    for want in (
        r"Image: +app:v1",
        r"Port: +80/TCP",
        r"A: +b",
        r"/var/run/secrets/kubernetes\.io/serviceaccount from kube-api-access-\w{5} \(ro\)",
        r"Tolerations: +node\.kubernetes\.io/not-ready:NoExecute op=Exists for 300s",
    ):
        assert re.search(want, text), want


def test_the_events_of_a_pod(kubectl: Kubectl, api: Connection) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}"
    made = api.create(f"{path}/pods", pod("p"))
    involved = {
        "kind": "Pod",
        "namespace": kubectl.namespace,
        "name": "p",
        "uid": made["metadata"]["uid"],
    }
    other = {**involved, "uid": "0a0a0a0a-0000-4000-8000-000000000000"}
    for name, subject in (("mine", involved), ("other", other)):
        event = {
            "metadata": {"name": name},
            "involvedObject": subject,
            "reason": "Scheduled",
            "message": f"{name} was noted",
            "type": "Normal",
            "source": {"component": "tester"},
        }
        api.create(f"{path}/events", event)
    text = kubectl("describe", "pod", "p").stdout
    assert re.search(r"Normal +Scheduled +\S+ +tester +mine was noted", text)
    assert "other was noted" not in text


def test_deployment(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web", replicas=3))
    got = described(kubectl, "deployment", "web")
    assert got["Selector"] == "app=web"
    assert got["Replicas"] == "3 desired | 0 updated | 0 total | 0 available | 0 unavailable"
    assert got["StrategyType"] == "RollingUpdate"
    assert got["RollingUpdateStrategy"] == "25% max unavailable, 25% max surge"


def test_job(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=job("once"))
    uid = kubectl("get", "job", "once", "-o", "jsonpath={.metadata.uid}").stdout
    got = described(kubectl, "job", "once")
    assert got["Selector"] == f"batch.kubernetes.io/controller-uid={uid}"
    assert got["Parallelism"] == "1"
    assert got["Completions"] == "1"
    assert got["Completion Mode"] == "NonIndexed"
    assert got["Pods Statuses"] == "0 Active / 0 Succeeded / 0 Failed"


def test_node(kubectl: Kubectl, api: Connection) -> None:
    name = f"{kubectl.namespace}-node"
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"zone": "a"}},
        "spec": {"podCIDR": "10.1.0.0/24"},
    }
    kubectl("create", "-f", "-", stdin=node)
    capacity = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    api.merge(
        f"/api/v1/nodes/{name}/status", {"status": {"capacity": capacity, "allocatable": capacity}}
    )
    raw = pod("p")
    raw["spec"]["nodeName"] = name
    raw["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    kubectl("create", "-f", "-", stdin=raw)
    text = kubectl("describe", "node", name).stdout
    assert re.search(r"Labels: +zone=a", text)
    assert re.search(r"PodCIDR: +10\.1\.0\.0/24", text)
    assert "Non-terminated Pods:          (1 in total)" in text
    assert re.search(rf"{kubectl.namespace} +p +1 \(25%\)", text)
    kubectl("delete", "pod", "p", "--force", "--grace-period=0")
    kubectl("delete", "node", name)


def test_namespace_with_quota_and_limits(kubectl: Kubectl, api: Connection) -> None:
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "limits"},
        "spec": {
            "limits": [
                {"type": "Container", "default": {"cpu": "500m"}, "max": {"cpu": "2"}},
            ]
        },
    }
    kubectl("create", "quota", "quota", "--hard=configmaps=9")
    kubectl("create", "-f", "-", stdin=limits)
    kubectl("wait", "--for=jsonpath={.status.used.configmaps}", "quota/quota", "--timeout=20s")
    text = kubectl("describe", "namespace", kubectl.namespace).stdout
    assert re.search(r"Status: +Active", text)
    assert re.search(r"configmaps +\d +9", text)
    assert re.search(r"Container +cpu +- +2 +500m +500m +-", text)
    assert re.search(r"Container +cpu +- +2 +500m", kubectl("describe", "limitrange").stdout)
    assert re.search(r"configmaps +\d +9", kubectl("describe", "quota", "quota").stdout)


def test_service_and_its_endpoints(kubectl: Kubectl, api: Connection) -> None:
    kubectl("create", "service", "clusterip", "svc", "--tcp=80:8080")
    got = described(kubectl, "service", "svc")
    assert got["Type"] == "ClusterIP"
    assert got["Port"].split() == ["80-8080", "80/TCP"]
    assert got["Endpoints"] in {"", "<none>"}
    piece = {
        "addressType": "IPv4",
        "metadata": {"name": "svc-1", "labels": {"kubernetes.io/service-name": "svc"}},
        "endpoints": [{"addresses": ["10.0.0.9"], "conditions": {"ready": True}}],
        "ports": [{"name": "80-8080", "port": 8080, "protocol": "TCP"}],
    }
    api.create(f"/apis/discovery.k8s.io/v1/namespaces/{kubectl.namespace}/endpointslices", piece)
    assert described(kubectl, "service", "svc")["Endpoints"] == "10.0.0.9:8080"


def test_configmap_and_secret(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app", {"file": "one\ntwo\n"}))
    kubectl("create", "secret", "generic", "sec", "--from-literal=password=word")
    assert "file:\n----\none\ntwo\n" in kubectl("describe", "cm", "app").stdout
    text = kubectl("describe", "secret", "sec").stdout
    assert re.search(r"password: +4 bytes", text)
    assert "word\n" not in text


def test_access_objects(kubectl: Kubectl) -> None:
    kubectl("create", "role", "r", "--verb=get,list", "--resource=pods")
    kubectl("create", "rolebinding", "rb", "--role=r", "--user=jane")
    assert re.search(r"pods +\[\] +\[\] +\[get list\]", kubectl("describe", "role", "r").stdout)
    assert re.search(r"User +jane", kubectl("describe", "rolebinding", "rb").stdout)
    view = kubectl("describe", "clusterrole", "view").stdout
    assert re.search(r"deployments\.apps +\[\] +\[\] +\[get list watch\]", view)


def test_an_object_of_a_custom_kind(kubectl: Kubectl) -> None:
    group = f"{kubectl.namespace}.example.com"
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
        },
    }
    kubectl("create", "-f", "-", stdin=definition(group, "Widget", schema))
    kubectl("wait", "--for=condition=Established", f"crd/widgets.{group}", "--timeout=20s")
    raw = {
        "apiVersion": f"{group}/v1",
        "kind": "Widget",
        "metadata": {"name": "w"},
        "spec": {"size": 3},
    }
    kubectl("create", "-f", "-", stdin=raw)
    got = kubectl("describe", f"widgets.{group}", "w").stdout
    assert re.search(r"Kind: +Widget", got)
    assert re.search(r"Spec:\n +Size: +3\n", got)
    assert re.search(
        r"Accepted Names:\n +Kind: +Widget", kubectl("describe", "crd", f"widgets.{group}").stdout
    )
    kubectl("delete", "crd", f"widgets.{group}")
