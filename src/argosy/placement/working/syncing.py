"""Which Works of a binding to make, change and delete.

A Work whose labels, annotations and apply strategy are those of its draft is left alone: they tell what its manifests
were made of, so manifests are not compared. (A Work's spec that somebody edits by hand stays as it is until the binding
changes, as upstream.) `is_synced` says so without building drafts, which spares most looks at a binding from decoding
anything.

The name of a Work may be taken: by a Work that is being deleted, or by one of another binding for the same cluster,
which is on its way out. Both are waited for. A Work that belongs to no binding any more is taken over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.works import SentWork
from argosy.client.objects import Key
from argosy.placement.views import binding_of
from argosy.placement.working.building import (
    NOTHING_WISHED,
    WISHES,
    Draft,
    annotations_of,
    envelopes_in,
    shard_work_name,
    work_labels,
)


@dataclass(slots=True, frozen=True)
class Plan:
    """What to write. `strategies` are right but for the apply strategy."""

    create: tuple[Draft, ...] = ()
    update: tuple[Draft, ...] = ()
    strategies: tuple[SentWork, ...] = ()
    delete: tuple[SentWork, ...] = ()
    # Works that have a name that is needed.
    waiting: tuple[SentWork, ...] = ()

    @property
    def is_idle(self) -> bool:
        return not (self.create or self.update or self.strategies or self.delete or self.waiting)


def plan(
    drafts: Sequence[Draft],
    works: Sequence[SentWork],
    *,
    named: Callable[[str], SentWork | None],
    is_alive: Callable[[Key], bool],
) -> Plan:
    """What makes the Works of a binding its drafts.

    `works` are the binding's, without those that are being deleted; `named` is any Work of that name in the member's
    namespace, and `is_alive` says whether there is such a binding.
    """
    own = {each.metadata.name: each for each in works}
    wanted = {each.name for each in drafts}
    create, update, strategies, waiting = [], [], [], []
    for draft in drafts:
        work = own.get(draft.name)
        if work is None:
            holder = named(draft.name)
            if holder is None:
                create.append(draft)
            elif is_leaving(holder) or _is_of_others(holder, draft, is_alive):
                waiting.append(holder)
            else:
                update.append(draft)
        elif not is_made_of(work, draft.labels, draft.annotations):
            update.append(draft)
        elif work.spec.apply_strategy != draft.strategy:
            strategies.append(work)
    delete = [each for name, each in sorted(own.items()) if name not in wanted]
    return Plan(tuple(create), tuple(update), tuple(strategies), tuple(delete), tuple(waiting))


def is_synced(
    binding: Binding,
    shards: Sequence[ResourceSnapshot],
    works: Sequence[SentWork],
    wishes: Mapping[str, str] = NOTHING_WISHED,
) -> bool:
    """Whether the Works are all there and made of what the binding names, as far as can be told without manifests."""
    envelopes = envelopes_in(shards)
    if envelopes is None or len(works) != len(shards) + envelopes:
        return False
    annotations, strategy = {**annotations_of(binding), **wishes}, binding.spec.apply_strategy
    labels = work_labels(binding, shards[0])
    if {shard_work_name(each) for each in shards} - {each.metadata.name for each in works}:
        return False
    packed = [_envelope(each) for each in works if names.ENVELOPE_TYPE in each.metadata.labels]
    return len(packed) == len(set(packed)) == envelopes and all(
        each.spec.apply_strategy == strategy and is_made_of(each, labels, annotations)
        for each in works
    )


def is_made_of(work: SentWork, labels: Mapping[str, str], annotations: Mapping[str, str]) -> bool:
    """Whether it says so, and wishes for nothing that is wished for no more."""
    meta = work.metadata
    return (
        labels.items() <= meta.labels.items()
        and annotations.items() <= meta.annotations.items()
        and all(key in annotations or key not in meta.annotations for key in WISHES)
    )


def carry_name(works: Sequence[SentWork], snapshot: str) -> bool:
    """Whether there are Works and all were made of this snapshot, which may be gone since."""
    return bool(works) and all(
        each.metadata.annotations.get(names.PARENT_SNAPSHOT_NAME) == snapshot for each in works
    )


def is_leaving(work: SentWork) -> bool:
    return work.metadata.deletion_timestamp is not None


def _is_of_others(work: SentWork, draft: Draft, is_alive: Callable[[Key], bool]) -> bool:
    owner = binding_of(work)
    own = Key(draft.labels.get(names.PARENT_NAMESPACE, ""), draft.labels[names.PARENT_BINDING])
    return owner != own and bool(owner.name) and is_alive(owner)


def _envelope(work: SentWork) -> tuple[str, str, str]:
    labels = work.metadata.labels
    return (
        labels[names.ENVELOPE_TYPE],
        labels.get(names.ENVELOPE_NAMESPACE, ""),
        labels.get(names.ENVELOPE_NAME, ""),
    )
