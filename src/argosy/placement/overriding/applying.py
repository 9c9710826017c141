"""Changes manifests by the override rules that hold for one cluster.

A manifest is changed by the overrides of the cluster in order of their names, then by those of its namespace; each
one's rules are tried in order, and of each that holds all patches are made, in order. A rule that deletes ends it: the
manifest is not sent to this cluster. What no override selects keeps its bytes.

Values may hold variables, which are put in as text before the value is read:
`${MEMBER-CLUSTER-NAME}` and `${MEMBER-CLUSTER-LABEL-KEY-<key>}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.overrides import (
    DELETE,
    ClusterResourceOverrideSnapshot,
    JsonPatchOverride,
    OverrideRule,
    ResourceOverrideSnapshot,
)
from argosy.base.fielderrors import quote
from argosy.base.selectors.labels import SelectorError
from argosy.base.types import Json
from argosy.client.resources import CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS, RESOURCE_OVERRIDE_SNAPSHOTS
from argosy.placement.overriding.matching import Identified, holds, selected
from argosy.placement.overriding.patching import Operation, PatchFailed, patched

CLUSTER_NAME: Final = "${MEMBER-CLUSTER-NAME}"
LABEL_KEY: Final = "${MEMBER-CLUSTER-LABEL-KEY-"
_Snapshot = ClusterResourceOverrideSnapshot | ResourceOverrideSnapshot


class OverrideFailed(Exception):
    """An override cannot be applied; its text says which, to what, and why."""


class Overrider:
    """The overrides that a binding names, for its cluster."""

    def __init__(
        self,
        member: MemberCluster,
        cluster_overrides: Iterable[ClusterResourceOverrideSnapshot] = (),
        overrides: Iterable[ResourceOverrideSnapshot] = (),
    ) -> None:
        self._member = member
        self._cluster_wide = _by_object(cluster_overrides)
        self._namespaced = _by_object(overrides)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is ever changed."""
        return not self._cluster_wide and not self._namespaced

    def applied(self, who: Identified, manifest: msgspec.Raw) -> msgspec.Raw | None:
        """The manifest as this cluster gets it; None if it gets none. Raises OverrideFailed."""
        snapshots = [*self._cluster_wide.get(who.found_by, ()), *self._namespaced.get(who, ())]
        if not snapshots:
            return manifest
        document: Json = msgspec.json.decode(manifest)
        for snapshot in snapshots:
            policy = snapshot.spec.override_spec.policy
            for rule in policy.override_rules if policy is not None else ():
                try:
                    if not holds(rule, self._member.metadata.labels):
                        continue
                    if rule.override_type == DELETE:
                        return None
                    document = self._changed(document, rule)
                except (PatchFailed, SelectorError) as error:
                    raise OverrideFailed(f"{_where(snapshot, who)}: {error}") from error
        return msgspec.Raw(msgspec.json.encode(document))

    def _changed(self, document: Json, rule: OverrideRule) -> Json:
        # Variables of the whole rule are looked up before anything is changed.
        operations = [
            Operation(each.op, each.path, self._value(each)) for each in rule.json_patch_overrides
        ]
        for operation in operations:
            document = patched(document, operation)
        return document

    def _value(self, override: JsonPatchOverride) -> Json:
        text = bytes(override.value)
        if not text:
            return None
        if b"${" in text:
            text = filled(text.decode(), self._member).encode()
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise PatchFailed(
                f"the value of {override.path} is no JSON once its variables are filled in: {error}"
            ) from error


def filled(text: str, member: MemberCluster) -> str:
    """The text with its variables filled in for a cluster."""
    meta = member.metadata
    found = text.replace(CLUSTER_NAME, meta.name)
    while (start := found.find(LABEL_KEY)) >= 0:
        end = found.find("}", start + len(LABEL_KEY))
        if end < 0:
            raise PatchFailed(f"input {text} is missing the closing bracket `}}`")
        key = found[start + len(LABEL_KEY) : end]
        if key not in meta.labels:
            raise PatchFailed(f"label key {key} not found on cluster {meta.name}")
        found = found[:start] + meta.labels[key] + found[end + 1 :]
    return found


def _by_object(snapshots: Iterable[_Snapshot]) -> dict[Identified, list[_Snapshot]]:
    found: dict[Identified, list[_Snapshot]] = {}
    for snapshot in snapshots:
        for who in dict.fromkeys(selected(snapshot)):
            found.setdefault(who, []).append(snapshot)
    return found


def _where(snapshot: _Snapshot, who: Identified) -> str:
    if isinstance(snapshot, ClusterResourceOverrideSnapshot):
        kind = CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS.kind
    else:
        kind = RESOURCE_OVERRIDE_SNAPSHOTS.kind
    place = f" in namespace {quote(who.namespace)}" if who.namespace else ""
    return (
        f"{kind} {quote(snapshot.metadata.name)} failed to apply on "
        f"{who.kind} {quote(who.name)}{place}"
    )
