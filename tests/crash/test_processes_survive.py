"""`argosy serve` killed and stopped while Jobs run: the next start goes on, counts are exact, nothing is left behind.

kill -9 leaves processes with their keeper, and the next start adopts them: each of a Job's pods does its work exactly
once. Ctrl-C ends them in good order, so the next start makes new ones for what was not done.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from argosy.workloads.runtimes.process.keeper import processes
from tests.support.connections import Connection, address_of
from tests.support.processes import WORKING, ServeProcess, process_arguments, start

Raw = dict[str, Any]

PATIENCE_SECONDS = 60.0
# An orderly end: containers that answer SIGTERM are gone at once.
END_SECONDS = 10.0
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"
POOLS = "/apis/argosy.dev/v1alpha1/nodepools"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
ADOPTED = re.compile(
    r"(\d+) still run and are adopted, (\d+) had ended meanwhile, and 0 whose pods are gone"
)


class Lives:
    """One cluster through several lives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.served: ServeProcess | None = None
        self._api: Connection | None = None
        self.uids: set[str] = set()

    def begin(self) -> Connection:
        self.served = start(self.folder, WORKING, *process_arguments())
        self._api = Connection(address_of(self.served.kubeconfig))
        return self._api

    def kill(self) -> None:
        assert self.served is not None
        self.served.kill()
        self._close()

    def stop(self) -> float:
        """Ctrl-C; the seconds it took."""
        assert self.served is not None
        begun = time.monotonic()
        code = self.served.stop(signal.SIGINT)
        took = time.monotonic() - begun
        log = self.served.log
        self._close()
        assert code == 0
        assert "Traceback" not in log, log
        return took

    def _close(self) -> None:
        assert self.served is not None
        assert self.served.process.stdout is not None
        self.served.process.stdout.close()
        self.served = None
        if self._api is not None:
            self._api.close()

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def left(self) -> list[int]:
        """Processes of pods that were seen here."""
        everybody = processes.look()
        found = [pid for uid in self.uids for pid in processes.marked(everybody, f"{uid}/")]
        return [pid for pid in found if not everybody[pid].is_zombie]

    def pods(self, api: Connection) -> list[Raw]:
        items: list[Raw] = api.get(PODS)["items"]
        self.uids |= {one["metadata"]["uid"] for one in items}
        return items


@pytest.fixture
def lives(tmp_path: Path) -> Iterator[Lives]:
    made = Lives(tmp_path / "cluster")
    yield made
    if made.served is not None:
        made.stop()


def until(look: Callable[[], Any], want: Callable[[Any], bool] = bool) -> Any:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not want(found := look()):
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
    return found


def pool(**spec: Any) -> Raw:
    machine = {"cpu": "64", "memory": "256Gi", "pods": 110}
    return {
        "apiVersion": "argosy.dev/v1alpha1",
        "kind": "NodePool",
        "metadata": {"name": "pool"},
        "spec": {"machine": machine, "bootTime": "0s", **spec},
    }


def pod(script: str, folder: Path | None = None, **spec: Any) -> Raw:
    """A pod's spec; `folder` is there under its own name."""
    container: Raw = {"name": "main", "image": "x", "command": ["bash", "-c", script]}
    made: Raw = {"containers": [container], **spec}
    if folder is not None:
        container["volumeMounts"] = [{"name": "shared", "mountPath": str(folder)}]
        made["volumes"] = [{"name": "shared", "hostPath": {"path": str(folder)}}]
    return made


def job(name: str, template: Raw, annotations: dict[str, str] | None = None, **spec: Any) -> Raw:
    template = {"metadata": {"annotations": annotations or {}}, "spec": template}
    return {"metadata": {"name": name}, "spec": {**spec, "template": template}}


def status_of(api: Connection, name: str) -> Raw:
    found: Raw = api.get(f"{JOBS}/{name}").get("status") or {}
    return found


def is_done(status: Raw) -> bool:
    kinds = {one["type"] for one in status.get("conditions") or () if one["status"] == "True"}
    assert "Failed" not in kinds, status
    return "Complete" in kinds


