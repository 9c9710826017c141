"""Escalation: nobody hands out rights through roles and bindings that they do not have themselves.

Who writes a role must hold every right in it, or be allowed to `escalate` it; who writes a binding must hold every
right of the role it names, or be allowed to `bind` it. Admins (system:masters) may do both. Writes that leave rules and
subjects alone (garbage collection's) pass.
"""

from __future__ import annotations

from typing import ClassVar, Final

import msgspec

from argosy.apiserver.access.attributes import Attributes
from argosy.apiserver.access.coverage import describe, missing
from argosy.apiserver.access.rbac import GROUP, PolicyRule, Rbac
from argosy.apiserver.admission.naming import forbidden, name_of
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base import errors
from argosy.base.fielderrors import quote
from argosy.base.types import Object

_ROLES: Final = frozenset({f"roles.{GROUP}", f"clusterroles.{GROUP}"})
_BINDINGS: Final = frozenset({f"rolebindings.{GROUP}", f"clusterrolebindings.{GROUP}"})
_EVERYTHING: Final = (
    PolicyRule(verbs=("*",), api_groups=("*",), resources=("*",)),
    PolicyRule(verbs=("*",), non_resource_urls=("*",)),
)
# What garbage collection writes.
_OF_GARBAGE: Final = ("ownerReferences", "finalizers", "managedFields")


class Escalation:
    """Roles and bindings only."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def __init__(self, rbac: Rbac) -> None:
        self._rbac = rbac

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if new is None or call.user.is_master:
            return
        resource = call.kind.resource
        if resource not in _ROLES and resource not in _BINDINGS:
            return
        if old is not None and _same_but_garbage(new, old):
            return
        if resource in _ROLES:
            self._check_role(call, new)
        else:
            self._check_binding(call, new)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """Judged before validation, as upstream."""

    def _check_role(self, call: Call, role: Object) -> None:
        if self._may(call, "escalate", call.kind.plural, name_of(role)):
            return
        if role.get("aggregationRule") and self._missing(call, _EVERYTHING):
            raise forbidden(
                call, role, "must have cluster-admin privileges to use the aggregationRule"
            )
        rules = msgspec.convert(role.get("rules") or (), tuple[PolicyRule, ...])
        self._confirm(call, role, rules)

    def _check_binding(self, call: Call, binding: Object) -> None:
        ref = binding.get("roleRef") or {}
        kind, name = str(ref.get("kind", "")), str(ref.get("name", ""))
        if self._may(call, "bind", f"{kind.lower()}s", name):
            return
        rules = self._rbac.rules_of(kind, call.namespace, name)
        if rules is None:
            raise errors.not_found(call.kind.group, call.kind.plural, name)
        self._confirm(call, binding, rules)

    def _confirm(self, call: Call, obj: Object, rules: tuple[PolicyRule, ...]) -> None:
        lacking = self._missing(call, rules)
        if lacking:
            groups = " ".join(map(quote, call.user.groups))
            shown = "\n".join(sorted({describe(rule) for rule in lacking}))
            raise forbidden(
                call, obj,
                f"user {quote(call.user.name)} (groups=[{groups}]) is attempting to grant RBAC permissions not "
                f"currently held:\n{shown}",
            )  # fmt: skip

    def _missing(self, call: Call, rules: tuple[PolicyRule, ...]) -> list[PolicyRule]:
        held = [
            rule
            for grant in self._rbac.grants(call.user)
            if grant.namespace in {"", call.namespace}
            for rule in grant.rules
        ]
        return missing(held, rules)

    def _may(self, call: Call, verb: str, resource: str, name: str) -> bool:
        asked = Attributes(
            verb, group=GROUP, version="v1", resource=resource, namespace=call.namespace, name=name
        )
        return self._rbac.allows(call.user, asked)[0]


def _same_but_garbage(new: Object, old: Object) -> bool:
    def rest(obj: Object) -> Object:
        meta = {key: value for key, value in obj["metadata"].items() if key not in _OF_GARBAGE}
        return {**obj, "metadata": meta}

    return rest(new) == rest(old)
