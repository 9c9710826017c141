"""Nodes taken out of service and pools told nonsense, with kubectl."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.kubectls import Kubectl, find_kubectl
from tests.support.processes import WORKING, ServeProcess

if TYPE_CHECKING:
    from tests.compat.working import Raw, Working

pytestmark = pytest.mark.kubectl
pytest_plugins = ("tests.compat.working",)

HUGE = 9223372036854775807

# Spec of a pool -> what kubectl says about it, after `The NodePool "odd" is invalid: `.
REFUSED: dict[str, tuple[str, str]] = {
    "no machine at all": ("{}", "spec.machine: Required value"),
    "a machine without memory": ("{machine: {cpu: 8}}", "spec.machine.memory: Required value"),
    "less than no CPU": (
        '{machine: {cpu: "-8", memory: 32Gi}}',
        'spec.machine.cpu: Invalid value: "-8": cpu must be a quantity above zero',
    ),
    "a CPU that is no amount": (
        "{machine: {cpu: lots, memory: 32Gi}}",
        'spec.machine.cpu: Invalid value: "lots": cpu must be a quantity above zero',
    ),
    "no room for pods": (
        "{machine: {cpu: 8, memory: 32Gi, pods: 0}}",
        "spec.machine.pods: Invalid value: 0: spec.machine.pods in body should be greater than or equal to 1",
    ),
    "a minimum above the maximum": (
        "{machine: {cpu: 8, memory: 32Gi}, minimum: 5, maximum: 2}",
        "minimum must not exceed maximum",
    ),
    "a minimum below zero": (
        "{machine: {cpu: 8, memory: 32Gi}, minimum: -1}",
        "spec.minimum: Invalid value: -1: spec.minimum in body should be greater than or equal to 0",
    ),
    "a boot time that is no duration": (
        "{machine: {cpu: 8, memory: 32Gi}, bootTime: soon}",
        'spec.bootTime: Invalid value: "soon"',
    ),
    "a boot time longer than time can be": (
        "{machine: {cpu: 8, memory: 32Gi}, bootTime: 99999999h}",
        'spec.bootTime: Invalid value: "99999999h"',
    ),
    "a runtime nobody has": (
        "{machine: {cpu: 8, memory: 32Gi}, runtime: docker}",
        'spec.runtime: Unsupported value: "docker": supported values: "simulated", "process"',
    ),
    "a label key no node can have": (
        '{machine: {cpu: 8, memory: 32Gi}, labels: {"bad key!": x}}',
        "spec.labels: Invalid value",
    ),
    "a label value no node can have": (
        '{machine: {cpu: 8, memory: 32Gi}, labels: {a: "no value!"}}',
        'spec.labels.a: Invalid value: "no value!"',
    ),
    "a taint with an effect nobody knows": (
        "{machine: {cpu: 8, memory: 32Gi}, taints: [{key: a, effect: Sometimes}]}",
        'spec.taints[0].effect: Unsupported value: "Sometimes"',
    ),
    "a taint key no node can have": (
        '{machine: {cpu: 8, memory: 32Gi}, taints: [{key: "a b", effect: NoSchedule}]}',
        "spec.taints[0].key: Invalid value",
    ),
    "one and a half of a device": (
        '{machine: {cpu: 8, memory: 32Gi, extendedResources: {example.com/fpga: "1.5"}}}',
        "spec.machine.extendedResources",
    ),
    "a simulation of unknown length": (
        "{machine: {cpu: 8, memory: 32Gi}, simulation: {duration: {value: soon}}}",
        'spec.simulation.duration.value: Invalid value: "soon"',
    ),
}


@pytest.mark.parametrize("spec_and_want", REFUSED.values(), ids=REFUSED)
def test_a_pool_of_nonsense_is_refused(working: Working, spec_and_want: tuple[str, str]) -> None:
    spec, want = spec_and_want
    text = (
        f"apiVersion: argosy.dev/v1alpha1\nkind: NodePool\nmetadata: {{name: odd}}\nspec: {spec}\n"
    )
    said = working.fails("create", "--validate=false", "-f", "-", stdin=text)
    assert 'The NodePool "odd" is invalid:' in said
    assert want in said
    assert "NotFound" in working.fails("get", "nodepool", "odd")


def test_a_drain_respects_budgets(working: Working) -> None:
    forever = "trap 'exit 0' TERM; while :; do sleep 0.1; done"
    made = working.deployment("web", forever, 3)
    working("apply", "-f", "-", stdin=made)
    working.wait("deployment/web", "condition=available")
    working("create", "pdb", "web", "--selector=app=web", "--min-available=3")
    working.wait("pdb/web", "jsonpath={.status.currentHealthy}=3")
    pods = working("get", "pods", "-o", "json").json["items"]
    node = pods[0]["spec"]["nodeName"]
    drain = ("drain", node, "--pod-selector=app=web", "--ignore-daemonsets")
    refused = working.kubectl.run(*drain, "--timeout=1s")
    assert refused.code == 1
    want = "Cannot evict pod as it would violate the pod's disruption budget."
    assert want in refused.stderr
    assert len(working("get", "pods", "-o", "name").lines) == 3
    try:
        assert working("get", "node", node).rows[1][1] == "Ready,SchedulingDisabled"
        working("patch", "pdb", "web", "-p", '{"spec": {"minAvailable": 0}}')
        working.wait("pdb/web", "jsonpath={.status.disruptionsAllowed}=3")
        done = working(*drain, "--timeout=50s")
        assert done.lines[-1] == f"node/{node} drained"
        working("rollout", "status", "deployment/web", "--timeout=50s")
        where = working("get", "pods", "-o", "json").json["items"]
        assert {pod["spec"]["nodeName"] for pod in where} & {node} == set()
    finally:
        working("uncordon", node)
    assert working("get", "node", node).rows[1][1] == "Ready"


def test_nonsense_in_annotations_is_told_in_events(working: Working) -> None:
    given = {"argosy.dev/duration": "soon", "argosy.dev/outcome": "sometimes"}
    working.pod("odd", "sleep 600", metadata={"annotations": given}, **working.dreaming)
    working.wait("pod/odd", "condition=ready")
    told = [text for reason, text in working.events("odd") if reason == "InvalidSimulation"]
    assert [text.partition(":")[0] for text in told] == [
        "annotation argosy.dev/duration",
        "annotation argosy.dev/outcome",
    ]
    assert '"soon"' in told[0]
    assert '"sometimes"' in told[1]


def test_a_pool_of_processes_needs_permission(
    private_cluster: Callable[..., ServeProcess], tmp_path: Path
) -> None:
    served = private_cluster(WORKING)
    kubectl = Kubectl(find_kubectl(), served.kubeconfig, tmp_path, "default")
    spec: Raw = {"machine": {"cpu": 8, "memory": "32Gi"}, "minimum": 1, "runtime": "process"}
    pool = {
        "apiVersion": "argosy.dev/v1alpha1",
        "kind": "NodePool",
        "metadata": {"name": "p"},
        "spec": spec,
    }
    kubectl("apply", "-f", "-", stdin=pool)
    kubectl("wait", "--for=condition=ready=false", "nodepool/p", "--timeout=50s")
    message = 'jsonpath={.status.conditions[?(@.type=="Ready")].message}'
    assert "--allow-processes" in kubectl("get", "nodepool", "p", "-o", message).stdout
    assert kubectl("get", "nodes").stdout == ""


# Objects that Kubernetes accepts and that no machine can carry out literally.
EXTREME = f"""
apiVersion: v1
kind: Pod
metadata: {{name: patient}}
spec: {{terminationGracePeriodSeconds: {HUGE}, activeDeadlineSeconds: 2147483647, containers: [{{name: c, image: x, command: [sleep, "60"]}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: greedy}}
spec: {{containers: [{{name: c, image: x, resources: {{requests: {{cpu: "1e30", memory: 7Ei}}}}}}]}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {{name: never}}
spec: {{schedule: "0 0 30 2 *", startingDeadlineSeconds: {HUGE}, jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: x}}]}}}}}}}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: endless}}
spec: {{ttlSecondsAfterFinished: 2147483647, activeDeadlineSeconds: {HUGE}, backoffLimit: 2147483647, template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: x, command: ["true"]}}]}}}}}}
"""


def test_extreme_numbers_harm_nobody_else(working: Working) -> None:
    node: Raw = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"giant-{working.namespace[-5:]}"},
        "spec": {"taints": [{"key": "giant", "effect": "NoSchedule"}]},
        "status": {"capacity": {"cpu": "1e30", "memory": "1000Ei", "pods": "1e9"}},
    }
    working("create", "-f", "-", stdin=node)
    try:
        working("create", "-f", "-", stdin=EXTREME)
        working.wait("pod/patient", "condition=ready")
        working.wait("job/endless", "condition=complete")
        working.wait("pod/greedy", "condition=PodScheduled=false")
        working.pod("innocent", "echo fine")
        working.wait("pod/innocent", "jsonpath={.status.phase}=Succeeded")
        working("delete", "pod", "patient", "--grace-period=1", "--timeout=50s")
    finally:
        working("delete", "node", node["metadata"]["name"])
