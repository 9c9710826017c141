"""The Works a binding wants: one per shard of its resource snapshot, and one per envelope in it.

A Work carries in labels and annotations what it was made of: binding, placement, snapshot, and hashes of the overrides
that the binding names. Where these agree with the binding, so do the manifests, and nobody has to look at them. What
the placement wishes of its members (`wishes_of`) goes along as an annotation, too.

Manifests keep their order and, where no override changes them, their bytes: a placement without overrides and envelopes
is passed on undecoded. A shard whose manifests are all deleted by overrides or packed into envelopes has an empty Work,
so that there is somebody to report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Final

import msgspec

from argosy.api.gojson import go_json
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import ApplyStrategy, Placement
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.works import SentWork
from argosy.base.types import Object
from argosy.placement.overriding.applying import OverrideFailed, Overrider
from argosy.placement.overriding.identities import identify, is_envelope
from argosy.placement.overriding.matching import Identified
from argosy.placement.rescheduling.wishes import after_of
from argosy.placement.working.envelopes import (
    labels_of,
    place,
    standing_for,
    unpacked,
    work_name,
)

_NO_STRATEGY: Final[Object] = dict.fromkeys(ApplyStrategy.__struct_encode_fields__)
# The annotations of a placement that are meant for its members.
WISHES: Final = (names.QUEUE_MANAGED, names.RESCHEDULE)
NOTHING_WISHED: Final[Mapping[str, str]] = MappingProxyType({})
_NO_WISHES: Final[Object] = dict.fromkeys(WISHES)


@dataclass(slots=True, frozen=True)
class Draft:
    """A Work as it should be."""

    name: str
    namespace: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    manifests: tuple[msgspec.Raw, ...]
    strategy: ApplyStrategy | None

    def document(self) -> Object:
        """The object to create."""
        spec: Object = {"workload": {"manifests": self.manifests} if self.manifests else {}}
        if self.strategy is not None:
            spec["applyStrategy"] = self.strategy
        meta: Object = {
            "name": self.name,
            "namespace": self.namespace,
            "labels": self.labels,
            "annotations": self.annotations,
        }
        return {"metadata": meta, "spec": spec}

    def patch(self) -> Object:
        """The merge patch that makes any Work this one."""
        return {
            "metadata": {"labels": self.labels, "annotations": {**_NO_WISHES, **self.annotations}},
            "spec": {
                "workload": {"manifests": self.manifests or None},
                "applyStrategy": strategy_patch(self.strategy),
            },
        }


def strategy_patch(strategy: ApplyStrategy | None) -> Object | None:
    """The merge patch that puts this apply strategy in the place of any other."""
    return None if strategy is None else {**_NO_STRATEGY, **msgspec.to_builtins(strategy)}


def shards_of(
    master: ResourceSnapshot, snapshots: Sequence[ResourceSnapshot]
) -> list[ResourceSnapshot] | None:
    """All shards of a master's index, in order; None while some are still to be written.

    `snapshots` are all those of the placement.
    """
    index = master.metadata.labels.get(names.RESOURCE_INDEX, "")
    others = [
        each
        for each in snapshots
        if each.metadata.labels.get(names.RESOURCE_INDEX) == index
        and names.SUBINDEX in each.metadata.annotations
    ]
    count = master.metadata.annotations.get(names.NUMBER_OF_SNAPSHOTS, "1")
    if count.isdecimal() and len(others) + 1 < int(count):
        return None
    return [master, *sorted(others, key=_subindex)]


def shard_work_name(shard: ResourceSnapshot) -> str:
    """The name of a shard's own Work, with which those of its envelopes begin."""
    meta = shard.metadata
    base = names.work_prefix(meta.labels.get(names.PARENT, ""), meta.namespace)
    return f"{base}-{meta.annotations.get(names.SUBINDEX, 'work')}"


def build(
    binding: Binding,
    shards: Sequence[ResourceSnapshot],
    overrider: Overrider,
    works: Sequence[SentWork] = (),
    wishes: Mapping[str, str] = NOTHING_WISHED,
) -> list[Draft]:
    """The Works of a binding. `shards` begins with the master; `works` are those the binding has.

    Raises OverrideFailed, EnvelopeRefused and DuplicateWorks.
    """
    builder = _Builder(binding, overrider, works, wishes)
    is_plain = overrider.is_idle and envelopes_in(shards) == 0
    for shard in shards:
        if is_plain:
            builder.add(shard, shard_work_name(shard), shard.spec.selected_resources)
        else:
            builder.add_shard(shard)
    return builder.drafts


