"""A fleet of several processes: it looks as one of one process, each member is itself at the hub and nobody else, and a
process that is killed is not missed for long.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from argosy.base.types import Object
from tests.crash.fleets import MARK, argosy, connection, marked, process_of, status, until
from tests.support.connections import Connection
from tests.support.processes import sailing, start_fleet

FLEET = "/apis/cluster.kubernetes-fleet.io/v1beta1"
JOBS = "/apis/batch/v1/namespaces/default/jobs"


def job(name: str, seconds: int) -> Object:
    container = {"name": "c", "image": "busybox", "command": ["sleep", str(seconds)]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}},
    }


@pytest.mark.parametrize("processes", [1, 4])
def test_a_member_is_itself_at_the_hub_and_nobody_else(tmp_path: Path, processes: int) -> None:
    with sailing(tmp_path, "--processes", str(processes)) as fleet:
        assert len(status(tmp_path / "state")["processes"]) == processes
        assert {each["state"] for each in status(tmp_path / "state")["clusters"]} == {
            "Serving",
            "Joined",
        }
        token = (tmp_path / "state" / "hub" / "members" / "cluster-1.token").read_text().strip()
        with connection(fleet.kubeconfig, "hub") as hub:
            for path, code in {
                f"{FLEET}/namespaces/fleet-member-cluster-1/internalmemberclusters/cluster-1": 200,
                f"{FLEET}/namespaces/fleet-member-cluster-2/internalmemberclusters/cluster-2": 403,
                "/apis/placement.kubernetes-fleet.io/v1beta1/namespaces/fleet-member-cluster-1/works": 200,
                "/apis/placement.kubernetes-fleet.io/v1beta1/namespaces/fleet-member-cluster-2/works": 403,
                f"{FLEET}/memberclusters": 403,
                "/api/v1/namespaces/fleet-member-cluster-2/secrets": 403,
                "/api/v1/secrets": 403,
            }.items():
                assert hub.request("GET", path, token=token).code == code, path
        for number in (1, 2, 3):
            with connection(fleet.kubeconfig, f"cluster-{number}") as member:
                assert len(member.get("/api/v1/nodes")["items"]) == number + 1
                member.create(JOBS, job("short", 0))
                until(lambda: _succeeded(member, "short"), "the job's end")
                assert member.request("GET", "/api/v1/nodes", token=token).code == 401


def _succeeded(member: Connection, name: str) -> bool:
    return bool(member.get(f"{JOBS}/{name}")["status"].get("succeeded") == 1)


def test_a_process_that_is_killed_comes_back_and_its_jobs_go_on(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with sailing(tmp_path, "--processes", "3") as fleet:
        with connection(fleet.kubeconfig, "cluster-1") as member:
            member.create(JOBS, job("long", 4))
            until(
                lambda: member.get(f"{JOBS}/long")["status"].get("active") == 1, "the job is active"
            )
        before = process_of(state, "members-1")
        other = process_of(state, "members-2")["pid"]
        os.kill(before["pid"], signal.SIGKILL)
        after = until(lambda: _again(state, before["pid"]), "it is started again")
        assert (after["restarts"], after["lastExit"]) == (1, "signal SIGKILL")
        assert process_of(state, "members-2")["pid"] == other
        shown = argosy("status", "--state", str(state)).stdout
        assert "signal SIGKILL" in shown
        assert "1 (" in shown
        until(lambda: argosy("status", "--state", str(state)).returncode == 0, "all is up")
        # The address is the same: kubeconfigs stay good.
        with connection(fleet.kubeconfig, "cluster-1") as member:
            until(lambda: _succeeded(member, "long"), "the job's end")
            pods = member.get("/api/v1/namespaces/default/pods")["items"]
            assert len(pods) == 1
        assert "process members-1 (cluster-1, cluster-3) ended: signal SIGKILL" in fleet.log
        assert fleet.stop() == 0


def _again(state: Path, pid: int) -> Object | None:
    found = process_of(state, "members-1")
    is_new = found["pid"] not in {0, pid} and "cluster-1" in {
        each["name"] for each in status(state)["clusters"] if each["address"]
    }
    return found if is_new else None


def test_when_the_hub_is_killed_the_others_end_and_the_next_start_is_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    state = tmp_path / "state"
    fleet = start_fleet(tmp_path, "--processes", "3")
    with connection(fleet.kubeconfig, "cluster-2") as member:
        made = member.create(JOBS, job("kept", 0))
    assert len(marked(str(tmp_path))) == 3
    fleet.kill()
    assert fleet.process.stdout is not None
    fleet.process.stdout.close()
    until(lambda: not marked(str(tmp_path)), "every process has ended")
    told = argosy("status", "--state", str(state))
    assert (told.returncode, "was killed the last time" in told.stdout) == (3, True)
    with sailing(tmp_path, "--processes", "3") as again:
        assert {each["restarts"] for each in status(state)["processes"]} == {0}
        with connection(again.kubeconfig, "cluster-2") as member:
            until(lambda: _succeeded(member, "kept"), "the job's end")
            assert member.get(f"{JOBS}/kept")["metadata"]["uid"] == made["metadata"]["uid"]
        assert "Traceback" not in again.log
        assert again.stop() == 0
    assert marked(str(tmp_path)) == []
