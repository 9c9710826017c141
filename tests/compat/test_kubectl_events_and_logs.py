"""`kubectl get events`, `kubectl events` and `kubectl logs`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compat.objects import job, pod
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl


def event(name: str, kind: str, subject: str, namespace: str, **more: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": namespace},
        "involvedObject": {
            "kind": kind,
            "name": subject,
            "namespace": namespace,
            "apiVersion": "v1",
        },
        "reason": "Noted",
        "message": f"{name} happened",
        "type": "Normal",
        "lastTimestamp": "2026-01-02T03:04:05Z",
        **more,
    }


@pytest.fixture
def noted(kubectl: Kubectl, api: Connection) -> Kubectl:
    """Two events of a pod, one of them a warning, and one of a job."""
    namespace = kubectl.namespace
    path = f"/api/v1/namespaces/{namespace}/events"
    api.create(path, event("first", "Pod", "p", namespace))
    late = {"type": "Warning", "reason": "Failed", "lastTimestamp": "2026-01-02T04:04:05Z"}
    api.create(path, event("second", "Pod", "p", namespace, **late))
    api.create(path, event("third", "Job", "j", namespace))
    return kubectl


def test_the_table_of_events(noted: Kubectl) -> None:
    head, *rows = noted("get", "events", "--sort-by=.metadata.name").rows
    assert head == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert [row[1:] for row in rows] == [
        ["Normal", "Noted", "pod/p", "first", "happened"],
        ["Warning", "Failed", "pod/p", "second", "happened"],
        ["Normal", "Noted", "job/j", "third", "happened"],
    ]


SELECTIONS = {
    "type=Warning": ["second"],
    "reason=Noted": ["first", "third"],
    "involvedObject.name=p": ["first", "second"],
    "involvedObject.kind=Job": ["third"],
    "involvedObject.kind=Pod,type!=Warning": ["first"],
}


@pytest.mark.parametrize("selector", SELECTIONS)
def test_events_by(noted: Kubectl, selector: str) -> None:
    shape = ["-o", "jsonpath={.items[*].metadata.name}"]
    got = noted("get", "events", "--field-selector", selector, *shape).stdout.split()
    assert got == SELECTIONS[selector]


def test_kubectl_events(noted: Kubectl) -> None:
    rows = noted("events", "--for", "pod/p", "--no-headers").rows
    assert [row[-2] for row in rows] == ["first", "second"]
    rows = noted("events", "--types=Warning", "--no-headers").rows
    assert [row[-2] for row in rows] == ["second"]


def test_an_event_is_seen_through_both_groups(noted: Kubectl) -> None:
    got = noted("get", "events.v1.events.k8s.io", "first", "-o", "json").json
    assert got["note"] == "first happened"
    assert got["regarding"]["name"] == "p"
    assert got["deprecatedLastTimestamp"] == "2026-01-02T03:04:05Z"


def test_logs_of_a_pod_nobody_runs_are_empty(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=pod("p"))
    assert kubectl("logs", "p").stdout == ""
    assert kubectl("logs", "pod/p", "--tail=5", "--timestamps", "--since=1h").stdout == ""


def test_logs_of_several_containers_need_one(kubectl: Kubectl) -> None:
    raw = pod("p", "app:v1", "side:v1")
    raw["spec"]["initContainers"] = [{"name": "init", "image": "app:v1"}]
    kubectl("create", "-f", "-", stdin=raw)
    assert kubectl("logs", "p", "-c", "c1").stdout == ""
    assert kubectl("logs", "p", "--all-containers").stdout == ""
    got = kubectl.fails("logs", "p", "-c", "nope")
    assert "container nope is not valid for pod p" in got


def test_logs_of_nothing(kubectl: Kubectl) -> None:
    got = kubectl.fails("logs", "nope")
    assert 'rror from server (NotFound): pods "nope" not found' in got
    kubectl("create", "-f", "-", stdin=job("once"))
    assert "timed out waiting for the condition" in kubectl.fails(
        "logs", "job/once", "--pod-running-timeout=100ms"
    )


def test_bad_log_options(kubectl: Kubectl, api: Connection) -> None:
    kubectl("create", "-f", "-", stdin=pod("p"))
    path = f"/api/v1/namespaces/{kubectl.namespace}/pods/p/log"
    got = api.request("GET", f"{path}?tailLines=-1&limitBytes=0")
    assert (got.code, got.body["reason"]) == (422, "Invalid")
    assert {cause["field"] for cause in got.body["details"]["causes"]} == {
        "tailLines",
        "limitBytes",
    }
    assert api.request("GET", f"{path}?tailLines=many").code == 400
    several = api.create(
        f"/api/v1/namespaces/{kubectl.namespace}/pods", pod("q", "app:v1", "side:v1")
    )
    assert several["metadata"]["name"] == "q"
    got = api.request("GET", f"/api/v1/namespaces/{kubectl.namespace}/pods/q/log")
    assert got.body["message"] == (
        "a container name must be specified for pod q, choose one of: [c0 c1]"
    )