def envelopes_in(shards: Sequence[ResourceSnapshot]) -> int | None:
    """How many envelopes a snapshot says to hold; None if it does not say."""
    count = shards[0].metadata.annotations.get(names.NUMBER_OF_ENVELOPES, "") if shards else ""
    return int(count) if count.isdecimal() else None


class _Builder:
    def __init__(
        self,
        binding: Binding,
        overrider: Overrider,
        works: Sequence[SentWork],
        wishes: Mapping[str, str],
    ) -> None:
        self.drafts: list[Draft] = []
        self._binding = binding
        self._overrider = overrider
        self._works = works
        self._namespace = names.member_namespace(binding.spec.target_cluster)
        self._annotations = {**annotations_of(binding), **wishes}

    def add_shard(self, shard: ResourceSnapshot) -> None:
        """Add the Works of a shard: envelopes first, the rest in the shard's own."""
        prefix, manifests = shard_work_name(shard), []
        for manifest in shard.spec.selected_resources:
            who = identify(manifest)
            if is_envelope(who):
                self._add_envelope(shard, prefix, who, manifest)
            elif (changed := self._overrider.applied(who, manifest)) is not None:
                manifests.append(changed)
        self.add(shard, prefix, tuple(manifests))

    def _add_envelope(
        self, shard: ResourceSnapshot, prefix: str, envelope: Identified, manifest: msgspec.Raw
    ) -> None:
        manifests = []
        for packed in unpacked(envelope, manifest):
            try:
                changed = self._overrider.applied(packed.who, packed.manifest)
            except OverrideFailed as error:
                raise OverrideFailed(f"envelope {place(envelope)}: {error}") from error
            if changed is not None:
                manifests.append(changed)
        present = standing_for(envelope, self._works)
        name = work_name(prefix, envelope) if present is None else present.metadata.name
        self.add(shard, name, tuple(manifests), labels_of(envelope))

    def add(
        self,
        shard: ResourceSnapshot,
        name: str,
        manifests: tuple[msgspec.Raw, ...],
        more: Mapping[str, str] | None = None,
    ) -> None:
        self.drafts.append(
            Draft(
                name,
                self._namespace,
                {**work_labels(self._binding, shard), **(more or {})},
                self._annotations,
                manifests,
                self._binding.spec.apply_strategy,
            )
        )


def work_labels(binding: Binding, shard: ResourceSnapshot) -> dict[str, str]:
    """What every Work of a shard is labelled with."""
    meta = binding.metadata
    labels = {
        names.PARENT_BINDING: meta.name,
        names.PARENT: meta.labels.get(names.PARENT, ""),
        names.PARENT_SNAPSHOT_INDEX: shard.metadata.labels.get(names.RESOURCE_INDEX, ""),
    }
    if meta.namespace:
        labels[names.PARENT_NAMESPACE] = meta.namespace
    return labels


def annotations_of(binding: Binding) -> dict[str, str]:
    """What every Work of a binding is annotated with."""
    spec = binding.spec
    return {
        names.PARENT_SNAPSHOT_NAME: spec.resource_snapshot_name,
        names.OVERRIDE_HASH: _hash(
            [
                {"name": each.name, "namespace": each.namespace}
                for each in spec.resource_override_snapshots
            ]
        ),
        names.CLUSTER_OVERRIDE_HASH: _hash(list(spec.cluster_resource_override_snapshots)),
    }


def wishes_of(placement: Placement | None) -> Mapping[str, str]:
    """What of a placement's annotations its members go by."""
    if placement is None:
        return NOTHING_WISHED
    given = placement.metadata.annotations
    found: dict[str, str] = {key: given[key] for key in WISHES if key in given}
    if names.RESCHEDULE in found and after_of(placement) is None:
        # What the hub will not do, agents need not prepare for.
        del found[names.RESCHEDULE]
    return found


_NOTHING: Final = sha256(b"null").hexdigest()


def _hash(overrides: Sequence[object]) -> str:
    """Go's nil where there are none."""
    return sha256(go_json(overrides)).hexdigest() if overrides else _NOTHING


def _subindex(shard: ResourceSnapshot) -> int:
    found = shard.metadata.annotations.get(names.SUBINDEX, "")
    return int(found) if found.isdecimal() else -1
