"""What is written down before a Work's manifests are applied, and what is left over from before.

An agent that dies between applying and telling would not know, when it comes back, what it has applied; and if the
manifests have changed by then, nobody would ever remove what went. So every new manifest is named in the Work's status
first. Whatever is named there and no longer wanted is left over, even if it failed the last time: it may have been
applied the time before. (Upstream leaves that behind.) Nothing is removed that is not the Work's.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

from argosy.api.objects.fleet.works import (
    APPLIED,
    ManifestCondition,
    Work,
    WorkResourceIdentifier,
    WorkStatus,
)
from argosy.api.objects.metadata import Condition, find_condition
from argosy.member.applying.manifests import Manifest
from argosy.member.applying.statuses import by_identity, is_reporting

_REASON: Final = "PreparingToProcess"
_MESSAGE: Final = "The manifest is being prepared for processing."


class Preparation(NamedTuple):
    """The status to write first, and what to remove before."""

    status: WorkStatus
    left_over: tuple[WorkResourceIdentifier, ...]


def preparation(work: Work, manifests: Iterable[Manifest], now: datetime) -> Preparation | None:
    """None where this generation has been tried before, and for a Work that only reports diffs and removes nothing."""
    applied = find_condition(work.status.conditions, APPLIED)
    generation = work.metadata.generation
    if is_reporting(work) or (applied is not None and applied.observed_generation == generation):
        return None
    before = by_identity(work.status.manifest_conditions)
    entries = []
    wanted = set()
    for manifest in manifests:
        known = manifest.identity
        if known is None or manifest.failure is not None:
            continue
        wanted.add(known)
        found = before.get(known)
        entries.append(found if found is not None else _announced(manifest, generation, now))
    left = tuple(entry.identifier for known, entry in before.items() if known not in wanted)
    return Preparation(WorkStatus(work.status.conditions, tuple(entries)), left)


def _announced(manifest: Manifest, generation: int, now: datetime) -> ManifestCondition:
    condition = Condition(
        type=APPLIED,
        status="False",
        reason=_REASON,
        message=_MESSAGE,
        observed_generation=generation,
        last_transition_time=now.replace(microsecond=0),
    )
    return ManifestCondition(manifest.identifier, (condition,))
