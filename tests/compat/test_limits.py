"""What the server refuses for its size, and what it promises about itself: bodies, objects, kubeconfig, metrics."""

from __future__ import annotations

import stat

import pytest
import yaml

from tests.compat.objects import config_map
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl
from tests.support.processes import ServeProcess


def test_a_body_over_three_mebibytes(api: Connection, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    raw = b'{"metadata":{"name":"big"},"data":{"a":"' + b"x" * (3 * 1024 * 1024) + b'"}}'
    got = api.request("POST", path, raw)
    assert (got.code, got.body["reason"]) == (413, "RequestEntityTooLarge")
    assert got.body["message"] == "Request entity too large: limit is 3145728"
    assert api.request("GET", f"{path}/big").code == 404


def test_a_config_map_over_one_mebibyte(api: Connection, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    got = api.request("POST", path, config_map("big", {"a": "x" * (1024 * 1024 + 1)}))
    assert (got.code, got.body["reason"]) == (422, "Invalid")
    assert "Too long: may not be more than 1048576 bytes" in got.body["message"]


def test_an_object_over_one_and_a_half_mebibytes(api: Connection, namespace: str) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/controllerrevisions"
    raw = {"metadata": {"name": "big"}, "revision": 1, "data": {"a": "x" * (1600 * 1024)}}
    got = api.request("POST", path, raw)
    assert got.code in {413, 500}
    assert got.body["status"] == "Failure"
    assert "too large" in got.body["message"]
    assert api.request("GET", f"{path}/big").code == 404


def test_annotations_over_their_limit(api: Connection, namespace: str) -> None:
    raw = config_map("big")
    raw["metadata"]["annotations"] = {"a": "x" * (256 * 1024)}
    got = api.request("POST", f"/api/v1/namespaces/{namespace}/configmaps", raw)
    assert (got.code, got.body["reason"]) == (422, "Invalid")
    assert (
        "metadata.annotations: Too long: may not be more than 262144 bytes" in got.body["message"]
    )


@pytest.fixture
def served(private_cluster: object) -> ServeProcess:
    assert callable(private_cluster)
    process = private_cluster("--memory")
    assert isinstance(process, ServeProcess)
    return process


def test_the_kubeconfig_is_its_owners_alone(served: ServeProcess) -> None:
    assert stat.S_IMODE(served.kubeconfig.stat().st_mode) == 0o600
    content = yaml.safe_load(served.kubeconfig.read_text())
    assert content["current-context"] == "cluster"
    assert [one["name"] for one in content["contexts"]] == ["cluster"]
    assert served.line.startswith("argosy: cluster is ready at https://127.0.0.1:")


@pytest.mark.kubectl
def test_metrics_count_what_is_asked(kubectl: Kubectl) -> None:
    kubectl("get", "configmaps")
    text = kubectl("get", "--raw", "/metrics").stdout
    line = next(
        one
        for one in text.splitlines()
        if one.startswith("apiserver_request_total{")
        and 'resource="configmaps"' in one
        and 'verb="LIST"' in one
    )
    assert float(line.rsplit(" ", 1)[1]) >= 1
    assert "# TYPE apiserver_request_total counter" in text