@pytest.mark.timeout(240)
def test_fifty_processes_survive_a_kill(lives: Lives, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    api = lives.begin()
    api.create(POOLS, pool(minimum=2, maximum=2, runtime="process"))
    # Each pod notes that it began, and ends when it may.
    mine = f"{shared}/$JOB_COMPLETION_INDEX"
    script = (
        f"echo begun >>{mine}; until test -e {mine}.go -o -e {shared}/all.go; do sleep 0.2; done"
    )
    made = job(
        "many", pod(script, shared, restartPolicy="Never"),
        parallelism=50, completions=55, completionMode="Indexed", backoffLimit=0,
    )  # fmt: skip
    api.create(JOBS, made)
    until(lambda: status_of(api, "many"), lambda status: status.get("ready") == 50)
    lives.pods(api)
    until(lambda: len(list(shared.iterdir())) == 50)
    lives.kill()
    assert len(lives.left()) >= 50
    for index in range(5):
        (shared / f"{index}.go").touch()
    api = lives.begin()
    (shared / "all.go").touch()
    got = until(lambda: status_of(api, "many"), is_done)
    assert (got["succeeded"], got.get("failed", 0), got.get("active", 0)) == (55, 0, 0)
    assert got["completedIndexes"] == "0-54"
    notes = {one.name: one.read_text() for one in shared.iterdir() if not one.suffix}
    assert notes == {str(index): "begun\n" for index in range(55)}
    assert len(lives.pods(api)) == 55
    # It is said when all is clear, ten seconds after the start.
    found = until(lambda: ADOPTED.search(lives.log))
    assert int(found[1]) + int(found[2]) == 50
    assert lives.stop() < END_SECONDS
    assert lives.left() == []


@pytest.mark.timeout(240)
def test_an_interrupt_ends_everything_and_a_second_start_goes_on(
    lives: Lives, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    api = lives.begin()
    api.create(POOLS, pool(minimum=1, maximum=1, runtime="process"))
    note = f"trap 'echo asked >>{shared}/asked; exit 0' TERM; touch {shared}/$HOSTNAME; "
    forever = pod(f"{note} while :; do sleep 0.1; done", shared)
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": forever}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    api.create(DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": spec})
    # Its work is done only if it says so: to answer SIGTERM with 0 must not pass for that.
    script = f"until test -e {shared}/go; do sleep 0.1; done; echo done >>{shared}/done"
    begun = f"trap 'exit 0' TERM; touch {shared}/$HOSTNAME"
    work = pod(f"{begun}; {script}", shared, restartPolicy="Never")
    ignoring = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    rules: Raw = {"podFailurePolicy": {"rules": ignoring}, "backoffLimit": 0}
    api.create(JOBS, job("work", work, parallelism=2, completions=2, **rules))
    until(lambda: len(list(shared.iterdir())) == 4)
    lives.pods(api)
    assert lives.stop() < END_SECONDS
    assert lives.left() == []
    assert (shared / "asked").read_text() == "asked\n" * 2
    (shared / "go").touch()
    api = lives.begin()
    got = until(lambda: status_of(api, "work"), is_done)
    assert (got["succeeded"], got.get("failed", 0)) == (2, 0)
    assert (shared / "done").read_text() == "done\n" * 2
    web = f"{DEPLOYMENTS}/web"
    until(lambda: api.get(web)["status"], lambda status: status.get("availableReplicas") == 2)
    until(lambda: len(lives.left()) >= 2 if lives.pods(api) else False)
    assert lives.stop() < END_SECONDS
    assert lives.left() == []


@pytest.mark.timeout(240)
def test_five_hundred_simulated_pods_survive_a_kill(lives: Lives) -> None:
    api = lives.begin()
    api.create(POOLS, pool(minimum=4, maximum=4))
    made = job(
        "many", pod("true", restartPolicy="Never"), {"argosy.dev/duration": "1s"},
        parallelism=150, completions=500,
    )  # fmt: skip
    api.create(JOBS, made)
    until(lambda: status_of(api, "many"), lambda status: status.get("succeeded", 0) >= 100)
    lives.kill()
    api = lives.begin()
    got = until(lambda: status_of(api, "many"), is_done)
    assert (got["succeeded"], got.get("failed", 0), got.get("active", 0)) == (500, 0, 0)
    phases = [one["status"]["phase"] for one in lives.pods(api)]
    assert phases == ["Succeeded"] * 500
    lives.stop()
