"""What the Works of a binding say, as the binding says it: conditions, and what failed, drifted and differs.

A Work counts with what its member said of its current generation; of an older one it says nothing. Conditions speak of
all Works together and name the first one, by name, that is not as it should be. In ReportDiff mode there is
DiffReported alone, otherwise Applied and, once all are applied, Available; what became of jobs comes last (`outcomes`).

What is listed depends on how far the Works are: nothing while some have yet to say something, what failed and differs
only if something failed, drifts always. So nothing leaks from before a change into after it. Each list is cut at 100.

Mirrors the work generator's setBindingStatus, which names a random Work as the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from argosy.api.objects.conditions import condition_document
from argosy.api.objects.fleet import bindings, names, works
from argosy.api.objects.fleet.works import ManifestCondition, SentWork
from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.types import Object
from argosy.placement.outcomes import of_works

LIMIT: Final = 100
# What members say of Works whose availability they cannot see; the second word is announced as the first's successor.
_UNTRACKABLE: Final = frozenset({"WorkNotTrackable", "SomeManifestsAreNotAvailabilityTrackable"})


class Report(NamedTuple):
    """Conditions without generation and time, and the three lists."""

    conditions: tuple[Condition, ...] = ()
    failed: tuple[Object, ...] = ()
    drifted: tuple[Object, ...] = ()
    diffed: tuple[Object, ...] = ()


class _Summary(NamedTuple):
    """How Works stand in one respect: the first that has yet to say, the first that failed, the first untrackable."""

    pending: str = ""
    failing: str = ""
    untrackable: str = ""


def report(sent: Iterable[SentWork], *, is_diffing: bool) -> Report:
    """What the Works of a binding say together; if no member has ever said anything, that it is about to."""
    ordered = sorted(sent, key=lambda each: each.metadata.name)
    if ordered and not any(each.status.conditions for each in ordered):
        return in_progress(is_diffing=is_diffing)
    if is_diffing:
        return _diffing(ordered)
    found, outcome = _applying(ordered), of_works(ordered)
    return found if outcome is None else found._replace(conditions=(*found.conditions, outcome))


def in_progress(*, is_diffing: bool) -> Report:
    """What is said when Works were just changed: their members have yet to see that."""
    if is_diffing:
        text = "Diff reporting on resources is in progress"
        condition = _false(bindings.DIFF_REPORTED, "DiffReportInProgress", text)
    else:
        text = "Resources are being applied"
        condition = _false(bindings.APPLIED, "ApplyInProgress", text)
    return Report((condition,))


def _diffing(ordered: Sequence[SentWork]) -> Report:
    pending, failing, _ = _summary(ordered, works.DIFF_REPORTED)
    type_, reason = bindings.DIFF_REPORTED, "NotAllWorkHaveDiffReported"
    if pending:
        text = f"Work object {pending} has not yet completed diff reporting"
        return Report((_false(type_, reason, text),))
    if failing:
        return Report((_false(type_, reason, f"Work object {failing} has failed to report diff"),))
    text = "All corresponding work objects have reported diff"
    condition = _true(type_, "AllWorkHaveDiffReported", text)
    return Report((condition,), diffed=_diffed(ordered))


def _applying(ordered: Sequence[SentWork]) -> Report:
    pending, failing, _ = _summary(ordered, works.APPLIED)
    type_, reason = bindings.APPLIED, "NotAllWorkHaveBeenApplied"
    if pending:
        text = f"Work object {pending} has not yet completed the apply op"
        return Report((_false(type_, reason, text),))
    if failing:
        condition = _false(type_, reason, f"Work object {failing} has failed to apply")
        return Report((condition,), _failed(ordered), _drifted(ordered), _diffed(ordered))
    applied = _true(type_, "AllWorkHaveBeenApplied", "All corresponding work objects are applied")
    how = _summary(ordered, works.AVAILABLE)
    failed = _failed(ordered) if how.failing and not how.pending else ()
    return Report((applied, _available(how)), failed, _drifted(ordered))


def _available(how: _Summary) -> Condition:
    pending, failing, untrackable = how
    type_, reason = bindings.AVAILABLE, "NotAllWorkAreAvailable"
    if pending:
        text = f"Work object {pending} has not yet completed availability check"
        return _false(type_, reason, text)
    if failing:
        return _false(type_, reason, f"Work object {failing} is not yet available")
    if untrackable:
        text = f"The availability of work object {untrackable} is not trackable"
        return _true(type_, "NotAllWorkAreAvailabilityTrackable", text)
    return _true(type_, "AllWorkAreAvailable", "All corresponding work objects are available")


def _summary(ordered: Sequence[SentWork], type_: str) -> _Summary:
    pending = failing = untrackable = ""
    for work in ordered:
        name = work.metadata.name
        said = _current(work, type_)
        if said is None or said.status not in {"True", "False"}:
            pending = pending or name
        elif said.status == "False":
            failing = failing or name
        elif said.reason in _UNTRACKABLE:
            untrackable = untrackable or name
    return _Summary(pending, failing, untrackable)


def _current(work: SentWork, type_: str) -> Condition | None:
    said = find_condition(work.status.conditions, type_)
    is_current = said is not None and said.observed_generation == work.metadata.generation
    return said if is_current else None


def _failed(ordered: Sequence[SentWork]) -> tuple[Object, ...]:
    """The manifests that are not applied or not available, of Works that are not."""
    found: list[Object] = []
    for work in ordered:
        said = [_current(work, type_) for type_ in (works.APPLIED, works.AVAILABLE)]
        if not any(each is not None and each.status == "False" for each in said):
            continue
        for manifest in work.status.manifest_conditions:
            if (why := _failure(manifest)) is not None:
                condition = condition_document(why)
                found.append({**_identifier(work, manifest), "condition": condition})
    return tuple(found[:LIMIT])


def _failure(manifest: ManifestCondition) -> Condition | None:
    for type_ in (works.APPLIED, works.AVAILABLE):
        said = find_condition(manifest.conditions, type_)
        if said is not None and said.status == "False":
            return said
    return None


def _drifted(ordered: Sequence[SentWork]) -> tuple[Object, ...]:
    return _cut([
        {
            **_identifier(work, manifest),
            **_details(manifest.drift_details, "firstDriftedObservedTime", "observedDrifts"),
        }
        for work in ordered
        for manifest in work.status.manifest_conditions
        if manifest.drift_details is not None
    ])  # fmt: skip


def _diffed(ordered: Sequence[SentWork]) -> tuple[Object, ...]:
    return _cut([
        {
            **_identifier(work, manifest),
            **_details(manifest.diff_details, "firstDiffedObservedTime", "observedDiffs"),
        }
        for work in ordered
        for manifest in work.status.manifest_conditions
        if manifest.diff_details is not None
    ])  # fmt: skip


def _details(details: Object | None, *more: str) -> Object:
    """Drifts and diffs are told as the member told them, but for one name."""
    told = details or {}
    found = {key: told[key] for key in ("observationTime", *more) if key in told}
    if (generation := told.get("observedInMemberClusterGeneration")) is not None:
        found["targetClusterObservedGeneration"] = generation
    return found


def _cut(found: list[Object]) -> tuple[Object, ...]:
    """Only a list that is too long is sorted, so that it is always the same ones that are left out."""
    if len(found) > LIMIT:
        found.sort(key=_order)
    return tuple(found[:LIMIT])


def _order(each: Object) -> tuple[str, ...]:
    return tuple(each.get(key, "") for key in ("group", "version", "kind", "namespace", "name"))


def _identifier(work: SentWork, manifest: ManifestCondition) -> Object:
    """A manifest as placements name it: without its place in the Work, with the envelope it came in."""
    who, labels = manifest.identifier, work.metadata.labels
    found: Object = {"version": who.version, "kind": who.kind, "name": who.name}
    if who.group:
        found["group"] = who.group
    if who.namespace:
        found["namespace"] = who.namespace
    if names.ENVELOPE_TYPE in labels:
        envelope = {
            "name": labels.get(names.ENVELOPE_NAME, ""),
            "type": labels[names.ENVELOPE_TYPE],
        }
        if names.ENVELOPE_NAMESPACE in labels:
            envelope["namespace"] = labels[names.ENVELOPE_NAMESPACE]
        found["envelope"] = envelope
    return found


def _true(type_: str, reason: str, message: str) -> Condition:
    return Condition(type=type_, status="True", reason=reason, message=message)


def _false(type_: str, reason: str, message: str) -> Condition:
    return Condition(type=type_, status="False", reason=reason, message=message)
