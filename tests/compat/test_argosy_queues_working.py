"""A queue admin's session on a cluster that queues: create queues, watch jobs wait, ask why, stop, resume, delete."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.compat.queues import Argosy, aged
from tests.support.connections import Connection, address_of
from tests.support.processes import WORKING, serving

PATIENCE_SECONDS = 30.0


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Argosy, Connection]]:
    with (
        serving(tmp_path_factory.mktemp("cluster"), WORKING) as served,
        Connection(address_of(served.kubeconfig)) as api,
    ):
        yield Argosy(served.kubeconfig), api


def job(api: Connection, name: str) -> None:
    resources = {"requests": {"cpu": "2"}}
    container = {"name": "c", "image": "i", "command": ["sleep", "3600"], "resources": resources}
    body = {
        "metadata": {"name": name, "labels": {"kueue.x-k8s.io/queue-name": "lq"}},
        "spec": {"suspend": True, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
    }  # fmt: skip
    api.create("/apis/batch/v1/namespaces/default/jobs", body)


def eventually(look: Callable[[], Any], want: Any) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (got := look()) != want:
        assert time.monotonic() < deadline, f"{got} is not {want}"
        time.sleep(0.1)


def statuses(argosy: Argosy) -> list[str]:
    """Job, status and position of every workload."""
    output = argosy.run("list", "wl", "-o", "json")
    names = [
        item["metadata"]["ownerReferences"][0]["name"]
        for item in json.loads(output.stdout or '{"items": []}')["items"]
    ]
    rows = aged(argosy.run("list", "wl").stdout)[1:]
    shown = [row.split("team-a ")[-1] for row in rows]
    return [f"{name} {row}" for name, row in zip(names, shown, strict=False)]


def test_a_session(cluster: tuple[Argosy, Connection]) -> None:
    argosy, api = cluster
    argosy("create", "rf", "default")
    argosy("create", "cq", "team-a", "--cohort", "lab", "--nominal-quota", "default:cpu=2", "--borrowing-limit", "default:cpu=2")  # fmt: skip
    argosy("create", "cq", "team-b", "--cohort", "lab", "--nominal-quota", "default:cpu=4")
    argosy("create", "lq", "lq", "-c", "team-a")
    eventually(lambda: aged(argosy.run("list", "cq", "--active=true").stdout)[1:], ["team-a lab 0 0 true", "team-b lab 0 0 true"])  # fmt: skip
    want: list[str] = []
    for name, state in (("one", "ADMITTED"), ("two", "ADMITTED"), ("three", "PENDING 0")):
        job(api, name)
        want.append(f"{name} {state}")
        eventually(lambda: sorted(statuses(argosy)), sorted(want))

    tree = json.loads(argosy("queue", "tree", "-o", "json"))["trees"][0]["children"][0]
    assert (tree["name"], tree["pendingWorkloads"], tree["weightedShare"]) == ("team-a", 1, 334)
    assert (tree["quotas"][0]["used"], tree["quotas"][0]["borrowed"]) == ("4", "2")

    (why,) = json.loads(argosy("why", "job/three", "-o", "json"))["explanations"]
    assert (why["phase"], why["outlook"], why["position"]) == (
        "pending",
        "Waits",
        {"place": 0, "length": 1},
    )
    told = why["now"] or why["said"]
    assert told["reason"] == "WaitingForQuota"
    assert [one["changes"][0]["field"] for one in why["remedies"][:2]] == [
        "nominalQuota",
        "borrowingLimit",
    ]

    argosy("stop", "cq", "team-a")
    eventually(
        lambda: sorted(row.split()[1] for row in statuses(argosy)),
        ["PENDING", "PENDING", "PENDING"],
    )
    assert "let ClusterQueue team-a go on" in argosy("why", "job/three")
    argosy("resume", "cq", "team-a")
    # Which of them, if they are of the same second, their uids decide.
    eventually(
        lambda: sorted(row.split()[1] for row in statuses(argosy)),
        ["ADMITTED", "ADMITTED", "PENDING"],
    )
    running = next(row.split()[0] for row in statuses(argosy) if "ADMITTED" in row)
    admitted = argosy("why", f"job/{running}")
    assert "is admitted in ClusterQueue team-a" in admitted
    assert "It holds 2 cpu of flavor default." in admitted

    gone = argosy("delete", "wl", "--all", "-y").splitlines()
    assert sorted(gone) == [
        "jobs.batch/one deleted",
        "jobs.batch/three deleted",
        "jobs.batch/two deleted",
    ]
    eventually(
        lambda: argosy.run("list", "wl").stderr, "No resources found in default namespace.\n"
    )
