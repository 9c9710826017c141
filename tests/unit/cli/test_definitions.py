"""`argosy crds`: the custom kinds as YAML that any Kubernetes takes."""

from __future__ import annotations

import pytest
import yaml

from argosy.api.crds import default_crd, validate_crd
from argosy.api.crds.expanding import expanded, is_embedding
from argosy.cli.main import main
from argosy.placement import definitions as placement
from argosy.queueing.definitions import definitions


def printed(capsys: pytest.CaptureFixture[str], *names: str) -> list[dict[str, object]]:
    assert main(["crds", *names]) == 0
    return list(
        yaml.load_all(capsys.readouterr().out, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    )


def test_all_kinds_are_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    crds = printed(capsys)
    names = {crd["metadata"]["name"] for crd in crds}

    assert {crd["metadata"]["name"] for crd in definitions()} < names
    assert {"nodepools.argosy.dev", "jobsets.jobset.x-k8s.io"} < names
    assert {crd["metadata"]["name"] for crd in placement.definitions()} < names
    assert "appliedworks.placement.kubernetes-fleet.io" in names
    for crd in crds:
        assert not is_embedding(crd)
        default_crd(crd)
        assert validate_crd(crd) == []


@pytest.mark.parametrize(
    "name", ["clusterqueues", "clusterqueue", "ClusterQueue", "cq", "clusterqueues.kueue.x-k8s.io"]
)
def test_one_kind_by_any_of_its_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (crd,) = printed(capsys, name)

    assert crd["spec"]["names"]["kind"] == "ClusterQueue"


def test_a_kind_of_the_fleet_by_its_short_name(capsys: pytest.CaptureFixture[str]) -> None:
    (crd,) = printed(capsys, "crp")

    assert crd["spec"]["names"]["kind"] == "ClusterResourcePlacement"


def test_an_unknown_name_is_told_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crds", "queue", "nope"]) == 1
    told = capsys.readouterr()

    assert told.out == ""
    assert told.err.startswith("argosy crds: there is no nope; there are admissionchecks, applied")


def test_a_type_that_is_written_out_says_what_the_name_stood_for() -> None:
    crd = next(crd for crd in definitions() if crd["spec"]["names"]["kind"] == "Workload")
    schema = expanded(crd)["spec"]["versions"][1]["schema"]["openAPIV3Schema"]
    pod = schema["properties"]["spec"]["properties"]["podSets"]["items"]["properties"]["template"]
    ports = pod["properties"]["spec"]["properties"]["containers"]["items"]["properties"]["ports"]

    assert ports["x-kubernetes-list-map-keys"] == ["containerPort", "protocol"]
    assert ports["items"]["properties"]["protocol"] == {"type": "string", "default": "TCP"}
    assert pod["properties"]["spec"]["description"] == "Its containers, and where they may run."
