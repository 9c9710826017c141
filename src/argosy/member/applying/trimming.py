"""A Work that would be too large to store tells less of what drifted and differs."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects.conditions import with_condition, without_conditions
from argosy.api.objects.fleet.works import STATUS_TRIMMED, ManifestCondition, Work, WorkStatus
from argosy.api.objects.metadata import Condition
from argosy.base.types import Object

# What etcd takes, less room for what is written beside the status.
MOST_BYTES: Final = 1_415_578
# Metadata and punctuation that a quick count leaves out.
_SLACK: Final = 64 * 1024
_OMITTED: Final = "(omitted)"


def trimmed(work: Work, status: WorkStatus, now: datetime) -> WorkStatus:
    """The status as it can be stored, with the condition StatusTrimmed if it had to be cut."""
    over = _size(work, status) - MOST_BYTES
    if over <= 0:
        kept = without_conditions(status.conditions, (STATUS_TRIMMED,))
        return msgspec.structs.replace(status, conditions=kept)
    condition = Condition(
        type=STATUS_TRIMMED,
        status="True",
        reason="Oversized",
        message=(
            "The status data (drift/diff details and back-reported status) has been trimmed due to size constraints "
            f"({over} bytes over limit {MOST_BYTES})"
        ),
        observed_generation=work.metadata.generation,
    )
    return WorkStatus(
        with_condition(status.conditions, condition, now),
        tuple(map(_trimmed, status.manifest_conditions)),
    )


def _size(work: Work, status: WorkStatus) -> int:
    """The bytes of the Work with this status; counted roughly where there is room enough."""
    manifests = sum(len(memoryview(raw)) for raw in work.spec.workload.manifests)
    rough = manifests + len(msgspec.json.encode(status))
    if rough + _SLACK < MOST_BYTES:
        return rough
    return len(msgspec.json.encode(msgspec.structs.replace(work, status=status)))


def _trimmed(entry: ManifestCondition) -> ManifestCondition:
    return msgspec.structs.replace(
        entry,
        drift_details=_summary(entry.drift_details, "observedDrifts"),
        diff_details=_summary(entry.diff_details, "observedDiffs"),
        back_reported_status=None,
    )


def _summary(details: Object | None, field: str) -> Object | None:
    if details is None:
        return None
    found = details[field]
    path = found[0]["path"]
    if len(found) > 1:
        path = f"{path} and {len(found) - 1} more path(s)"
    return {
        **details,
        field: [{"path": path, "valueInMember": _OMITTED, "valueInHub": _OMITTED}],
    }
