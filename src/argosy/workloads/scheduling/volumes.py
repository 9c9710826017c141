"""What the volumes of a pod say about where it can run.

A claim must exist and be bound, or be of a class that waits for its first pod. The volume behind a bound claim may
belong to some nodes or to a zone. An unbound claim needs a free volume that reaches the node, or a provisioner that
makes volumes for it; it is marked with the chosen node, and binder and provisioner do the rest. What was decided and is
not done yet is kept in `promises`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

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
from argosy.workloads.scheduling.promises import SELECTED_NODE, Promises, matched

_NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
_ZONAL: Final[tuple[str, ...]] = (
    ZONE,
    REGION,
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
)


# The rows that each filter refuses, by its reasons; several may hold for one row.
Refusals: TypeAlias = dict[str, dict[str, Bools]]

_BINDING: Final = "VolumeBinding"
_ZONES: Final = "VolumeZone"


class Volumes:
    """Claims, volumes and classes, and what they mean for a pod."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.claims: dict[tuple[str, str], PersistentVolumeClaim] = {}
        self.volumes: dict[str, PersistentVolume] = {}
        self.classes: dict[str, StorageClass] = {}
        self.promises: Final = Promises()

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

    def refusals(self, profile: Profile) -> Refusals:
        """The nodes that the pod's volumes rule out."""
        found: Refusals = {}
        for name, _ in profile.claims:
            claim = self.claims.get((profile.namespace, name))
            if claim is not None and claim.is_bound:
                for plugin, reason, rows in self._of_bound(claim):
                    reasons = found.setdefault(plugin, {})
                    reasons[reason] = reasons[reason] | rows if reason in reasons else rows
        if unbound := self.unbound(profile):
            found.setdefault(_BINDING, {})[diagnoses.NOTHING_TO_BIND] = ~self._bind(unbound)
        return {plugin: found[plugin] for plugin in (_BINDING, _ZONES) if plugin in found}

    def unbound(self, profile: Profile) -> list[PersistentVolumeClaim]:
        """The claims that wait to hear which node the pod goes to."""
        claims = (self.claims.get((profile.namespace, name)) for name, _ in profile.claims)
        return [claim for claim in claims if claim is not None and not claim.is_bound]

    def settle(self, profile: Profile, node: str) -> bool:
        """The pod goes to a node: promise its claims what was found there; whether there was anything to promise."""
        claims = self.unbound(profile)
        row = self._ledger.rows[node]
        volumes = matched(claims, [[v for v, rows in self._found(c) if rows[row]] for c in claims])
        for claim, volume in zip(claims, volumes, strict=True):
            self.promises.make(claim, node, volume.metadata.name if volume is not None else "")
        return bool(claims)

    def unsettle(self, profile: Profile) -> None:
        """The pod does not go there after all."""
        for name, _ in profile.claims:
            self.promises.drop((profile.namespace, name))

    def put_claim(self, key: tuple[str, str], claim: PersistentVolumeClaim | None) -> None:
        """A claim as it is now; None: it is gone."""
        if claim is None:
            self.claims.pop(key, None)
        else:
            self.claims[key] = claim
        if claim is None or claim.is_bound:
            self.promises.drop(key)

    def put_volume(self, name: str, volume: PersistentVolume | None) -> None:
        """A volume as it is now; None: it is gone."""
        if volume is None:
            self.volumes.pop(name, None)
            self.promises.lose(name, None)
            return
        self.volumes[name] = volume
        if (owner := volume.spec.claim_ref) is not None:
            self.promises.lose(name, (owner.namespace, owner.name))

    def _bind(self, claims: list[PersistentVolumeClaim]) -> Bools:
        """The nodes where each of the claims gets a volume."""
        possible = self._ledger.alive.copy()
        for claim in claims:
            row = self._ledger.rows.get(self._chosen(claim))
            if row is not None:
                possible &= np.arange(len(possible)) == row
        found = [self._found(claim) for claim in claims]
        made = [self._provisioned(claim) for claim in claims]
        if len(claims) == 1:
            reached = made[0].copy()
            for _, rows in found[0]:
                reached |= rows
            return possible & reached
        for row in np.flatnonzero(possible).tolist():
            volumes = matched(claims, [[v for v, rows in one if rows[row]] for one in found])
            possible[row] = all(
                volume is not None or rows[row] for volume, rows in zip(volumes, made, strict=True)
            )
        return possible

    def _chosen(self, claim: PersistentVolumeClaim) -> str:
        """The node that was chosen for the claim; empty if none was. What makes a volume may be at it by now."""
        if node := self.promises.node(claim.metadata.key):
            return node
        found = self.classes.get(claim.class_name)
        if found is None or found.provisioner in {"", _NO_PROVISIONER}:
            return ""
        return claim.metadata.annotations.get(SELECTED_NODE, "")

    def _found(self, claim: PersistentVolumeClaim) -> list[tuple[PersistentVolume, Bools]]:
        """The free volumes the claim could have, those it would take first, and the nodes that reach them."""
        volumes = [
            volume
            for volume in self.volumes.values()
            if volume.suits(claim) and self.promises.is_free(volume, claim)
        ]
        volumes.sort(key=lambda one: (len(one.spec.access_modes), one.size, one.metadata.name))
        return [(volume, self._reaches(volume)) for volume in volumes]

    def _provisioned(self, claim: PersistentVolumeClaim) -> Bools:
        """The nodes for which a volume can be made."""
        found = self.classes.get(claim.class_name)
        if found is None or found.provisioner in {"", _NO_PROVISIONER}:
            return np.zeros(self._ledger.size, np.bool_)
        if not found.allowed_topologies:
            return np.ones(self._ledger.size, np.bool_)
        return self._where(lambda labels, _: found.allows(labels))

    def _of_bound(self, claim: PersistentVolumeClaim) -> Iterable[tuple[str, str, Bools]]:
        volume = self.volumes.get(claim.spec.volume_name)
        if volume is None:
            yield _BINDING, diagnoses.NO_VOLUME, np.ones(self._ledger.size, np.bool_)
            return
        if volume.spec.node_affinity is not None:
            yield _BINDING, diagnoses.VOLUME_ELSEWHERE, ~self._reaches(volume)
        zones = {
            key: volume.metadata.labels[key] for key in _ZONAL if key in volume.metadata.labels
        }
        if zones:
            yield _ZONES, diagnoses.VOLUME_ZONE, ~self._in_zones(zones)

    def _waits(self, claim: PersistentVolumeClaim) -> bool:
        """Whether the claim is bound only when a pod needs it."""
        if claim.spec.volume_name:
            return False
        found = self.classes.get(claim.class_name)
        return found is not None and found.waits

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
