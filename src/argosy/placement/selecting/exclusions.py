"""What is never passed on to members: kinds, namespaces, and single objects a hub has for itself.

Mirrors the hub agent's resource configuration: a list of kinds that are skipped, or instead of it a list of those that
are allowed. Both are written as upstream's flags write them: `group`, `group/version` or `group/version/Kind,Kind`,
separated by semicolons; the core group is left out (`v1/Pod`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from argosy.client.resources import Resource
from argosy.placement.selecting.watched import Watched

_FLEET: Final = "placement.kubernetes-fleet.io"
_ENVELOPES: Final = frozenset({"ClusterResourceEnvelope", "ResourceEnvelope"})
_GROUPS: Final = frozenset(
    {
        "cluster.kubernetes-fleet.io",
        "coordination.k8s.io",
        "events.k8s.io",
        "metrics.k8s.io",
    }
)
_KINDS: Final = frozenset(
    {
        ("", "Event"),
        ("", "Node"),
        ("", "Pod"),
        ("networking.fleet.azure.com", "ServiceImport"),
        ("networking.fleet.azure.com", "TrafficManagerBackend"),
        ("networking.fleet.azure.com", "TrafficManagerProfile"),
    }
)
_RESERVED: Final = ("fleet-", "kube-")
_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"


class _Typed(msgspec.Struct, gc=False):
    type: str = ""


_decode_typed = msgspec.json.Decoder(_Typed).decode


class Apis:
    """A list of kinds as a flag writes it."""

    def __init__(self, text: str) -> None:
        self._groups: set[str] = set()
        self._versions: set[tuple[str, str]] = set()
        self._kinds: set[tuple[str, str, str]] = set()
        for entry in filter(None, (part.strip() for part in text.split(";"))):
            self._add(entry)

    def _add(self, entry: str) -> None:
        parts = entry.split("/")
        if len(parts) == 2 and parts[0] == "v1":
            # The core group has no name to begin with.
            parts = ["", *parts]
        match parts:
            case [group]:
                self._groups.add(group)
            case [group, version]:
                self._versions.add((group, version))
            case [group, version, kinds]:
                self._kinds.update((group, version, kind.strip()) for kind in kinds.split(","))
            case _:
                raise ValueError(
                    f'"{entry}" is none of group, group/version, group/version/Kind[,Kind]'
                )

    def __contains__(self, resource: Resource) -> bool:
        group, version = resource.group, resource.version
        return (
            group in self._groups
            or (group, version) in self._versions
            or (group, version, resource.kind) in self._kinds
        )


@dataclass(slots=True, frozen=True)
class Exclusions:
    """`allowed` stands instead of everything that is skipped by default or by `skipped`.

    `runs_workloads`: pods run on the hub, so its claims are its own.
    """

    skipped: Apis | None = None
    allowed: Apis | None = None
    namespaces: frozenset[str] = frozenset()
    runs_workloads: bool = False

    def has_kind(self, resource: Resource) -> bool:
        """Whether objects of the kind stay on the hub; a selector that names it selects nothing."""
        if self.allowed is not None:
            return resource not in self.allowed
        if self.skipped is not None and resource in self.skipped:
            return True
        group, kind = resource.group, resource.kind
        if group == _FLEET:
            return kind not in _ENVELOPES
        return group in _GROUPS or (group, kind) in _KINDS

    def has_namespace(self, namespace: str) -> bool:
        """Whether nothing leaves this namespace together with it."""
        return (
            namespace == "default"
            or namespace.startswith(_RESERVED)
            or namespace in self.namespaces
        )

    def has_object(self, resource: Resource, found: Watched, *, has_service: bool) -> bool:
        """Whether the hub, or a controller on it, has the object for itself. `has_service`: one of its name exists."""
        if found.is_deleting:
            return True
        match resource.group, resource.kind:
            case "apps", "ReplicaSet" | "ControllerRevision":
                return found.is_owned
            case "", "ConfigMap":
                return found.name == "kube-root-ca.crt"
            case "", "ServiceAccount":
                return found.name == "default"
            case "", "Secret":
                return _decode_typed(found.raw.body).type == "kubernetes.io/service-account-token"
            case "", "PersistentVolumeClaim":
                return self.runs_workloads
            case "", "Endpoints":
                return has_service
            case "discovery.k8s.io", "EndpointSlice":
                return _MANAGED_BY in found.labels
        return False


DEFAULT_EXCLUSIONS: Final = Exclusions()
