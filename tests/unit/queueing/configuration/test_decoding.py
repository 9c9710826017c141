"""Kueue's Configuration format: what files say, what is filled in, what is refused and how."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from argosy.queueing.configuration import Configuration, ConfigurationError, decode
from argosy.queueing.configuration.gates import GATES
from argosy.queueing.configuration.settings import (
    AdmissionFairSharing,
    Amount,
    Duration,
    FairSharing,
    RequeuingStrategy,
    ResourceTransformation,
    WaitForPodsReady,
)

_GATES = Path("/work/shared/fixtures/kueue/feature-gate-defaults.json")


def _v2(text: str = "") -> bytes:
    return f"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n{text}".encode()


def _v1(text: str = "") -> bytes:
    return f"apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n{text}".encode()


def test_empty_file_is_the_defaults() -> None:
    assert decode(_v2()) == Configuration()


def test_pods_are_waited_for_by_default_in_v1beta2_alone() -> None:
    waiting = decode(_v2()).wait_for_pods_ready
    assert waiting == WaitForPodsReady(Duration(1800), recovery_timeout=Duration(1800))
    assert decode(_v1()).wait_for_pods_ready is None


@dataclass
class Waiting:
    given: bytes
    want: WaitForPodsReady | None


WAITING = {
    "the recovery timeout is the timeout": Waiting(
        _v2("waitForPodsReady: {timeout: 5m}"),
        WaitForPodsReady(Duration(300), recovery_timeout=Duration(300)),
    ),
    "a recovery timeout of zero is none": Waiting(
        _v2("waitForPodsReady: {timeout: 5m, recoveryTimeout: 0s}"),
        WaitForPodsReady(Duration(300)),
    ),
    "null is no word": Waiting(
        _v2("waitForPodsReady: null"),
        WaitForPodsReady(Duration(1800), recovery_timeout=Duration(1800)),
    ),
    "a gate turns it off": Waiting(_v2("featureGates: {DisableWaitForPodsReady: true}"), None),
    "v1beta1 blocks admission and gives recovery any time": Waiting(
        _v1("waitForPodsReady: {enable: true}"), WaitForPodsReady(Duration(300), True)
    ),
    "v1beta1 without enable is off": Waiting(_v1("waitForPodsReady: {timeout: 5m}"), None),
    "a requeuing strategy keeps its other defaults": Waiting(
        _v1(
            "waitForPodsReady:\n  enable: true\n  blockAdmission: false\n"
            "  requeuingStrategy: {timestamp: Creation, backoffLimitCount: 2}"
        ),
        WaitForPodsReady(
            Duration(300), requeuing_strategy=RequeuingStrategy("Creation", backoff_limit_count=2)
        ),
    ),
}


@pytest.mark.parametrize("case", WAITING.values(), ids=WAITING.keys())
def test_waiting_for_pods(case: Waiting) -> None:
    assert decode(case.given).wait_for_pods_ready == case.want


def test_everything_controllers_use_is_read() -> None:
    got = decode(
        _v2("""
namespace: queueing
manageJobsWithoutQueueName: true
managedJobsNamespaceSelector: {matchLabels: {team: a}}
integrations:
  frameworks: [batch/job, pod]
  externalFrameworks: [Foo.v1.example.com]
  labelKeysToCopy: [team]
fairSharing: {preemptionStrategies: [LessThanInitialShare]}
admissionFairSharing: {usageHalfLifeTime: 168h, resourceWeights: {cpu: 2}}
resources:
  quotaCheckStrategy: IgnoreUndeclared
  excludeResourcePrefixes: [example.com/]
  transformations: [{input: cpu, outputs: {example.com/credits: 0.5, x: 10m}}]
