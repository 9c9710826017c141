"""The definitions say what upstream's say: every field, limit, default, rule, column and name, in both versions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from argosy.api.crds import default_crd, kind_from_crd, validate_crd
from argosy.base.types import Json, Object
from argosy.queueing.definitions import KINDS, definitions

# What the contract's files leave out and its text gives instead.
ELSEWHERE = ("deprecated", "deprecationWarning", "selectableFields")


def undescribed(value: Json, *, fields: bool = False) -> Json:
    """Without descriptions, which are each project's own. `fields`: the keys are names of fields."""
    match value:
        case dict():
            return {
                key: undescribed(inner, fields=key == "properties" and not fields)
                for key, inner in value.items()
                if fields or key != "description"
            }
        case list():
            return [undescribed(inner) for inner in value]
        case _:
            return value


def comparable(version: Object) -> Object:
    out = {key: value for key, value in version.items() if key not in ELSEWHERE}
    schema = out["schema"]
    out["schema"] = schema.get("openAPIV3Schema", schema)
    return out | {
        "additionalPrinterColumns": out.get("additionalPrinterColumns") or [],
        "subresources": out.get("subresources"),
    }


def differences(got: Json, want: Json, path: str = "") -> Iterator[str]:
    if isinstance(got, dict) and isinstance(want, dict):
        for key in sorted(got.keys() | want.keys()):
            if key not in got or key not in want:
                yield f"{path}/{key}: {'not wanted' if key in got else 'missing'}"
            else:
                yield from differences(got[key], want[key], f"{path}/{key}")
    elif got != want:
        yield f"{path}: {got!r} instead of {want!r}"


def plain(value: Json) -> Json:
    return json.loads(json.dumps(value))


@pytest.fixture(params=definitions(), ids=lambda crd: crd["spec"]["names"]["plural"])
def definition(request: pytest.FixtureRequest) -> Object:
    return plain(request.param)


def test_a_definition_differs_from_the_contracts_schema_in_nothing(
    definition: Object, shared: Path
) -> None:
    got = undescribed(definition["spec"])
    name = f"{got['group']}_{got['names']['plural']}.json"
    want = json.loads((shared / "contract" / "schemas" / name).read_text())
    for spec in (got, want):
        spec["versions"] = {each["name"]: comparable(each) for each in spec["versions"]}

    assert list(differences(got, want)) == []


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
    def silent(schema: Object, path: str) -> Iterator[str]:
        for name, field in schema.get("properties", {}).items():
            if path or name not in {"apiVersion", "kind", "metadata"}:
                if not field.get("description"):
                    yield f"{path}.{name}"
                yield from silent(field, f"{path}.{name}")
        if "items" in schema:
            yield from silent(schema["items"], f"{path}[]")

    for version in definition["spec"]["versions"]:
        assert list(silent(version["schema"]["openAPIV3Schema"], "")) == []


def test_definitions_are_small_enough_for_kubectl_apply(definition: Object) -> None:
    """kubectl keeps what it applied in an annotation, and all annotations together may have 256 KiB."""
    assert len(msgspec.json.encode(definition)) < 128 * 1024
