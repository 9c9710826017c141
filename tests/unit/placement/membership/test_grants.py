"""What a member is given, and what is put right of it."""

from __future__ import annotations

import msgspec

from argosy.api.objects.fleet.members import (
    InternalMemberCluster,
    MemberCluster,
    MemberClusterSpec,
    Subject,
)
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Object
from argosy.placement.membership import grants

USER = Subject("User", name="m-agent")
MEMBER = MemberCluster(
    ObjectMeta(name="m", uid="new"), MemberClusterSpec(identity=USER, heartbeat_period_seconds=15)
)
EARLIER = MemberCluster(ObjectMeta(name="m", uid="old"), MEMBER.spec)
OWNER = {
    "apiVersion": "cluster.kubernetes-fleet.io/v1beta1",
    "kind": "MemberCluster",
    "name": "m",
    "uid": "new",
    "controller": True,
}


def test_what_is_right_is_left_alone() -> None:
    namespace = _meta(grants.namespace_body(MEMBER))
    role = msgspec.convert(grants.role_body(MEMBER), grants.Role)
    binding = msgspec.convert(grants.role_binding_body(MEMBER), grants.RoleBinding)
    internal = msgspec.convert(grants.internal_body(MEMBER), InternalMemberCluster)
    assert grants.namespace_patch(namespace, MEMBER) is None
    assert grants.role_patch(role, MEMBER) is None
    assert grants.role_binding_patch(binding, MEMBER) is None
    assert grants.internal_patch(internal, MEMBER) is None


def test_what_an_earlier_member_of_the_name_left_is_taken_over() -> None:
    want = {"metadata": {"ownerReferences": [OWNER]}}
    namespace = _meta(grants.namespace_body(EARLIER))
    role = msgspec.convert(grants.role_body(EARLIER), grants.Role)
    binding = msgspec.convert(grants.role_binding_body(EARLIER), grants.RoleBinding)
    internal = msgspec.convert(grants.internal_body(EARLIER), InternalMemberCluster)
    assert grants.namespace_patch(namespace, MEMBER) == want
    assert grants.role_patch(role, MEMBER) == want
    assert grants.role_binding_patch(binding, MEMBER) == want
    assert grants.internal_patch(internal, MEMBER) == want


def test_a_namespace_that_was_there_is_labeled() -> None:
    got = grants.namespace_patch(ObjectMeta(name="fleet-member-m"), MEMBER)
    assert got == {"metadata": {"labels": {"kubernetes-fleet.io/is-fleet-resource": "true"}}}


def test_users_and_groups_are_rbacs_and_service_accounts_are_not() -> None:
    account = Subject("ServiceAccount", name="agent", namespace="fleet-system")
    member = MemberCluster(MEMBER.metadata, MemberClusterSpec(identity=account))
    assert grants.role_binding_body(MEMBER)["subjects"] == [
        {"kind": "User", "name": "m-agent", "apiGroup": "rbac.authorization.k8s.io"}
    ]
    assert grants.role_binding_body(member)["subjects"] == [
        {"kind": "ServiceAccount", "name": "agent", "namespace": "fleet-system"}
    ]


def _meta(body: Object) -> ObjectMeta:
    return msgspec.convert(body["metadata"], ObjectMeta)
