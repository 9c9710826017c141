"""What `argosy up` does where it cannot begin, or cannot begin as the last time."""

from __future__ import annotations

import json
import shutil
import socket
import stat
from pathlib import Path

import pytest

from tests.crash.fleets import argosy, connection, until
from tests.support.connections import address_of
from tests.support.processes import sailing

MEMBERS = "/apis/cluster.kubernetes-fleet.io/v1beta1/memberclusters"


def test_a_second_start_names_the_first(tmp_path: Path) -> None:
    with sailing(tmp_path, "--members", "1") as first:
        for more in ((), ("--detach",)):
            got = argosy("up", "--state", str(tmp_path / "state"), *more)
            assert (got.returncode, got.stdout) == (1, "")
            assert f"is run by process {first.process.pid} already" in got.stderr
            assert "`argosy down` ends it" in got.stderr
        got = argosy("reset", "--yes", "--state", str(tmp_path / "state"))
        assert (got.returncode, "already" in got.stderr) == (1, True)
        assert first.process.poll() is None


def test_ready_means_that_nodes_are_known(tmp_path: Path) -> None:
    with sailing(tmp_path) as fleet, connection(fleet.kubeconfig, "hub") as hub:
        mode = stat.S_IMODE(fleet.kubeconfig.stat().st_mode)
        assert mode == 0o600
        nodes = {
            each["metadata"]["name"]: each["status"]["properties"]["kubernetes-fleet.io/node-count"]
            for each in hub.get(MEMBERS)["items"]
        }
        assert {name: each["value"] for name, each in nodes.items()} == {
            "cluster-1": "2",
            "cluster-2": "3",
            "cluster-3": "4",
        }


@pytest.mark.parametrize("whose", ["hub", "cluster-1"])
def test_a_remembered_port_that_somebody_took(tmp_path: Path, whose: str) -> None:
    with sailing(tmp_path, "--members", "1") as fleet:
        before = connection(fleet.kubeconfig, whose).address.port
    with socket.create_server(("127.0.0.1", before)), sailing(tmp_path) as fleet:
        with connection(fleet.kubeconfig, whose) as cluster:
            after = cluster.address.port
            assert cluster.get("/readyz") == "ok"
        assert after != before
        assert f"{whose}: port {before} of the last start is taken by another program" in fleet.log
        assert f"served on port {after} from now on, and the kubeconfig says so" in fleet.log
    with sailing(tmp_path) as fleet:
        assert connection(fleet.kubeconfig, whose).address.port == after


def test_the_port_that_is_asked_for_is_taken(tmp_path: Path) -> None:
    with sailing(tmp_path, "--members", "1") as fleet:
        port = address_of(fleet.kubeconfig).port
        got = argosy("up", "--state", str(tmp_path / "other"), "--port", str(port), "--detach")
    assert got.returncode == 1
    assert f"port {port} of 127.0.0.1 is in use by another program" in got.stderr
    assert not (tmp_path / "other").exists()


def test_a_directory_of_another_version_or_of_something_else_is_left_alone(tmp_path: Path) -> None:
    newer, foreign = tmp_path / "newer", tmp_path / "foreign"
    newer.mkdir()
    (newer / "fleet.json").write_text(json.dumps({"format": 99, "what": "is to come"}))
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("years of work")
    for directory, want in (
        (newer, "has format 99, of newer Argosy"),
        (foreign, "is no fleet's directory (it has thesis.tex)"),
    ):
        before = {path.name: path.read_bytes() for path in directory.iterdir()}
        for verb in (("up",), ("up", "--detach"), ("reset", "--yes")):
            got = argosy(*verb, "--state", str(directory))
            assert (got.returncode, got.stdout) == (1, "")
            assert want in got.stderr
            assert "nothing was changed" in got.stderr
        assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


def test_a_fleet_follows_its_file_and_remembers_it(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    head = "apiVersion: argosy.dev/v1alpha1\nkind: Fleet\n"
    pool = "{{name: {}, nodes: {}, machine: {{cpu: 2, memory: 8Gi}}}}"
    file.write_text(
        f"{head}defaults: {{labels: {{tier: a}}}}\nmembers:\n"
        f"- {{name: 'm-{{n}}', count: 2, region: eu, nodePools: [{pool.format('p', 1)}, {pool.format('q', 1)}]}}\n"
    )
    with (
        sailing(tmp_path, "--fleet", str(file)) as fleet,
        connection(fleet.kubeconfig, "hub") as hub,
    ):
        hub.merge(f"{MEMBERS}/m-1", {"metadata": {"labels": {"mine": "1"}}})
    with sailing(tmp_path) as fleet, connection(fleet.kubeconfig, "hub") as hub:
        # Remembered, and what people changed is theirs.
        labels = hub.get(f"{MEMBERS}/m-1")["metadata"]["labels"]
        assert {name: labels.get(name) for name in ("tier", "region", "mine")} == {
            "tier": "a",
            "region": "eu",
            "mine": "1",
        }
    file.write_text(
        f"{head}members:\n- {{name: m-1, region: us, nodePools: [{pool.format('p', 3)}]}}\n"
        f"- {{name: m-3, nodePools: [{pool.format('p', 1)}]}}\n"
    )
    with sailing(tmp_path, "--fleet", str(file)) as fleet:
        assert "members of earlier starts that are not run now: m-2" in fleet.log
        with connection(fleet.kubeconfig, "hub") as hub:
            labels = hub.get(f"{MEMBERS}/m-1")["metadata"]["labels"]
            assert {name: labels.get(name) for name in ("tier", "region", "mine")} == {
                "tier": None,
                "region": "us",
                "mine": "1",
            }
            assert {each["metadata"]["name"] for each in hub.get(MEMBERS)["items"]} == {
                "m-1",
                "m-2",
                "m-3",
            }
        with connection(fleet.kubeconfig, "m-1") as member:
            pools = "/apis/argosy.dev/v1alpha1/nodepools"
            until(
                lambda: [each["metadata"]["name"] for each in member.get(pools)["items"]] == ["p"],
                "the pool q goes",
            )
            until(lambda: len(member.get("/api/v1/nodes")["items"]) == 3, "three nodes")
    shutil.rmtree(tmp_path / "state")
