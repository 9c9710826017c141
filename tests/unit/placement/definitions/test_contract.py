"""The definitions of hub and member say what upstream's say: every field, limit, default, rule, column and name."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from argosy.api.crds import default_crd, kind_from_crd, validate_crd
from argosy.base.types import Object
from argosy.member import definitions as member
from argosy.placement import definitions as hub
from tests.unit.contracts import contract_differences, plain, undescribed_fields

GROUPS = ("placement.kubernetes-fleet.io", "cluster.kubernetes-fleet.io", "multicluster.x-k8s.io")


@pytest.fixture(
    params=[*hub.definitions(), *member.definitions()],
    ids=lambda crd: crd["spec"]["names"]["plural"],
)
def definition(request: pytest.FixtureRequest) -> Object:
    return plain(request.param)


def test_a_definition_differs_from_the_contracts_schema_in_nothing(
    definition: Object, shared: Path
) -> None:
    assert contract_differences(definition, shared) == []


def test_the_contract_has_no_kind_that_is_not_defined(shared: Path) -> None:
    schemas = shared / "contract" / "schemas"
    files = {file.stem for group in GROUPS for file in schemas.glob(f"{group}_*.json")}
    resources = [kind.resource for kind in (*hub.KINDS, member.APPLIED_WORK)]

    assert {f"{resource.group}_{resource.plural}" for resource in resources} == files
    assert len(resources) == 25 + 2 + 1


def test_the_server_takes_a_definition_as_it_is(definition: Object) -> None:
    default_crd(definition)

    assert validate_crd(definition) == []
    assert definition["spec"]["conversion"] == {"strategy": "None"}


def test_the_fleets_groups_store_v1beta1_and_warn_of_no_version(definition: Object) -> None:
    definition["metadata"]["uid"] = "1"
    kind = kind_from_crd(definition)

    assert kind.storage_version == (
        "v1alpha1" if kind.group == "multicluster.x-k8s.io" else "v1beta1"
    )
    assert not any(version.deprecated for version in kind.versions.values())


def test_every_field_is_described_for_kubectl_explain(definition: Object) -> None:
    assert undescribed_fields(definition) == []


def test_definitions_are_small_enough_for_kubectl_apply(definition: Object) -> None:
    """kubectl keeps what it applied in an annotation, and all annotations together may have 256 KiB."""
    assert len(msgspec.json.encode(definition)) < 128 * 1024


def test_only_members_have_applied_works() -> None:
    assert [crd["spec"]["names"]["kind"] for crd in member.definitions()] == ["AppliedWork"]
    assert "AppliedWork" not in [crd["spec"]["names"]["kind"] for crd in hub.definitions()]
