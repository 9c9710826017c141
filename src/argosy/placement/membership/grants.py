"""What the hub makes for a member: a namespace, rights in it, and the place where its agent reports.

All of it is owned by the MemberCluster. The rights are those upstream gives, in a Role, so the member's identity sees
its own namespace and nothing of the hub beside it. Objects that were left by an earlier MemberCluster of the name (its
finalizer was taken by hand) are taken over, so that they do not go with the one that has gone.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import (
    JOIN,
    LEAVE,
    InternalMemberCluster,
    MemberCluster,
    Subject,
)
from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.types import Object
from argosy.client.resources import MEMBER_CLUSTERS

RBAC: Final = "rbac.authorization.k8s.io"
_GROUPS: Final = (
    "cluster.kubernetes-fleet.io",
    "placement.kubernetes-fleet.io",
    "networking.fleet.azure.com",
)


class PolicyRule(View, frozen=True):
    verbs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = ()


class Role(View, frozen=True):
    """Without rules Kubernetes writes null."""

    metadata: ObjectMeta = ObjectMeta()
    rules: tuple[PolicyRule, ...] | None = None


class RoleBinding(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    subjects: tuple[Subject, ...] = ()


RULES: Final = (
    *(PolicyRule(("*",), (group,), ("*",)) for group in _GROUPS),
    PolicyRule(("get", "list", "update", "patch", "watch", "create"), ("",), ("events",)),
)


def role_name(member: str) -> str:
    return f"fleet-role-{member}"


def role_binding_name(member: str) -> str:
    return f"fleet-rolebinding-{member}"


def namespace_body(member: MemberCluster) -> Object:
    meta = _meta(names.member_namespace(member.metadata.name), member)
    return {"metadata": {**meta, "labels": {names.IS_FLEET_RESOURCE: "true"}}}


def namespace_patch(meta: ObjectMeta, member: MemberCluster) -> Object | None:
    """What is missing from the member's namespace; None if nothing is."""
    patch: Object = {}
    if not meta.labels.get(names.IS_FLEET_RESOURCE):
        patch["labels"] = {names.IS_FLEET_RESOURCE: "true"}
    patch |= _owners_patch(meta, member)
    return {"metadata": patch} if patch else None


def role_body(member: MemberCluster) -> Object:
    return {"metadata": _meta(role_name(member.metadata.name), member), "rules": _rules()}


def role_patch(role: Role, member: MemberCluster) -> Object | None:
    return _patch(role.metadata, member, {} if role.rules == RULES else {"rules": _rules()})


def role_binding_body(member: MemberCluster) -> Object:
    name = member.metadata.name
    return {
        "metadata": _meta(role_binding_name(name), member),
        "subjects": [_subject_document(_subject(member))],
        "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": role_name(name)},
    }


def role_binding_patch(binding: RoleBinding, member: MemberCluster) -> Object | None:
    wanted = _subject(member)
    is_right = binding.subjects == (wanted,)
    change: Object = {} if is_right else {"subjects": [_subject_document(wanted)]}
    return _patch(binding.metadata, member, change)


def internal_body(member: MemberCluster) -> Object:
    return {"metadata": _meta(member.metadata.name, member), "spec": _internal_spec(member)}


def internal_patch(internal: InternalMemberCluster, member: MemberCluster) -> Object | None:
    spec = _internal_spec(member)
    is_right = (
        internal.spec.state == spec["state"]
        and internal.spec.heartbeat_period_seconds == spec["heartbeatPeriodSeconds"]
    )
    return _patch(internal.metadata, member, {} if is_right else {"spec": spec})


def _internal_spec(member: MemberCluster) -> Object:
    is_leaving = member.metadata.deletion_timestamp is not None
    return {
        "state": LEAVE if is_leaving else JOIN,
        "heartbeatPeriodSeconds": member.spec.heartbeat_period_seconds,
    }


def _meta(name: str, member: MemberCluster) -> Object:
    return {"name": name, "ownerReferences": [_owner(member)]}


def _owner(member: MemberCluster) -> Object:
    return {
        "apiVersion": MEMBER_CLUSTERS.api_version,
        "kind": MEMBER_CLUSTERS.kind,
        "name": member.metadata.name,
        "uid": member.metadata.uid,
        "controller": True,
    }


def _patch(meta: ObjectMeta, member: MemberCluster, change: Object) -> Object | None:
    owners = _owners_patch(meta, member)
    patch = change | ({"metadata": owners} if owners else {})
    return patch or None


def _owners_patch(meta: ObjectMeta, member: MemberCluster) -> Object:
    """Our reference in place of one to another MemberCluster that had the name."""
    is_stale = any(
        owner.kind == MEMBER_CLUSTERS.kind and owner.uid != member.metadata.uid
        for owner in meta.owner_references
    )
    return {"ownerReferences": [_owner(member)]} if is_stale else {}


def _rules() -> list[Object]:
    return [
        {
            "verbs": list(rule.verbs),
            "apiGroups": list(rule.api_groups),
            "resources": list(rule.resources),
        }
        for rule in RULES
    ]


def _subject(member: MemberCluster) -> Subject:
    """The member's identity; of users and groups RBAC fills in the API group."""
    given = member.spec.identity
    if given.api_group or given.kind not in {"User", "Group"}:
        return given
    return Subject(given.kind, RBAC, given.name, given.namespace)


def _subject_document(subject: Subject) -> Object:
    document: Object = {"kind": subject.kind, "name": subject.name}
    if subject.api_group:
        document["apiGroup"] = subject.api_group
    if subject.namespace:
        document["namespace"] = subject.namespace
    return document
