"""`kubectl wait`: for conditions, values and the end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compat.objects import config_map, deployment, job, pod
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl


def conditions(*types: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": one, "status": "True"} for one in types]}}


def test_a_condition_that_holds_already(kubectl: Kubectl, api: Connection) -> None:
    api.create(f"/api/v1/namespaces/{kubectl.namespace}/pods", pod("p"))
    api.merge(f"/api/v1/namespaces/{kubectl.namespace}/pods/p/status", conditions("Ready"))
    got = kubectl("wait", "--for=condition=Ready", "pod/p", "--timeout=5s")
    assert got.stdout == "pod/p condition met\n"


def test_a_condition_that_comes_while_waiting(kubectl: Kubectl, api: Connection) -> None:
    path = f"/apis/apps/v1/namespaces/{kubectl.namespace}/deployments"
    api.create(path, deployment("web"))
    with kubectl.start(
        "wait", "--for=condition=Available", "deployment/web", "--timeout=20s"
    ) as waiting:
        api.merge(f"{path}/web/status", conditions("Available"))
        said, _ = waiting.communicate(timeout=20)
    assert said == "deployment.apps/web condition met\n"


def test_a_job_that_completes(kubectl: Kubectl, api: Connection) -> None:
    path = f"/apis/batch/v1/namespaces/{kubectl.namespace}/jobs"
    api.create(path, job("once"))
    with kubectl.start("wait", "--for=condition=Complete", "job/once", "--timeout=20s") as waiting:
        now = "2026-01-02T03:04:05Z"
        done = conditions("SuccessCriteriaMet", "Complete")
        for condition in done["status"]["conditions"]:
            condition["lastTransitionTime"] = now
        api.merge(
            f"{path}/once/status",
            {"status": {**done["status"], "startTime": now, "completionTime": now, "succeeded": 1}},
        )
        said, _ = waiting.communicate(timeout=20)
    assert said == "job.batch/once condition met\n"


def test_a_value_at_a_path(kubectl: Kubectl, api: Connection) -> None:
    api.create(f"/api/v1/namespaces/{kubectl.namespace}/pods", pod("p"))
    path = f"/api/v1/namespaces/{kubectl.namespace}/pods/p/status"
    with kubectl.start("wait", "--for=jsonpath={.status.phase}=Running", "pod/p") as waiting:
        api.merge(path, {"status": {"phase": "Running"}})
        said, _ = waiting.communicate(timeout=20)
    assert said == "pod/p condition met\n"


def test_the_end_of_objects(kubectl: Kubectl, api: Connection) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}/configmaps"
    for name in ("one", "two"):
        api.create(path, config_map(name, part="x"))
    with kubectl.start("wait", "--for=delete", "cm", "-l", "part=x", "--timeout=20s") as waiting:
        for name in ("one", "two"):
            api.delete(f"{path}/{name}")
        assert waiting.wait(20) == 0


def test_waiting_in_vain(kubectl: Kubectl, api: Connection) -> None:
    api.create(f"/api/v1/namespaces/{kubectl.namespace}/pods", pod("p"))
    got = kubectl.fails("wait", "--for=condition=Ready", "pod/p", "--timeout=1s")
    assert got == "error: timed out waiting for the condition on pods/p\n"
    missing = kubectl.fails("wait", "--for=condition=Ready", "pod/nope", "--timeout=1s")
    assert missing == 'Error from server (NotFound): pods "nope" not found\n'


def test_rollout_status_follows_the_status(kubectl: Kubectl, api: Connection) -> None:
    path = f"/apis/apps/v1/namespaces/{kubectl.namespace}/deployments"
    api.create(path, deployment("web", replicas=1))
    with kubectl.start("rollout", "status", "deployment/web", "--timeout=20s") as waiting:
        ready = {
            "observedGeneration": 1,
            "replicas": 1,
            "updatedReplicas": 1,
            "readyReplicas": 1,
            "availableReplicas": 1,
        }
        api.merge(f"{path}/web/status", {"status": ready})
        said, _ = waiting.communicate(timeout=20)
    assert said.endswith('deployment "web" successfully rolled out\n')
    assert waiting.returncode == 0


def test_rollout_pause_resume_and_restart_write_the_spec(kubectl: Kubectl, api: Connection) -> None:
    path = f"/apis/apps/v1/namespaces/{kubectl.namespace}/deployments"
    api.create(path, deployment("web"))
    assert kubectl("rollout", "pause", "deploy/web").stdout == "deployment.apps/web paused\n"
    assert api.get(f"{path}/web")["spec"]["paused"] is True
    assert kubectl("rollout", "resume", "deploy/web").stdout == "deployment.apps/web resumed\n"
    assert kubectl("rollout", "restart", "deploy/web").stdout == "deployment.apps/web restarted\n"
    template = api.get(f"{path}/web")["spec"]["template"]
    assert "kubectl.kubernetes.io/restartedAt" in template["metadata"]["annotations"]
