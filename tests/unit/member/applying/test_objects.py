"""What is written, and whose it is."""

from __future__ import annotations

import msgspec
import pytest

from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.base.types import Object
from argosy.client.resources import APPLIED_WORKS, Resource
from argosy.control.arrivals import (
    Definition,
    DefinitionNames,
    DefinitionSpec,
    DefinitionStatus,
    DefinitionVersion,
)
from argosy.member.applying.catalogs import merging_schema, served
from argosy.member.applying.objects import annotation, must_force, owned, recorded
from argosy.member.applying.owners import NotOurs, after_take_over, check_before_apply, owner_of

RECORD = "kubernetes-fleet.io/last-applied-configuration"
OWNER = owner_of("w", "u1")
OTHER_WORK = owner_of("v", "u2")
SOMEBODY: Object = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u3"}


def obj(*owners: Object) -> Object:
    return {"metadata": {"ownerReferences": list(owners)}}


def test_an_object_carries_its_hash_its_owner_and_a_record_of_both() -> None:
    manifest = {"kind": "X", "metadata": {"name": "x", "annotations": {"mine": "1"}}}
    body = owned(manifest, "abc", OWNER)
    made, fits = recorded(body, body)
    assert fits
    assert msgspec.json.decode(annotation(made, RECORD)) == body
    assert annotation(made, "kubernetes-fleet.io/spec-hash") == "abc"
    assert made["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "placement.kubernetes-fleet.io/v1beta1",
            "kind": "AppliedWork",
            "name": "w",
            "uid": "u1",
            "blockOwnerDeletion": True,
        }
    ]
    assert manifest["metadata"] == {"name": "x", "annotations": {"mine": "1"}}


@pytest.mark.parametrize(("more", "want"), [(0, True), (1, False)])
def test_annotations_have_256_kib(more: int, want: bool) -> None:
    body = owned({"metadata": {"annotations": {}}, "data": ""}, "abc", OWNER)
    made, _ = recorded(body, body)
    size = sum(len(k) + len(v) for k, v in made["metadata"]["annotations"].items())
    padded = {**body, "data": "x" * (256 * 1024 - size + more)}
    made, fits = recorded(padded, padded)
    assert fits is want
    assert (annotation(made, RECORD) != "") is want


FORCED: dict[str, tuple[list[str], bool]] = {
    "nobody manages it": ([], True),
    "only we do": (["work-api-agent", "before-first-apply"], True),
    "somebody else does too": (["work-api-agent", "kubectl"], False),
}


@pytest.mark.parametrize("case", FORCED)
def test_a_conflict_with_ourselves_is_none(case: str) -> None:
    managers, want = FORCED[case]
    fields = [{"manager": each} for each in managers]
    assert must_force({"metadata": {"managedFields": fields}}) is want


def test_what_is_taken_over_keeps_its_owners_where_it_may() -> None:
    taken = after_take_over(obj(SOMEBODY), OWNER, lambda _: True, may_share=True)
    assert taken == [SOMEBODY, OWNER]
    with pytest.raises(NotOurs, match="co-ownership is disallowed"):
        after_take_over(obj(SOMEBODY), OWNER, lambda _: True, may_share=False)
    with pytest.raises(NotOurs, match="owned by another Fleet AppliedWork object"):
        after_take_over(obj(OTHER_WORK), OWNER, lambda _: True, may_share=True)
    assert after_take_over(obj(OTHER_WORK), OWNER, lambda _: False, may_share=False) == [OWNER]


def test_owners_are_printed_like_structs() -> None:
    owner = {**SOMEBODY, "controller": True, "blockOwnerDeletion": False}
    with pytest.raises(NotOurs) as told:
        after_take_over(obj(owner), OWNER, lambda _: True, may_share=False)
    assert str(told.value).endswith(
        "(existingOwnerRefs: [{APIVersion:v1 Kind:Node Name:n UID:u3 Controller:true BlockOwnerDeletion:false}])"
    )


def test_what_owners_forbid_is_not_applied() -> None:
    check_before_apply(obj(), obj(OWNER), OWNER, may_share=False)
    check_before_apply(obj(SOMEBODY), None, OWNER, may_share=True)
    for manifest, live, may_share, text in (
        (obj(SOMEBODY), None, False, "set to have owner references"),
        (obj(OTHER_WORK), None, True, "unexpectedly added as an owner"),
        (obj(), obj(OWNER, SOMEBODY), False, "co-owned by multiple objects"),
        (obj(), obj(OWNER, OTHER_WORK), True, "already owned by another AppliedWork"),
    ):
        with pytest.raises(NotOurs, match=text):
            check_before_apply(manifest, live, OWNER, may_share=may_share)


def test_a_definition_serves_its_versions_once_it_is_established() -> None:
    spec = DefinitionSpec(
        "example.com",
        "Cluster",
        DefinitionNames("widgets", "Widget"),
        (DefinitionVersion("v1", True), DefinitionVersion("v0", False)),
    )
    status = DefinitionStatus((Condition(type="Established", status="True"),))
    assert served(Definition(ObjectMeta(), spec, status)) == {
        ("example.com", "v1", "Widget"): Resource(
            "example.com", "v1", "widgets", "Widget", namespaced=False
        )
    }
    assert served(Definition(ObjectMeta(), spec)) == {}


def test_only_kinds_that_go_has_types_of_take_strategic_patches() -> None:
    assert merging_schema(Resource("batch", "v1", "jobs", "Job")) is not None
    definitions = Resource("apiextensions.k8s.io", "v1", "x", "CustomResourceDefinition")
    assert merging_schema(definitions) is None
    assert merging_schema(APPLIED_WORKS) is None