objectRetentionPolicies: {workloads: {afterFinished: 1h, afterDeactivatedByKueue: 0s}}
featureGates: {PriorityBoost: true}
metrics: {enableClusterQueueResources: true, localQueueMetrics: {enable: false}}
webhook: {port: 9443}
leaderElection: {leaderElect: true}
""")
    )
    assert got.namespace == "queueing"
    assert got.manage_jobs_without_queue_name
    assert got.managed_namespaces.matches({"team": "a"})
    assert not got.managed_namespaces.matches({"team": "b"})
    assert got.integrations.frameworks == ("batch/job", "pod")
    assert got.integrations.label_keys_to_copy == ("team",)
    assert got.fair_sharing == FairSharing(("LessThanInitialShare",))
    assert got.admission_fair_sharing == AdmissionFairSharing(
        Duration(168 * 3600), Duration(300), {"cpu": 2.0}
    )
    assert got.resources.quota_check_strategy == "IgnoreUndeclared"
    assert got.resources.exclude_resource_prefixes == ("example.com/",)
    assert got.resources.transformations == (
        ResourceTransformation(
            "cpu", outputs={"example.com/credits": Amount("0.5"), "x": Amount("10m")}
        ),
    )
    assert got.object_retention_policies.workloads.after_finished == 3600
    assert got.object_retention_policies.workloads.after_deactivated_by_kueue == 0
    assert got.feature_gates == {"PriorityBoost": True}
    assert got.metrics.enable_cluster_queue_resources
    assert not got.metrics.local_queue_metrics.enable


def test_namespaces_of_the_system_are_left_alone_by_default() -> None:
    managed = decode(_v2()).managed_namespaces
    key = "kubernetes.io/metadata.name"
    assert [managed.matches({key: name}) for name in ("team", "kube-system", "kueue-system")] == [
        True, False, False,
    ]  # fmt: skip


def test_v1beta1_turns_fair_sharing_on_inside_its_block() -> None:
    assert decode(_v1("fairSharing: {enable: true}")).fair_sharing == FairSharing()
    assert decode(_v1("fairSharing: {preemptionStrategies: []}")).fair_sharing is None


REFUSED = {
    "another kind": (
        b"apiVersion: v1\nkind: ConfigMap\n",
        (
            'no kind "ConfigMap" is registered for version "v1"; expected kind Configuration of '
            "config.kueue.x-k8s.io/v1beta1 or config.kueue.x-k8s.io/v1beta2"
        ),
    ),
    "another version": (
        b"apiVersion: config.kueue.x-k8s.io/v1alpha1\nkind: Configuration\n",
        (
            'no kind "Configuration" is registered for version "config.kueue.x-k8s.io/v1alpha1"; expected kind '
            "Configuration of config.kueue.x-k8s.io/v1beta1 or config.kueue.x-k8s.io/v1beta2"
        ),
    ),
    "not an object": (b"- 1\n", "expected an object with apiVersion and kind"),
    "not YAML": (b"a: [", "yaml: line 1: did not find expected node content"),
    "unknown fields, all of them": (
        _v2("foo: 1\nwaitForPodsReady: {enable: true}\nresources: {transformations: [{in: x}]}"),
        (
            'strict decoding error: unknown field "foo", unknown field "waitForPodsReady.enable", '
            'unknown field "resources.transformations[0].in"'
        ),
    ),
    "pod options, which would widen what is managed if dropped": (
        _v1("integrations: {podOptions: {podSelector: {}}}"),
        'strict decoding error: unknown field "integrations.podOptions"',
    ),
    "a wrong type": (
        _v2("manageJobsWithoutQueueName: 'yes'"),
        "Expected `bool`, got `str` - at `$.manageJobsWithoutQueueName`",
    ),
    "a duration that is none": (
        _v2("waitForPodsReady: {timeout: 5x}"),
        'time: unknown unit "x" in duration "5x" - at `$.waitForPodsReady.timeout`',
    ),
    "negative durations and counts": (
        _v2(
            "waitForPodsReady: {timeout: -1s, requeuingStrategy: {backoffLimitCount: -1, timestamp: Now}}"
        ),
        (
            '[waitForPodsReady.timeout: Invalid value: "-1s": must be greater than or equal to 0, '
            'waitForPodsReady.recoveryTimeout: Invalid value: "-1s": must be greater than or equal to 0, '
            'waitForPodsReady.requeuingStrategy.timestamp: Unsupported value: "Now": supported values: "Creation", "Eviction", '
            "waitForPodsReady.requeuingStrategy.backoffLimitCount: Invalid value: -1: must be greater than or equal to 0]"
        ),
    ),
    "frameworks twice and outside": (
        _v2(
            "integrations: {frameworks: [pod, pod], externalFrameworks: [Pod, Foo.v1.bar, Foo.v1.bar]}"
        ),
        (
            '[integrations.frameworks[1]: Duplicate value: "pod", '
            'integrations.externalFrameworks[0]: Invalid value: "Pod": must be format, '
            "'Kind.version.group.com', "
            'integrations.externalFrameworks[2]: Duplicate value: "Foo.v1.bar"]'
        ),
    ),
    "fair sharing without strategies": (
        _v2("fairSharing: {}"),
        (
            'fairSharing.preemptionStrategies: Unsupported value: []: supported values: "LessThanInitialShare", '
            '"LessThanOrEqualToFinalShare", "LessThanOrEqualToFinalShare,LessThanInitialShare"'
        ),
    ),
    "a selector that holds back the system": (
        _v2("managedJobsNamespaceSelector: {matchExpressions: [{key: x, operator: DoesNotExist}]}"),
        (
            '[managedJobsNamespaceSelector: Invalid value: {"matchExpressions":[{"key":"x","operator":"DoesNotExist"}]}: '
            'should not match the "kube-system" namespace, managedJobsNamespaceSelector: Invalid value: '
            '{"matchExpressions":[{"key":"x","operator":"DoesNotExist"}]}: should not match the "kueue-system" namespace]'
        ),
    ),
    "a transformation twice, with a strategy of its own": (
        _v2(
            "resources: {transformations: [{input: a, strategy: Drop}, {input: a, outputs: {b: x}}]}"
        ),
        (
            '[resources.transformations[0].strategy: Unsupported value: "Drop": supported values: "Replace", "Retain", '
            'resources.transformations[1].input: Duplicate value: "a", '
            'resources.transformations[1].outputs[b]: Invalid value: "x": quantities must match the regular expression '
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$']"
        ),
    ),
    "admission fair sharing": (
        _v2(
            "admissionFairSharing: {usageHalfLifeTime: -1h, usageSamplingInterval: 0s, resourceWeights: {cpu: -1}}"
        ),
        (
            '[admissionFairSharing.usageHalfLifeTime: Invalid value: "-1h0m0s": must be greater than or equal to 0, '
            'admissionFairSharing.usageSamplingInterval: Invalid value: "0s": must be greater than 0, '
            "admissionFairSharing.resourceWeights[cpu]: Invalid value: -1: must be greater than or equal to 0]"
        ),
    ),
    "gates nobody knows, and one that cannot be turned off": (
        _v2("featureGates: {Foo: true, FlavorFungibility: false, ConcurrentAdmission: false}"),
        (
            "[featureGates[Foo]: Invalid value: true: unrecognized feature gate: Foo, "
            "featureGates[FlavorFungibility]: Forbidden: is always on here; remove the gate]"
        ),
    ),
}


@pytest.mark.parametrize(("given", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(given: bytes, want: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        decode(given, name="f.yaml")
    assert str(caught.value) == f"f.yaml: {want}"


@pytest.mark.skipif(not _GATES.exists(), reason="Kueue's cases are not on this machine")
def test_gates_are_upstreams() -> None:
    assert json.loads(_GATES.read_bytes()) == dict(GATES)
