"""What the volumes of a pod say about where it can run.

A claim must exist and be bound, or be of a class that waits for its first pod. The volume behind a bound claim may
belong to some nodes or to a zone. Which volume an unbound claim gets is not decided here: the claim is marked with the
chosen node and its provisioner does the rest; only classes without a provisioner need a free volume that reaches the
node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from argosy.api.nodefit import RequiredAffinity
from argosy.api.objects.storage import (
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from argosy.api.wellknown import REGION, ZONE
from argosy.workloads.scheduling import diagnoses
from argosy.workloads.scheduling.columns import Bools
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.profiles import Profile

_NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
_ZONAL: Final[tuple[str, ...]] = (
    ZONE,
    REGION,
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
)


class Refusals(NamedTuple):
    """Rows refused for a reason."""

    reason: str
    plugin: str
    rows: Bools


class Volumes:
    """Claims, volumes and classes, and what they mean for a pod."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.claims: dict[tuple[str, str], PersistentVolumeClaim] = {}
        self.volumes: dict[str, PersistentVolume] = {}
        self.classes: dict[str, StorageClass] = {}

    def objection(self, profile: Profile) -> str:
        """Why the pod cannot be placed anywhere; empty if it can."""
        immediate = False
        for name, is_own in profile.claims:
            claim = self.claims.get((profile.namespace, name))
            if claim is None:
                if is_own:
                    return (
                        "waiting for ephemeral volume controller to create the "
                        f'persistentvolumeclaim "{name}"'
                    )
                return f'persistentvolumeclaim "{name}" not found'
            if claim.status.phase == "Lost":
                return (
                    f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume '
                    f'"{claim.spec.volume_name}"'
                )
            if claim.metadata.deletion_timestamp is not None:
                return f'persistentvolumeclaim "{name}" is being deleted'
            if not claim.is_bound and not self._waits(claim):
                immediate = True
        return "pod has unbound immediate PersistentVolumeClaims" if immediate else ""

    def refusals(self, profile: Profile) -> list[Refusals]:
        """The nodes that the pod's volumes rule out."""
        found: list[Refusals] = []
        for name, _ in profile.claims:
            claim = self.claims.get((profile.namespace, name))
            if claim is None:
                continue
            if claim.is_bound:
                found += self._of_bound(claim)
            elif self._needs_volume(claim):
                reachable = self._any_reaches(claim)
                found.append(Refusals(diagnoses.NOTHING_TO_BIND, "VolumeBinding", ~reachable))
        return found

    def to_select(self, profile: Profile) -> list[tuple[str, str]]:
        """The claims that wait to hear which node the pod goes to."""
        keys = ((profile.namespace, name) for name, _ in profile.claims)
        return [
            key
            for key in keys
            if (claim := self.claims.get(key)) is not None and not claim.is_bound
        ]

    def _of_bound(self, claim: PersistentVolumeClaim) -> Iterable[Refusals]:
        volume = self.volumes.get(claim.spec.volume_name)
        if volume is None:
            everywhere = np.ones(self._ledger.size, np.bool_)
            yield Refusals(diagnoses.NO_VOLUME, "VolumeBinding", everywhere)
            return
        if volume.spec.node_affinity is not None:
            yield Refusals(diagnoses.VOLUME_ELSEWHERE, "VolumeBinding", ~self._reaches(volume))
        zones = {
            key: volume.metadata.labels[key] for key in _ZONAL if key in volume.metadata.labels
        }
        if zones:
            yield Refusals(diagnoses.VOLUME_ZONE, "VolumeZone", ~self._in_zones(zones))

    def _waits(self, claim: PersistentVolumeClaim) -> bool:
        """Whether the claim is bound only when a pod needs it."""
        if claim.spec.volume_name:
            return False
        found = self.classes.get(claim.spec.storage_class_name or "")
        return found is not None and found.volume_binding_mode == "WaitForFirstConsumer"

    def _needs_volume(self, claim: PersistentVolumeClaim) -> bool:
        found = self.classes.get(claim.spec.storage_class_name or "")
        return found is not None and found.provisioner == _NO_PROVISIONER

    def _any_reaches(self, claim: PersistentVolumeClaim) -> Bools:
        reachable = np.zeros(self._ledger.size, np.bool_)
        for volume in self.volumes.values():
            if volume.suits(claim):
                reachable |= self._reaches(volume)
        return reachable

    def _reaches(self, volume: PersistentVolume) -> Bools:
        affinity = volume.spec.node_affinity
        if affinity is None:
            return np.ones(self._ledger.size, np.bool_)
        required = {"requiredDuringSchedulingIgnoredDuringExecution": affinity.get("required")}
        matches = RequiredAffinity({}, required).matches
        return self._where(matches)

    def _in_zones(self, zones: Mapping[str, str]) -> Bools:
        """A label may name several zones, joined by two underscores; nodes without any zone label are not looked at."""
        allowed = {key: set(value.split("__")) for key, value in zones.items()}
        return self._where(
            lambda labels, _: (
                not any(key in labels for key in _ZONAL)
                or all(labels.get(key) in values for key, values in allowed.items())
            )
        )

    def _where(self, holds: Callable[[Mapping[str, str], str], bool]) -> Bools:
        return np.fromiter(
            (
                node is not None and holds(node.metadata.labels, node.metadata.name)
                for node in self._ledger.nodes
            ),
            np.bool_,
            self._ledger.size,
        )
