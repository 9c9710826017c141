"""What kubectl prints about a cluster at work: tables, descriptions, rollouts. It must read as on Kubernetes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.compat.working import Working

pytestmark = pytest.mark.kubectl
pytest_plugins = ("tests.compat.working",)

FOREVER = "trap 'exit 0' TERM; echo up; while :; do sleep 0.1; done"


def lines_with(text: str, *starts: str) -> list[str]:
    """Lines that start with one of these words, blanks squeezed."""
    squeezed = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in squeezed if line.startswith(starts)]


def test_a_job_described(working: Working) -> None:
    job = working.job("hello", "echo hi", completions=2, parallelism=2)
    working("apply", "-f", "-", stdin=job)
    working.wait("job/hello", "condition=complete")
    got = working("describe", "job", "hello").stdout
    starts = ("Parallelism", "Completions", "Completion Mode", "Suspend", "Pods Statuses", "Normal")
    found = lines_with(got, *starts)
    assert found[:5] == [
        "Parallelism: 2",
        "Completions: 2",
        "Completion Mode: NonIndexed",
        "Suspend: false",
        "Pods Statuses: 0 Active (0 Ready) / 2 Succeeded / 0 Failed",
    ]
    words = [re.sub(r"hello-\w{5}", "POD", re.sub(r" \d+s ", " 1s ", line)) for line in found[5:]]
    assert words == [
        "Normal SuccessfulCreate 1s job-controller Created pod: POD",
        "Normal SuccessfulCreate 1s job-controller Created pod: POD",
        "Normal Completed 1s job-controller Job completed",
    ]
    wide = working("get", "jobs", "-o", "wide").rows
    assert wide[0] == ["NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"]  # fmt: skip
    assert (wide[1][:3], wide[1][5:7]) == (["hello", "Complete", "2/2"], ["main", "ubuntu:22.04"])


def test_a_pod_described(working: Working) -> None:
    working.pod("demo", FOREVER, policy="Always", container={"env": [{"name": "A", "value": "b"}]})
    working.wait("pod/demo", "condition=ready")
    wide = working("get", "pods", "-o", "wide").rows
    assert wide[0][:7] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE"]
    assert wide[1][:4] == ["demo", "1/1", "Running", "0"]
    node = wide[1][6]
    assert node.startswith("hands-")
    got = working("describe", "pod", "demo").stdout
    assert lines_with(got, "Status:", "State:", "Ready:", "Restart Count:", "QoS") == [
        "Status: Running",
        "State: Running",
        "Ready: True",
        "Restart Count: 0",
        "QoS Class: BestEffort",
    ]
    events = [line.split()[1] for line in lines_with(got, "Normal", "Warning")]
    assert events == ["Scheduled", "Pulled", "Created", "Started"]
    assert f"Successfully assigned {working.namespace}/demo to {node}" in got


def test_a_node_described_and_listed(working: Working) -> None:
    working("wait", "--for=condition=ready", "node", "--all", "--timeout=50s")
    wide = working("get", "nodes", "-o", "wide", "-l", "argosy.dev/nodepool=hands").rows
    assert wide[0][:5] == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert [row[1] for row in wide[1:]] == ["Ready", "Ready"]
    got = working("describe", "node", wide[1][0]).stdout
    kinds = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    assert [line.split()[:2] for line in lines_with(got, *kinds)] == [
        ["MemoryPressure", "False"],
        ["DiskPressure", "False"],
        ["PIDPressure", "False"],
        ["Ready", "True"],
    ]
    assert "kubelet is posting ready status" in got
    assert lines_with(got, "Taints:", "Unschedulable:") == [
        "Taints: <none>",
        "Unschedulable: false",
    ]


def test_a_deployment_rolled_out_undone_restarted_and_scaled(working: Working) -> None:
    working("apply", "-f", "-", stdin=working.deployment("web", FOREVER, 2))
    done = 'deployment "web" successfully rolled out'
    status = ("rollout", "status", "deployment/web", "--timeout=50s")
    assert working(*status).lines[-1] == done
    working.wait("deployment/web", "condition=available")
    wide = working("get", "deployment", "-o", "wide").rows
    assert wide[1][:4] == ["web", "2/2", "2", "2"]
    assert wide[1][5:] == ["main", "ubuntu:22.04", "app=web"]
    working("set", "env", "deployment/web", "GREETING=hello")
    assert working(*status).lines[-1] == done
    assert working("rollout", "history", "deployment/web").rows[1:4] == [
        ["REVISION", "CHANGE-CAUSE"],
        ["1", "<none>"],
        ["2", "<none>"],
    ]
    assert (
        working("rollout", "undo", "deployment/web").stdout == "deployment.apps/web rolled back\n"
    )
    assert working(*status).lines[-1] == done
    env = "jsonpath={.spec.template.spec.containers[0].env}"
    assert working("get", "deployment", "web", "-o", env).stdout == ""
    working("rollout", "restart", "deployment/web")
    working("scale", "deployment/web", "--replicas=3")
    assert working(*status).lines[-1] == done
    got = working("describe", "deployment", "web").stdout
    assert lines_with(got, "Replicas:", "StrategyType:") == [
        "Replicas: 3 desired | 3 updated | 3 total | 3 available | 0 unavailable",
        "StrategyType: RollingUpdate",
    ]
    assert set(lines_with(got, "Available", "Progressing")) == {
        "Available True MinimumReplicasAvailable",
        "Progressing True NewReplicaSetAvailable",
    }
    working("scale", "deployment/web", "--replicas=0")
    working.until(lambda: working("get", "pods").stdout == "")


def test_resources_used_by_pods_and_nodes(working: Working) -> None:
    # The pod runs since the cluster began: usage is measured every 15 s.
    top = ("top", "pod", "busy", "--containers", "--namespace=default")
    rows = working.until(
        lambda: working.kubectl.run(*top).rows,
        lambda rows: len(rows) == 2 and rows[1][2] != "0m",
    )
    assert rows[0] == ["POD", "NAME", "CPU(cores)", "MEMORY(bytes)"]
    assert rows[1][:2] == ["busy", "main"]
    nodes = working("top", "node").rows
    assert nodes[0] == ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"]
    assert len(nodes) >= 4
