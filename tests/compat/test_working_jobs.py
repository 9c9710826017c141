"""Jobs as the guides write them, with kubectl, from `apply` to the moment they are gone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.kubectls import Kubectl, find_kubectl
from tests.support.processes import WORKING, ServeProcess

if TYPE_CHECKING:
    from tests.compat.working import Raw, Working

pytestmark = pytest.mark.kubectl
pytest_plugins = ("tests.compat.working",)

SAID = {
    "mock-workload": [
        "Starting mock compute job...",
        "Loading input dataset...",
        "Epoch 1/3: Processing accuracy: 65%",
        "Epoch 2/3: Processing accuracy: 85%",
        "Epoch 3/3: Processing accuracy: 95%",
        "Processing completed successfully!",
    ],
    "model-evaluation": [
        "Starting model evaluation job...",
        "Loading test dataset...",
        "Running evaluation suite...",
        "Computing metrics...",
        "Accuracy: 94.5%",
        "F1 Score: 0.93",
        "Evaluation completed successfully!",
    ],
}
FLEET = """
apiVersion: argosy.dev/v1alpha1
kind: NodePool
metadata: {name: fleet}
spec: {machine: {cpu: 16, memory: 64Gi}, minimum: 0, maximum: 25, bootTime: 0s}
---
apiVersion: v1
kind: Namespace
metadata: {name: kubecon-demo}
---
apiVersion: batch/v1
kind: Job
metadata: {namespace: kubecon-demo, name: kubecon-demo-jobs}
spec:
  ttlSecondsAfterFinished: 60
  parallelism: 400
  completions: 400
  suspend: true
  manualSelector: true
  selector: {matchLabels: {job-name: kubecon-demo-jobs}}
  template:
    metadata: {labels: {job-name: kubecon-demo-jobs}}
    spec:
      restartPolicy: Never
      containers:
        - name: dummy-job
          image: gcr.io/k8s-staging-perf-tests/sleep:latest
          args: ["2400s"]
          resources:
            requests: {cpu: "1", memory: 1Gi, ephemeral-storage: 1Gi}
            limits: {cpu: "1", memory: 2Gi, ephemeral-storage: 2Gi}
"""


def guide_jobs(shared: Path) -> list[Raw]:
    """The two Jobs of the guide; every pause in their scripts is a hundredth of what it was."""
    text = (shared / "fixtures" / "kubefleet" / "guide-2-jobs.yaml").read_text()
    text = re.sub(r"sleep (\d+)", r"sleep 0.\1", text)
    jobs = [one for one in yaml.safe_load_all(text) if one["kind"] == "Job"]
    for job in jobs:
        del job["metadata"]["namespace"], job["metadata"]["annotations"]
    return jobs


def test_the_guides_jobs_run_say_what_they_say_and_go(working: Working, shared: Path) -> None:
    jobs = guide_jobs(shared)
    working("apply", "-f", "-", stdin=jobs)
    got = {row[0]: row[1:3] for row in working("get", "jobs").rows[1:]}
    assert got == {key: ["Suspended", "0/3"] for key in SAID}
    assert working("get", "pods").stdout == ""
    for name in SAID:
        working("patch", "job", name, "-p", '{"spec": {"suspend": false}}')
    for name in SAID:
        working.wait(f"job/{name}", "condition=complete")
    got = {row[0]: row[1:3] for row in working("get", "jobs").rows[1:]}
    assert got == {key: ["Complete", "3/3"] for key in SAID}
    for name, want in SAID.items():
        pods = working("get", "pods", "-l", f"job-name={name}", "-o", "name").lines
        assert len(pods) == 3
        assert [working("logs", pod).lines for pod in pods] == [want] * 3
        reasons = [reason for reason, _ in working.events(name)]
        assert sorted(reasons) == [
            "Completed",
            "Resumed",
            *["SuccessfulCreate"] * 3,
            "Suspended",
        ]
    for name in SAID:
        working("patch", "job", name, "-p", '{"spec": {"ttlSecondsAfterFinished": 2}}')
    for name in SAID:
        working.wait(f"job/{name}", "delete")
    working.until(lambda: working("get", "pods").stdout == "")


def test_four_hundred_pods_run_on_machines_that_come_for_them(
    private_cluster: Callable[..., ServeProcess], tmp_path: Path
) -> None:
    served = private_cluster(WORKING)
    kubectl = Kubectl(find_kubectl(), served.kubeconfig, tmp_path, "kubecon-demo")
    kubectl("apply", "-f", "-", stdin=FLEET)
    assert kubectl("get", "nodes").stderr == "No resources found\n"
    kubectl("patch", "job", "kubecon-demo-jobs", "-p", '{"spec": {"suspend": false}}')
    kubectl("wait", "--for=jsonpath={.status.ready}=400", "job/kubecon-demo-jobs", "--timeout=50s")
    assert len(kubectl("get", "nodes", "-o", "name").lines) == 25
    running = ("--field-selector=status.phase=Running", "-o", "name")
    assert len(kubectl("get", "pods", *running).lines) == 400
    row = kubectl("get", "nodepool", "fleet").rows[1]
    assert row[:5] == ["fleet", "25", "25", "0", "25"]
    kubectl("delete", "job", "kubecon-demo-jobs", "--cascade=foreground", "--timeout=50s")
    assert kubectl("get", "pods").stdout == ""
    assert "Traceback" not in served.log


def test_a_failing_job_gives_up_as_it_was_told(working: Working) -> None:
    job = working.job("broken", "echo trying; exit 3", backoffLimit=0)
    working("apply", "-f", "-", stdin=job)
    working.wait("job/broken", "condition=failed")
    assert working("get", "job", "broken").rows[1][1:3] == ["Failed", "0/1"]
    message = working.events("broken")[-1]
    assert message == ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    status = working("get", "job", "broken", "-o", "json").json["status"]
    assert status["failed"] == 1
    assert "succeeded" not in status


def test_a_cronjob_and_a_job_made_from_it_by_hand(working: Working) -> None:
    script = ("bash", "-c", "echo tick")
    working("create", "cronjob", "clock", "--image=ubuntu", "--schedule=0 0 1 1 *", "--", *script)
    working("create", "job", "now", "--from=cronjob/clock")
    working.wait("job/now", "condition=complete")
    assert working("logs", "job/now").stdout == "tick\n"
    made = working("get", "job", "now", "-o", "json").json["metadata"]
    assert made["annotations"]["cronjob.kubernetes.io/instantiate"] == "manual"
    assert made["ownerReferences"][0]["kind"] == "CronJob"
    described = working("describe", "cronjob", "clock").stdout
    assert re.search(r"^Schedule: +0 0 1 1 \*$", described, re.MULTILINE)
    assert re.search(r"^Concurrency Policy: +Allow$", described, re.MULTILINE)
    working("delete", "cronjob", "clock")
    working.wait("job/now", "delete")
