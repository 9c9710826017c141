"""Fixtures: one cluster for all tests of a worker, a namespace of its own for each test.

The cluster is `argosy serve` with its state in SQLite. `ARGOSY_TEST_KUBECONFIG` names another one to run the
same tests against; the texts in these tests were taken from a real kube-apiserver that way.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.connections import Address, Connection, address_of
from tests.support.kubectls import Kubectl, find_kubectl
from tests.support.processes import ServeProcess, serving

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The shared cluster's kubeconfig."""
    given = os.environ.get("ARGOSY_TEST_KUBECONFIG")
    if given:
        yield Path(given)
        return
    with serving(tmp_path_factory.mktemp("cluster")) as served:
        yield served.kubeconfig
        assert "Traceback" not in served.log, served.log


@pytest.fixture(scope="session")
def address(kubeconfig: Path) -> Address:
    return address_of(kubeconfig)


@pytest.fixture(scope="session")
def api(address: Address) -> Iterator[Connection]:
    """The shared cluster over plain HTTPS, for preparing and looking."""
    connection = Connection(address)
    yield connection
    connection.close()


@pytest.fixture
def namespace(request: pytest.FixtureRequest, api: Connection) -> Iterator[str]:
    """A new namespace with its default service account."""
    words = re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_").lower())[:40]
    name = f"{words.strip('-')}-{os.getpid()}-{next(_numbers)}"
    api.create("/api/v1/namespaces", {"metadata": {"name": name}})
    api.until(f"/api/v1/namespaces/{name}/serviceaccounts/default")
    yield name
    api.request("DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture(scope="session")
def kubectl_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def kubectl(kubeconfig: Path, kubectl_home: Path, namespace: str) -> Kubectl:
    """kubectl for the shared cluster, in the test's namespace."""
    return Kubectl(find_kubectl(), kubeconfig, kubectl_home, namespace)


@pytest.fixture
def private_cluster(tmp_path: Path) -> Iterator[Callable[..., ServeProcess]]:
    """Starts a cluster of the test's own: `private_cluster("--memory")`."""
    with ExitStack() as running:
        yield lambda *more: running.enter_context(
            serving(tmp_path / f"cluster-{next(_numbers)}", *more)
        )
