"""What kubectl says when a user is wrong: the same words as on any cluster."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compat.objects import config_map, deployment, job, pod
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl


def with_value(raw: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """`raw` with the value at a dotted path; None takes it away."""
    *steps, last = path.split(".")
    inner: Any = raw
    for step in steps:
        inner = inner[int(step)] if isinstance(inner, list) else inner.setdefault(step, {})
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return raw


def service(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": spec}


def cron(schedule: str) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "x"},
        "spec": {"schedule": schedule, "jobTemplate": {"spec": job("x")["spec"]}},
    }


INVALID: dict[str, tuple[dict[str, Any], str]] = {
    "a name in capitals": (
        config_map("Bad_Name"),
        (
            'The ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain '
            "must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
            "character (e.g. 'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        ),
    ),
    "no name": (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}},
        'The ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ),
    "a key of a config map": (
        config_map("m", {"a b": "1"}),
        (
            'The ConfigMap "m" is invalid: data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric '
            "characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
            "'[-._a-zA-Z0-9]+')"
        ),
    ),
    "a pod without containers": (
        with_value(pod("p"), "spec.containers", []),
        'The Pod "p" is invalid: spec.containers: Required value',
    ),
    "a container without an image": (
        with_value(pod("p"), "spec.containers.0.image", None),
        'The Pod "p" is invalid: spec.containers[0].image: Required value',
    ),
    "two containers of one name": (
        with_value(pod("p", "a", "b"), "spec.containers.1.name", "c0"),
        'The Pod "p" is invalid: spec.containers[1].name: Duplicate value: "c0"',
    ),
    "a restart policy": (
        with_value(pod("p"), "spec.restartPolicy", "Sometimes"),
        (
            'The Pod "p" is invalid: spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", '
            '"OnFailure", "Never"'
        ),
    ),
    "requests over limits": (
        with_value(
            pod("p"),
            "spec.containers.0.resources",
            {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}},
        ),
        (
            'The Pod "p" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal '
            "to cpu limit of 1"
        ),
    ),
    "a quantity": (
        with_value(pod("p"), "spec.containers.0.resources", {"requests": {"cpu": "much"}}),
        (
            'Error from server (BadRequest): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod: '
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        ),
    ),
    "a mount of no volume": (
        with_value(pod("p"), "spec.containers.0.volumeMounts", [{"name": "v", "mountPath": "/v"}]),
        'The Pod "p" is invalid: spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ),
    "a selector that misses its template": (
        with_value(deployment("web"), "spec.selector.matchLabels", {"app": "other"}),
        (
            'The Deployment "web" is invalid: spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does '
            "not match template `labels`"
        ),
    ),
    "replicas below zero": (
        with_value(deployment("web"), "spec.replicas", -1),
        'The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ),
    "a job that restarts always": (
        with_value(job("j"), "spec.template.spec.restartPolicy", "Always"),
        (
            'The Job "j" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", '
            '"Never"'
        ),
    ),
    "a schedule": (
        cron("every day"),
        (
            'The CronJob "x" is invalid: spec.schedule: Invalid value: "every day": expected exactly 5 fields, found 2: '
            "[every day]"
        ),
    ),
    "a service without ports": (
        service(selector={"a": "b"}),
        'The Service "s" is invalid: spec.ports: Required value',
    ),
    "a port": (
        service(ports=[{"port": 70000}]),
        (
            'The Service "s" is invalid: \n* spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, '
            "inclusive\n* spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive"
        ),
    ),
    "a number as text": (
        with_value(deployment("web"), "spec.replicas", "three"),
        (
            'Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a '
            "Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"
        ),
    ),
    "an unknown field": (
        with_value(deployment("web"), "spec.replica", 1),
        (
            'Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a '
            'Deployment: strict decoding error: unknown field "spec.replica"'
        ),
    ),
    "a namespace nobody made": (
        with_value(config_map("m"), "metadata.namespace", "nowhere-at-all"),
        'Error from server (NotFound): error when creating "STDIN": namespaces "nowhere-at-all" not found',
    ),
    "a priority class nobody made": (
        with_value(pod("p"), "spec.priorityClassName", "huge"),
        (
            'Error from server (Forbidden): error when creating "STDIN": pods "p" is forbidden: no PriorityClass with name '
            "huge was found"
        ),
    ),
    "a service account nobody made": (
        with_value(pod("p"), "spec.serviceAccountName", "ghost"),
        (
            'Error from server (Forbidden): error when creating "STDIN": pods "p" is forbidden: error looking up service '
            'account NAMESPACE/ghost: serviceaccount "ghost" not found'
        ),
    ),
}


@pytest.mark.parametrize("case", INVALID)
def test_refused(kubectl: Kubectl, case: str) -> None:
    raw, want = INVALID[case]
    everywhere = kubectl.into("") if raw["metadata"].get("namespace") else kubectl
    got = everywhere.fails("create", "-f", "-", stdin=raw)
    assert got.replace(kubectl.namespace, "NAMESPACE").rstrip("\n") == want


def test_not_found_and_already_exists(kubectl: Kubectl) -> None:
    assert (
        kubectl.fails("get", "pod", "nope")
        == 'Error from server (NotFound): pods "nope" not found\n'
    )
    assert kubectl.fails("get", "deploy", "nope") == (
        'Error from server (NotFound): deployments.apps "nope" not found\n'
    )
    kubectl("create", "-f", "-", stdin=config_map("app"))
    assert kubectl.fails("create", "-f", "-", stdin=config_map("app")) == (
        'Error from server (AlreadyExists): error when creating "STDIN": configmaps "app" already exists\n'
    )


def test_what_cannot_change(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=[pod("p"), job("j"), service(ports=[{"port": 80}])])
    got = kubectl.fails("patch", "pod", "p", "-p", '{"spec":{"nodeSelector":{"a":"b"}}}')
    assert (
        "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`"
        in got
    )
    got = kubectl.fails("patch", "job", "j", "-p", '{"spec":{"completions":9}}')
    assert got == (
        'The Job "j" is invalid: spec.completions: Invalid value: 9: field is immutable\n'
    )
    got = kubectl.fails("patch", "svc", "s", "-p", '{"spec":{"clusterIP":"10.96.9.9"}}')
    assert "may not change once set" in got
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s"},
        "immutable": True,
        "data": {},
    }
    kubectl("create", "-f", "-", stdin=secret)
    got = kubectl.fails("patch", "secret", "s", "-p", '{"stringData":{"a":"b"}}')
    assert got == (
        'The Secret "s" is invalid: data: Forbidden: field is immutable when `immutable` is set\n'
    )


def test_an_object_of_another_namespace(kubectl: Kubectl) -> None:
    raw = with_value(config_map("m"), "metadata.namespace", "default")
    got = kubectl.fails("create", "-f", "-", stdin=raw)
    assert 'the namespace from the provided object "default" does not match the namespace' in got


def test_broken_input(kubectl: Kubectl) -> None:
    assert "error parsing STDIN" in kubectl.fails("create", "-f", "-", stdin="a: [1\n")
    got = kubectl.fails("create", "-f", "-", stdin="kind: ConfigMap\n")
    assert "apiVersion not set" in got
    bad = kubectl.fails("patch", "cm", "m", "--type=json", "-p", '[{"op":"leap"}]')
    assert 'configmaps "m" not found' in bad


def test_broken_patches(kubectl: Kubectl, api: Connection) -> None:
    kubectl("create", "-f", "-", stdin=config_map("m"))
    path = f"/api/v1/namespaces/{kubectl.namespace}/configmaps/m"
    got = api.request("PATCH", path, b"{", content_type="application/merge-patch+json")
    assert (got.code, got.body["reason"]) == (400, "BadRequest")
    got = api.request("PATCH", path, b"{}", content_type="text/plain")
    assert (got.code, got.body["reason"]) == (415, "UnsupportedMediaType")
    leap = [{"op": "leap", "path": "/data"}]
    got = api.request("PATCH", path, leap, content_type="application/json-patch+json")
    assert (got.code, got.body["reason"]) == (422, "Invalid")
    missing = [{"op": "remove", "path": "/data/nope"}]
    got = api.request("PATCH", path, missing, content_type="application/json-patch+json")
    assert (got.code, got.body["reason"]) == (422, "Invalid")


def test_quota_and_limits_say_what_is_too_much(kubectl: Kubectl) -> None:
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "limits"},
        "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]},
    }
    kubectl("create", "quota", "few", "--hard=pods=1")
    kubectl("create", "-f", "-", stdin=limits)
    kubectl("wait", "--for=jsonpath={.status.hard.pods}", "quota/few", "--timeout=20s")
    big = with_value(pod("big"), "spec.containers.0.resources", {"limits": {"cpu": "2"}})
    assert kubectl.fails("create", "-f", "-", stdin=big) == (
        'Error from server (Forbidden): error when creating "STDIN": pods "big" is forbidden: maximum cpu usage per '
        "Container is 1, but limit is 2\n"
    )
    kubectl("create", "-f", "-", stdin=pod("one"))
    assert kubectl.fails("create", "-f", "-", stdin=pod("two")) == (
        'Error from server (Forbidden): error when creating "STDIN": pods "two" is forbidden: exceeded quota: few, '
        "requested: pods=1, used: pods=1, limited: pods=1\n"
    )
