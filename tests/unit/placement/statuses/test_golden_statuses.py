"""The statuses that a real KubeFleet wrote, judged again from the objects that lay beside them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
import yaml

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import Placement, PlacementStatus
from argosy.api.objects.fleet.snapshots import PolicySnapshot, ResourceSnapshot
from argosy.base.types import Object
from argosy.placement.selecting.selections import identifiers
from argosy.placement.snapshotting.policies import policy_hash
from argosy.placement.snapshotting.resources import shards_of
from argosy.placement.statuses.documents import status_document
from argosy.placement.statuses.evaluating import Picture, evaluate
from argosy.placement.statuses.wordings import HEAD

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
STAMP = "2026-01-02T03:04:05Z"
CASES = Path(__file__).parents[5] / "shared/fixtures/kubefleet/cases"
PLACEMENTS = sorted(
    path
    for path in CASES.glob("*/*-*.yaml")
    if path.name.startswith(("crp-", "rp-")) and path.name.count(".") == 1
)
V = TypeVar("V")


def documents(path: Path) -> list[Object]:
    if not path.exists():
        return []
    text = path.read_text().replace("<time>", f"'{STAMP}'")
    return [each for each in yaml.safe_load_all(text) if each]


def views(path: Path, what: str, kind: type[V]) -> list[V]:
    beside = path.with_suffix(f".{what}.yaml")
    return [msgspec.json.decode(msgspec.json.encode(each), type=kind) for each in documents(beside)]


def cases() -> list[object]:
    return [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in PLACEMENTS]


@pytest.mark.parametrize("path", cases())
def test_a_status_comes_out_as_upstream_wrote_it(path: Path) -> None:
    if not (found := documents(path)):
        pytest.skip("the placement has gone in this case")
    (document,) = found
    want = document.pop("status")
    placement = msgspec.json.decode(msgspec.json.encode(document), type=Placement)
    policies = views(path, "policysnapshots", PolicySnapshot)
    resources = views(path, "resourcesnapshots", ResourceSnapshot)
    by_name = {each.metadata.name: each for each in resources}
    latest = [each for each in resources if each.metadata.labels.get(names.IS_LATEST) == "true"]
    picture = Picture(
        placement,
        policies[0],
        latest[0] if latest else None,
        views(path, "bindings", Binding),
        lambda name: by_name[name].metadata.labels[names.RESOURCE_INDEX],
        lambda index: identifiers(shards_of(resources, index)),
    )
    status = evaluate(picture, HEAD, NOW)
    got = msgspec.json.decode(msgspec.json.encode(status_document(status)))
    assert got == want
    again = evaluate(_judged(picture, status), HEAD, NOW.replace(year=2027))
    assert again == status


@pytest.mark.parametrize("path", cases())
def test_a_policy_has_upstreams_hash(path: Path) -> None:
    policies = views(path, "policysnapshots", PolicySnapshot)
    if not policies:
        pytest.skip("the placement has gone in this case")
    for snapshot in policies:
        assert policy_hash(snapshot.spec.policy) == snapshot.spec.policy_hash


def test_there_are_cases(shared: Path) -> None:
    assert len(PLACEMENTS) > 15


def _judged(picture: Picture, status: PlacementStatus) -> Picture:
    placement = msgspec.structs.replace(picture.placement, status=status)
    return Picture(
        placement,
        picture.policy,
        picture.resources,
        picture.bindings,
        picture.index,
        picture.selected,
    )
