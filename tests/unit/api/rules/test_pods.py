"""What the server does around pods: quality of service, grace, selectable fields, status updates."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.api.rules.pods import RULES, validate_pod_spec
from argosy.api.rules.pods.images import pull_policy
from argosy.api.rules.pods.qos import qos_class
from argosy.api.rules.pods.strategy import grace_seconds, prepare_status
from argosy.api.rules.pods.updates import validate_ephemeral_update
from argosy.base.types import Object


def container(**resources: dict[str, str]) -> Object:
    return {"name": "c", "image": "x", "resources": resources}


FULL = {"cpu": "1", "memory": "1Gi"}
QOS: dict[str, tuple[Object, str]] = {
    "nothing is asked for": ({"containers": [container()]}, "BestEffort"),
    "only zero is asked for": ({"containers": [container(requests={"cpu": "0"})]}, "BestEffort"),
    "only a device is asked for": (
        {"containers": [container(limits={"nvidia.com/gpu": "1"})]},
        "BestEffort",
    ),
    "a request alone": ({"containers": [container(requests=FULL)]}, "Burstable"),
    "requests equal limits": (
        {"containers": [container(requests={"cpu": "1000m", "memory": "1024Mi"}, limits=FULL)]},
        "Guaranteed",
    ),
    "one container of two": (
        {"containers": [container(requests=FULL, limits=FULL), container()]},
        "Burstable",
    ),
    "an init container without limits": (
        {
            "containers": [container(requests=FULL, limits=FULL)],
            "initContainers": [container()],
        },
        "Burstable",
    ),
    "the pod as a whole": (
        {"containers": [container()], "resources": {"requests": FULL, "limits": FULL}},
        "Guaranteed",
    ),
}


@pytest.mark.parametrize(("spec", "want"), QOS.values(), ids=QOS.keys())
def test_quality_of_service(spec: Object, want: str) -> None:
    assert qos_class(spec) == want


GRACE: dict[str, tuple[Object, int | None, int]] = {
    "a running pod": ({"spec": {"nodeName": "n", "terminationGracePeriodSeconds": 30}}, None, 30),
    "a request's own wish": (
        {"spec": {"nodeName": "n", "terminationGracePeriodSeconds": 30}},
        5,
        5,
    ),
    "a negative wish": ({"spec": {"nodeName": "n"}}, -7, 1),
    "a pod on no node": ({"spec": {"terminationGracePeriodSeconds": 30}}, 60, 0),
    "a pod that ended": ({"spec": {"nodeName": "n"}, "status": {"phase": "Failed"}}, 60, 0),
}


@pytest.mark.parametrize(("pod", "requested", "want"), GRACE.values(), ids=GRACE.keys())
def test_grace(pod: Object, requested: int | None, want: int) -> None:
    assert grace_seconds(pod, requested) == want


def test_selectable_fields() -> None:
    pod: Object = {
        "spec": {
            "nodeName": "n",
            "restartPolicy": "Never",
            "schedulerName": "s",
            "serviceAccountName": "a",
            "hostNetwork": True,
        },
        "status": {"phase": "Running", "podIPs": [{"ip": "1.2.3.4"}]},
    }
    got = {field: read(pod) for field, read in RULES["Pod"].selectable.items()}
    assert got == {
        "spec.nodeName": "n",
        "spec.restartPolicy": "Never",
        "spec.schedulerName": "s",
        "spec.serviceAccountName": "a",
        "spec.hostNetwork": "true",
        "status.phase": "Running",
        "status.podIP": "1.2.3.4",
        "status.nominatedNodeName": "",
    }


def test_a_status_update_keeps_what_its_writer_does_not_know() -> None:
    old: Object = {
        "metadata": {"name": "a", "ownerReferences": [{"name": "o"}]},
        "spec": {"nodeName": "n"},
        "status": {
            "qosClass": "Burstable",
            "observedGeneration": 3,
            "conditions": [{"type": "Ready", "status": "False", "observedGeneration": 3}],
        },
    }
    new: Object = {
        "metadata": {"name": "a", "deletionTimestamp": "t"},
        "spec": {},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }
    prepare_status(new, old)
    assert new == {
        "metadata": {"name": "a", "ownerReferences": [{"name": "o"}]},
        "spec": {"nodeName": "n"},
        "status": {
            "qosClass": "Burstable",
            "observedGeneration": 3,
            "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 3}],
        },
    }


def ended(code: int, **spec: Any) -> tuple[Object, Object]:
    metadata = {"name": "a", "namespace": "n", "resourceVersion": "1"}
    old: Object = {
        "metadata": metadata,
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c"} | spec]},
        "status": {
            "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": code}}}]
        },
    }
    new: Object = old | {"status": {"containerStatuses": [{"name": "c", "state": {"running": {}}}]}}
    return new, old


RESTARTED: dict[str, tuple[tuple[Object, Object], bool]] = {
    "a pod that never restarts": (ended(1), False),
    "a container that restarts on failure": (ended(1, restartPolicy="OnFailure"), True),
    "a container that succeeded": (ended(0, restartPolicy="OnFailure"), False),
    "a rule for its exit code": (
        ended(
            42,
            restartPolicy="Never",
            restartPolicyRules=[
                {"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}
            ],
        ),
        True,
    ),
}


@pytest.mark.parametrize(("objects", "allowed"), RESTARTED.values(), ids=RESTARTED.keys())
def test_ended_containers_come_back_only_if_something_restarts_them(
    objects: tuple[Object, Object], allowed: bool
) -> None:
    validate = RULES["Pod"].validate_status
    assert validate is not None
    got = [str(error) for error in validate(*objects)]
    want = (
        []
        if allowed
        else [
            (
                "status.containerStatuses[0].state: Forbidden: may not be transitioned to "
                "non-terminated state"
            )
        ]
    )
    assert got == want


IMAGES = {
    "x": "Always",
    "x:latest": "Always",
    "x:1": "IfNotPresent",
    "r.io:5000/x": "Always",
    "r.io:5000/x:1": "IfNotPresent",
    f"x@sha256:{'0' * 64}": "IfNotPresent",
    f"x:latest@sha256:{'0' * 64}": "Always",
    "Not An Image": "IfNotPresent",
    "": "IfNotPresent",
}


@pytest.mark.parametrize(("image", "want"), IMAGES.items(), ids=IMAGES.keys())
def test_pull_policy_by_image(image: str, want: str) -> None:
    assert pull_policy(image) == want


def test_an_ephemeral_container_is_never_changed_or_removed() -> None:
    base: Object = {"terminationMessagePolicy": "File", "imagePullPolicy": "Always"}
    spec: Object = {
        "containers": [base | {"name": "c", "image": "x"}],
        "restartPolicy": "Always",
        "dnsPolicy": "ClusterFirst",
        "terminationGracePeriodSeconds": 30,
        "serviceAccountName": "default",
    }
    metadata = {"name": "a", "namespace": "n", "resourceVersion": "1"}
    stored = [base | {"name": "e", "image": "x"}, base | {"name": "f", "image": "x"}]
    old: Object = {"metadata": metadata, "spec": spec | {"ephemeralContainers": stored}}
    changed = [base | {"name": "e", "image": "y"}, base | {"name": "g", "image": "x"}]
    new: Object = {"metadata": metadata, "spec": spec | {"ephemeralContainers": changed}}
    got = [str(error) for error in validate_ephemeral_update(new, old)]
    assert got == [
        (
            'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed\n'
            '@@ -1,6 +1,6 @@\n {\n  "Name": "e",\n- "Image": "x",\n+ "Image": "y",\n  "Command": null,\n'
            '  "Args": null,\n  "WorkingDir": "",\n'
        ),
        (
            "spec.ephemeralContainers: Forbidden: existing ephemeral containers "
            '"f" may not be removed\n'
        ),
    ]


def test_a_spec_of_nothing_says_all_it_needs() -> None:
    got = [str(error) for error in validate_pod_spec({}, "spec")]
    assert got == [
        "spec.terminationGracePeriodSeconds: Required value",
        "spec.containers: Required value",
        "spec.restartPolicy: Required value",
        "spec.dnsPolicy: Required value",
    ]
