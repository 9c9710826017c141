"""A working cluster for kubectl: controllers, scheduler and nodes that run containers as processes of this machine.

A test module asks for it by `pytest_plugins = ("tests.compat.working",)`; the cluster is then shared by all such
modules of a test worker, each test in a namespace of its own. (Only so: a module that imported from here would keep
pytest from taking it as a plugin.) Two pools stand ready: `hands` runs processes,
`dreams` simulates and takes only pods that tolerate it. When the session ends, so do the cluster and every process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from tests.support.connections import Connection, address_of
from tests.support.kubectls import Kubectl, Output, find_kubectl
from tests.support.processes import WORKING, ServeProcess, process_arguments, serving

Raw = dict[str, Any]

# Patience for whatever takes a moment on a loaded machine.
PATIENCE = "50s"
PATIENCE_SECONDS = 50.0
MACHINE: Raw = {"cpu": "16", "memory": "64Gi", "pods": 110}
DREAMS: Raw = {"key": "dreams", "value": "yes", "effect": "NoSchedule"}
# Runs from the beginning, for those who want to see what it uses.
BUSY: Raw = {
    "metadata": {"name": "busy"},
    "spec": {
        "terminationGracePeriodSeconds": 1,
        "containers": [
            {
                "name": "main",
                "image": "ubuntu:22.04",
                "command": [
                    "bash",
                    "-c",
                    "while sleep 0.1; do for i in {1..3000}; do :; done; done",
                ],
            }
        ],
    },
}


def pool(name: str, **spec: Any) -> Raw:
    return {
        "apiVersion": "argosy.dev/v1alpha1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {"machine": MACHINE, "bootTime": "0s", **spec},
    }


@dataclass(slots=True, frozen=True)
class Working:
    """kubectl on the working cluster, in the test's namespace."""

    kubectl: Kubectl
    api: Connection
    namespace: str

    # What a pod's spec says to be simulated.
    dreaming: ClassVar[Raw] = {
        "nodeSelector": {"argosy.dev/nodepool": "dreams"},
        "tolerations": [{"key": "dreams", "operator": "Exists"}],
    }

    def __call__(self, *arguments: str, stdin: Any = None) -> Output:
        return self.kubectl(*arguments, stdin=stdin)

    def fails(self, *arguments: str, stdin: Any = None, code: int = 1) -> str:
        return self.kubectl.fails(*arguments, stdin=stdin, code=code)

    def pod(self, name: str, script: str, *, policy: str = "Never", **spec: Any) -> None:
        """Create a pod that runs a bash script; `container` adds to its one container."""
        container = {
            "name": "main",
            "image": "ubuntu:22.04",
            "command": ["/bin/bash", "-c", script],
            **spec.pop("container", {}),
        }
        made = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, **spec.pop("metadata", {})},
            "spec": {"restartPolicy": policy, "containers": [container], **spec},
        }
        self("create", "-f", "-", stdin=made)

    def job(self, name: str, script: str, *, pod: Raw | None = None, **spec: Any) -> Raw:
        """A Job whose pods run a bash script."""
        command = ["/bin/bash", "-c", script]
        container = {"name": "main", "image": "ubuntu:22.04", "command": command}
        template = {"spec": {"restartPolicy": "Never", "containers": [container], **(pod or {})}}
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name},
            "spec": {**spec, "template": template},
        }

    def deployment(self, name: str, script: str, replicas: int) -> Raw:
        container = {
            "name": "main",
            "image": "ubuntu:22.04",
            "command": ["/bin/bash", "-c", script],
        }
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"app": name}},
                "template": {
                    "metadata": {"labels": {"app": name}},
                    "spec": {"terminationGracePeriodSeconds": 2, "containers": [container]},
                },
            },
        }

    def wait(self, what: str, condition: str) -> None:
        """Wait for a condition (`condition=ready`), a value (`jsonpath=...`) or the end (`delete`)."""
        self("wait", f"--for={condition}", what, f"--timeout={PATIENCE}")

    def until(self, look: Callable[[], Any], want: Callable[[Any], bool] = bool) -> Any:
        """Look again until it is as wanted; for what kubectl cannot wait for."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not want(found := look()):
            assert time.monotonic() < deadline, found
            time.sleep(0.1)
        return found

    def events(self, about: str) -> list[tuple[str, str]]:
        """(reason, message) of the events of an object in the test's namespace."""
        path = f"/api/v1/namespaces/{self.namespace}/events"
        items = self.api.get(f"{path}?fieldSelector=involvedObject.name%3D{about}")["items"]
        items.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [(event["reason"], event["message"]) for event in items]


@pytest.fixture(scope="session")
def working_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    """The cluster of all tests that ask for `working`."""
    with serving(tmp_path_factory.mktemp("working"), WORKING, *process_arguments()) as served:
        connection = Connection(address_of(served.kubeconfig))
        for one in (
            pool("hands", runtime="process", minimum=2, maximum=2),
            pool("dreams", minimum=1, maximum=3, taints=[DREAMS]),
        ):
            connection.create("/apis/argosy.dev/v1alpha1/nodepools", one)
        connection.create("/api/v1/namespaces/default/pods", BUSY)
        connection.close()
        yield served
        assert "Traceback" not in served.log, served.log


@pytest.fixture
def working(
    request: pytest.FixtureRequest,
    working_cluster: ServeProcess,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Working]:
    """kubectl in a new namespace; whatever the test leaves there is removed."""
    connection = Connection(address_of(working_cluster.kubeconfig))
    words = request.node.originalname.removeprefix("test_").replace("_", "-")[:40].strip("-")
    made = connection.create("/api/v1/namespaces", {"metadata": {"generateName": f"{words}-"}})
    name = made["metadata"]["name"]
    connection.until(f"/api/v1/namespaces/{name}/serviceaccounts/default")
    home = tmp_path_factory.getbasetemp() / "kubectl"
    home.mkdir(exist_ok=True)
    kubectl = Kubectl(find_kubectl(), working_cluster.kubeconfig, home, name)
    yield Working(kubectl, connection, name)
    connection.request("DELETE", f"/api/v1/namespaces/{name}")
    connection.close()
