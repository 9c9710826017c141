"""The definitions say what upstream's say: every field, limit, default, rule, column and name, in both versions."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from argosy.api.crds import default_crd, kind_from_crd, validate_crd
from argosy.base.types import Object
from argosy.queueing.definitions import KINDS, definitions
from tests.unit.contracts import contract_differences, plain, undescribed_fields


@pytest.fixture(params=definitions(), ids=lambda crd: crd["spec"]["names"]["plural"])
def definition(request: pytest.FixtureRequest) -> Object:
    return plain(request.param)


def test_a_definition_differs_from_the_contracts_schema_in_nothing(
    definition: Object, shared: Path
) -> None:
    assert contract_differences(definition, shared) == []


def test_the_contract_has_no_kind_that_is_not_defined(shared: Path) -> None:
    files = (shared / "contract" / "schemas").glob("kueue.x-k8s.io_*.json")

    assert {f"{kind.resource.group}_{kind.resource.plural}" for kind in KINDS} == {
        file.stem for file in files
    }


def test_the_server_takes_a_definition_as_it_is(definition: Object) -> None:
    default_crd(definition)

    assert validate_crd(definition) == []


def test_the_old_version_is_served_with_a_warning_and_the_new_one_stored(
    definition: Object,
) -> None:
    definition["metadata"]["uid"] = "1"
    kind = kind_from_crd(definition)

    assert kind.storage_version == "v1beta2"
    assert all(kind.serves(version) for version in ("v1beta1", "v1beta2"))
    assert kind.versions["v1beta1"].deprecation_warning == (
        "This version is deprecated. Use v1beta2 instead."
    )
    assert not kind.versions["v1beta2"].deprecated


def test_workloads_can_be_selected_by_the_clusterqueue_that_let_them_in() -> None:
    crd = next(d for d in definitions() if d["spec"]["names"]["kind"] == "Workload")
    got = {version["name"]: version.get("selectableFields") for version in crd["spec"]["versions"]}

    assert got == {"v1beta1": None, "v1beta2": [{"jsonPath": ".status.admission.clusterQueue"}]}


def test_every_field_is_described_for_kubectl_explain(definition: Object) -> None:
    assert undescribed_fields(definition) == []


def test_definitions_are_small_enough_for_kubectl_apply(definition: Object) -> None:
    """kubectl keeps what it applied in an annotation, and all annotations together may have 256 KiB."""
    assert len(msgspec.json.encode(definition)) < 128 * 1024
