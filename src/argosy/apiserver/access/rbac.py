"""RBAC: may this user do this? From Roles, ClusterRoles and their bindings, kept compiled.

Roles and bindings are decoded once, when they change, and a user's rules are gathered once per change of any of them,
so a request costs a dict lookup and a walk over the few rules of its user. A rule's verdict names the binding, as
kube-apiserver's does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from argosy.api.kinds import Kind
from argosy.apiserver.access.attributes import Attributes
from argosy.apiserver.access.identities import SERVICE_ACCOUNT_PREFIX, User
from argosy.apiserver.clusters import Cluster
from argosy.store import Key, Record, Selection

GROUP = "rbac.authorization.k8s.io"
RESOURCES = tuple(
    f"{plural}.{GROUP}"
    for plural in ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
)


class PolicyRule(msgspec.Struct, frozen=True, rename="camel"):
    """One rule of a role."""

    verbs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = ()
    non_resource_urls: tuple[str, ...] = msgspec.field(default=(), name="nonResourceURLs")

    def matches(self, asked: Attributes) -> bool:
        if asked.verb not in self.verbs and "*" not in self.verbs:
            return False
        if not asked.is_resource:
            return any(path_matches(pattern, asked.path) for pattern in self.non_resource_urls)
        if asked.group not in self.api_groups and "*" not in self.api_groups:
            return False
        if not self._names_resource(asked):
            return False
        return not self.resource_names or asked.name in self.resource_names

    def _names_resource(self, asked: Attributes) -> bool:
        if "*" in self.resources:
            return True
        if not asked.subresource:
            return asked.resource in self.resources
        return (
            f"{asked.resource}/{asked.subresource}" in self.resources
            or f"*/{asked.subresource}" in self.resources
        )


class _Role(msgspec.Struct, frozen=True):
    rules: tuple[PolicyRule, ...] | None = ()


class _Subject(msgspec.Struct, frozen=True):
    kind: str
    name: str
    namespace: str = ""


class _RoleRef(msgspec.Struct, frozen=True):
    kind: str
    name: str


class _Binding(msgspec.Struct, frozen=True, rename="camel"):
    role_ref: _RoleRef
    subjects: tuple[_Subject, ...] | None = ()


_decode_role = msgspec.json.Decoder(_Role).decode
_decode_binding = msgspec.json.Decoder(_Binding).decode


@dataclass(slots=True, frozen=True)
class Grant:
    """Rules a user has, in one namespace ("" is everywhere), and by which binding."""

    namespace: str
    rules: tuple[PolicyRule, ...]
    reason: str


class Rbac:
    """The authorizer of one cluster. Hook `changed` to the store's commits; it only forgets, the next question
    gathers anew.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._grants: dict[tuple[str, tuple[str, ...]], list[Grant]] = {}
        self._bindings: list[tuple[str, str, _Binding]] | None = None
        self._roles: dict[Key, tuple[PolicyRule, ...]] = {}
        for resource in RESOURCES:
            cluster.committed.setdefault(resource, []).append(self.changed)

    def changed(self, kind: Kind, record: Record, deleted: bool) -> None:
        self._grants.clear()
        self._roles.pop(record.key, None)
        if "binding" in record.key.resource:
            self._bindings = None

    def allows(self, user: User, asked: Attributes) -> tuple[bool, str]:
        if user.is_master:
            return True, ""
        for grant in self.grants(user):
            if grant.namespace and grant.namespace != asked.namespace:
                continue
            for rule in grant.rules:
                if rule.matches(asked):
                    return True, grant.reason
        return False, ""

    def grants(self, user: User) -> list[Grant]:
        """Every grant of a user, cluster-wide ones first."""
        key = (user.name, user.groups)
        found = self._grants.get(key)
        if found is None:
            found = self._grants[key] = list(self._gather(user))
        return found

    def _gather(self, user: User) -> Iterator[Grant]:
        for namespace, name, binding in self._all_bindings():
            subject = next((s for s in binding.subjects or () if _is(s, user, namespace)), None)
            if subject is None:
                continue
            role = binding.role_ref
            rules = self._rules(_role_key(role.kind, namespace, role.name))
            if rules:
                kind = "RoleBinding" if namespace else "ClusterRoleBinding"
                shown = f"{name}/{namespace}" if namespace else name
                reason = f'RBAC: allowed by {kind} "{shown}" of {role.kind} "{role.name}" to {_shown(subject)}'
                yield Grant(namespace, rules, reason)

    def _all_bindings(self) -> list[tuple[str, str, _Binding]]:
        if self._bindings is None:
            self._bindings = [
                (record.key.namespace, record.key.name, _decode_binding(record.raw))
                for plural in ("clusterrolebindings", "rolebindings")
                for record in self._cluster.store.list(f"{plural}.{GROUP}", Selection()).records
            ]
        return self._bindings

    def rules_of(self, kind: str, namespace: str, name: str) -> tuple[PolicyRule, ...] | None:
        """The rules of a role (of a namespace) or a cluster role; None where there is no such role."""
        key = _role_key(kind, namespace, name)
        return self._rules(key) if self._cluster.store.get(key) is not None else None

    def _rules(self, key: Key) -> tuple[PolicyRule, ...]:
        rules = self._roles.get(key)
        if rules is None:
            record = self._cluster.store.get(key)
            rules = (_decode_role(record.raw).rules or ()) if record is not None else ()
            self._roles[key] = rules
        return rules


def _role_key(kind: str, namespace: str, name: str) -> Key:
    return Key(f"{kind.lower()}s.{GROUP}", namespace if kind == "Role" else "", name)


def _is(subject: _Subject, user: User, namespace: str) -> bool:
    match subject.kind:
        case "User":
            return subject.name == user.name
        case "Group":
            return subject.name in user.groups
        case "ServiceAccount":
            where = subject.namespace or namespace
            return user.name == f"{SERVICE_ACCOUNT_PREFIX}{where}:{subject.name}"
    return False


def _shown(subject: _Subject) -> str:
    if subject.kind == "ServiceAccount":
        return f'ServiceAccount "{subject.name}/{subject.namespace}"'
    return f'{subject.kind} "{subject.name}"'


def path_matches(pattern: str, path: str) -> bool:
    return pattern in {"*", path} or (pattern.endswith("*") and path.startswith(pattern[:-1]))
