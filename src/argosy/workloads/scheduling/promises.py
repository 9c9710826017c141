"""Claims that wait for their first pod: which node and which free volume they were promised.

A pod that is given a node settles where its unbound claims go: other pods of the same claims follow it there, and a
free volume that was found for one claim is no longer free for another. A promise holds from the decision until the
claim is bound or gone, because binder and provisioner need their time; it ends early if its volume is lost to somebody
else, or if the pod could not be bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from argosy.api.objects.storage import PersistentVolume, PersistentVolumeClaim
from argosy.base.quantities import parse

SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"

ClaimKey: TypeAlias = tuple[str, str]


class _Promise(NamedTuple):
    node: str
    # Empty if a volume is to be made.
    volume: str


class Promises:
    """By claim."""

    def __init__(self) -> None:
        self._made: dict[ClaimKey, _Promise] = {}
        self._volumes: dict[str, ClaimKey] = {}

    def __len__(self) -> int:
        return len(self._made)

    def node(self, claim: ClaimKey) -> str:
        """The node the claim goes to; empty if that is open."""
        made = self._made.get(claim)
        return made.node if made is not None else ""

    def is_free(self, volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
        """Whether no other claim was promised the volume."""
        return self._volumes.get(volume.metadata.name, claim.metadata.key) == claim.metadata.key

    def make(self, claim: PersistentVolumeClaim, node: str, volume: str) -> None:
        self.drop(claim.metadata.key)
        self._made[claim.metadata.key] = _Promise(node, volume)
        if volume:
            self._volumes[volume] = claim.metadata.key

    def drop(self, claim: ClaimKey) -> None:
        """It is bound, gone, or its pod could not be bound."""
        made = self._made.pop(claim, None)
        if made is not None and made.volume:
            del self._volumes[made.volume]

    def lose(self, volume: str, owner: ClaimKey | None) -> None:
        """The volume is gone, or somebody has it."""
        promised = self._volumes.get(volume)
        if promised is not None and promised != owner:
            self.drop(promised)


def matched(
    claims: Sequence[PersistentVolumeClaim], candidates: Iterable[Sequence[PersistentVolume]]
) -> list[PersistentVolume | None]:
    """A volume of its own for each claim, of its candidates the first that no other has: small claims come first."""
    found: list[PersistentVolume | None] = [None] * len(claims)
    taken: set[str] = set()
    numbered = sorted(
        zip(range(len(claims)), claims, candidates, strict=True),
        key=lambda one: (parse(one[1].spec.resources.requests.get("storage", "0")), one[0]),
    )
    for number, _, volumes in numbered:
        volume = next((one for one in volumes if one.metadata.name not in taken), None)
        if volume is not None:
            found[number] = volume
            taken.add(volume.metadata.name)
    return found
