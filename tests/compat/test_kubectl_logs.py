"""`kubectl logs` of containers that have written something: the files a node's runtime keeps are played here."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.compat.objects import pod
from tests.support.connections import Connection, address_of
from tests.support.kubectls import Kubectl, find_kubectl
from tests.support.processes import serving

pytestmark = pytest.mark.kubectl

PODS = "/api/v1/namespaces/default/pods"


@dataclass
class Node:
    """Plays the node: it runs the pod and writes its logs."""

    kubectl: Kubectl
    api: Connection
    logs: Path

    def run(self, name: str, *images: str, restarts: int = 0, **labels: str) -> Path:
        """A running pod; returns the folder of its containers' logs."""
        raw = pod(name, *images, **labels)
        raw["spec"]["nodeName"] = "played"
        uid = self.api.create(PODS, raw)["metadata"]["uid"]
        statuses = [
            {
                "name": container["name"],
                "image": "app:v1",
                "imageID": "",
                "ready": True,
                "restartCount": restarts,
                "state": {"running": {"startedAt": "2026-01-02T03:04:05Z"}},
            }
            for container in raw["spec"]["containers"]
        ]
        running = {"status": {"phase": "Running", "containerStatuses": statuses}}
        self.api.merge(f"{PODS}/{name}/status", running)
        return self.logs / f"default_{name}_{uid}"

    def finish(self, name: str) -> None:
        self.api.merge(f"{PODS}/{name}/status", {"status": {"phase": "Succeeded"}})


def write(
    folder: Path, container: str, *lines: str, restart: int = 0, age_seconds: int = 0
) -> None:
    file = folder / container / f"{restart}.log"
    file.parent.mkdir(parents=True, exist_ok=True)
    stamp = (datetime.now(UTC) - timedelta(seconds=age_seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    with file.open("a") as out:
        out.writelines(f"{stamp} stdout F {line}\n" for line in lines)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    directory = tmp_path_factory.mktemp("logs")
    with serving(directory) as served, Connection(address_of(served.kubeconfig)) as api:
        api.until("/api/v1/namespaces/default/serviceaccounts/default")
        kubectl = Kubectl(find_kubectl(), served.kubeconfig, directory, "default")
        yield Node(kubectl, api, directory / "state" / "logs")


def test_all_and_parts(node: Node) -> None:
    folder = node.run("parts")
    write(folder, "c0", "one", "two", age_seconds=600)
    write(folder, "c0", "three")
    assert node.kubectl("logs", "parts").lines == ["one", "two", "three"]
    assert node.kubectl("logs", "parts", "--tail=2").lines == ["two", "three"]
    assert node.kubectl("logs", "parts", "--since=1m").lines == ["three"]
    assert node.kubectl("logs", "parts", "--limit-bytes=5").stdout == "one\nt"
    (stamped,) = node.kubectl("logs", "parts", "--tail=1", "--timestamps").lines
    stamp, _, text = stamped.partition(" ")
    assert text == "three"
    assert stamp.endswith("Z")


def test_one_of_several_containers(node: Node) -> None:
    folder = node.run("several", "app:v1", "side:v1")
    write(folder, "c0", "from the app")
    write(folder, "c1", "from the side")
    assert node.kubectl("logs", "several", "-c", "c1").stdout == "from the side\n"
    both = node.kubectl("logs", "several", "--all-containers", "--prefix").lines
    # kubectl asks for them in no order.
    assert sorted(both) == ["[pod/several/c0] from the app", "[pod/several/c1] from the side"]


def test_the_run_before_a_restart(node: Node) -> None:
    folder = node.run("again", restarts=1)
    write(folder, "c0", "failed", restart=0)
    write(folder, "c0", "better", restart=1)
    assert node.kubectl("logs", "again").stdout == "better\n"
    assert node.kubectl("logs", "again", "--previous").stdout == "failed\n"
    node.run("first")
    got = node.kubectl.fails("logs", "first", "--previous")
    assert 'previous terminated container "c0" in pod "first" not found' in got


def test_pods_by_label(node: Node) -> None:
    for name in ("left", "right"):
        write(node.run(name, part="x"), "c0", f"{name} says hello")
    got = node.kubectl("logs", "-l", "part=x").lines
    assert sorted(got) == ["left says hello", "right says hello"]


def test_following_ends_with_the_container(node: Node) -> None:
    folder = node.run("follow")
    write(folder, "c0", "one")
    with node.kubectl.start("logs", "-f", "follow") as following:
        timer = threading.Timer(20, following.kill)
        timer.start()
        assert following.stdout is not None
        assert following.stdout.readline() == "one\n"
        write(folder, "c0", "two")
        assert following.stdout.readline() == "two\n"
        write(folder, "c0", "three")
        node.finish("follow")
        assert following.stdout.read() == "three\n"
        assert following.wait(20) == 0
        timer.cancel()
