"""What upstream's webhooks refuse of ClusterQueues and Cohorts, beyond what the schema and its rules do.

Cohorts that form a cycle are not refused: which write closes it nobody can say. Their ClusterQueues become inactive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import FieldError, invalid, quote
from argosy.base.types import Object
from argosy.queueing.validation.equality import immutable
from argosy.queueing.validation.gates import DEFAULTS, Gates
from argosy.queueing.validation.quotas import (
    Place,
    validate_fair_sharing,
    validate_resource_groups,
    validate_totals,
)

_GROUPS: Final = "spec.resourceGroups"
_CHECKS: Final = "spec.admissionChecksStrategy.admissionChecks"
_POLICY: Final = "spec.concurrentAdmissionPolicy"
_MOST_CONCURRENT: Final = 16
_NO_CHECKS: Final[Mapping[str, frozenset[str]]] = {}


def validate_cluster_queue(new: Object) -> list[FieldError]:
    spec = new.get("spec") or {}
    return _spec_errors(spec) + _check_errors(spec, _NO_CHECKS)


def validate_cluster_queue_update(
    new: Object, old: Object, gates: Gates = DEFAULTS
) -> list[FieldError]:
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    forgiven = _NO_CHECKS
    if not gates.reject_updates_to_cq_with_invalid_on_flavors:
        forgiven = _old_checks(spec, before)
    policy = "concurrentAdmissionPolicy"
    return [
        *_spec_errors(spec),
        *_check_errors(spec, forgiven),
        *immutable(spec.get(policy), before.get(policy), _POLICY),
    ]


def validate_cohort(new: Object) -> list[FieldError]:
    spec = new.get("spec") or {}
    place = Place("parent", bool(spec.get("parentName")), may_lend_beyond_nominal=True)
    return [
        *validate_fair_sharing(spec.get("fairSharing"), "spec.fairSharing"),
        *validate_resource_groups(spec.get("resourceGroups") or (), place, _GROUPS),
    ]


def _spec_errors(spec: Object) -> list[FieldError]:
    groups = spec.get("resourceGroups") or []
    return [
        *validate_resource_groups(groups, Place("cohort", bool(spec.get("cohortName"))), _GROUPS),
        *validate_label_selector(spec.get("namespaceSelector"), "spec.namespaceSelector"),
        *_preemption_errors(spec.get("preemption") or {}),
        *_fungibility_errors(spec.get("flavorFungibility") or {}),
        *validate_fair_sharing(spec.get("fairSharing"), "spec.fairSharing"),
        *validate_totals(groups, _GROUPS),
        *_concurrency_errors(spec),
    ]


def _preemption_errors(preemption: Object) -> list[FieldError]:
    borrowing = preemption.get("borrowWithinCohort")
    if (
        preemption.get("reclaimWithinCohort") != "Never"
        or borrowing is None
        or borrowing.get("policy", "") == "Never"
    ):
        return []
    detail = "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"
    return [invalid("spec.preemption", preemption, detail)]


def _fungibility_errors(fungibility: Object) -> list[FieldError]:
    preference = fungibility.get("preference")
    if preference is None or all(
        fungibility.get(knob) == "TryNextFlavor" for knob in ("whenCanBorrow", "whenCanPreempt")
    ):
        return []
    detail = f"preference {quote(preference)} requires both whenCanBorrow and whenCanPreempt to be TryNextFlavor"
    return [invalid("spec.flavorFungibility.preference", preference, detail)]


def _concurrency_errors(spec: Object) -> list[FieldError]:
    policy = spec.get("concurrentAdmissionPolicy")
    if policy is None:
        return []
    errors: list[FieldError] = []
    groups = spec.get("resourceGroups") or []
    if len(groups) != 1:
        detail = "must have exactly one ResourceGroup when ConcurrentAdmissionPolicy is defined"
        errors.append(invalid(_GROUPS, len(groups), detail))
    elif len(groups[0].get("flavors") or ()) > _MOST_CONCURRENT:
        detail = (
            f"cannot have more than {_MOST_CONCURRENT} resource flavors in the ResourceGroup when "
            "ConcurrentAdmissionPolicy is defined"
        )
        errors.append(invalid(f"{_GROUPS}[0].flavors", len(groups[0]["flavors"]), detail))
    strategy = spec.get("queueingStrategy")
    if strategy == "StrictFIFO":
        detail = (
            "StrictFIFO queueing strategy cannot be used when ConcurrentAdmissionPolicy is defined"
        )
        errors.append(invalid("spec.queueingStrategy", strategy, detail))
    return errors + _last_flavor_errors(spec, policy)


def _last_flavor_errors(spec: Object, policy: Object) -> list[FieldError]:
    migration = policy.get("migration") or {}
    last = (migration.get("constraints") or {}).get("lastAcceptableFlavorName")
    flavors = _flavors(spec)
    if not last or last in flavors or not flavors:
        return []
    path = f"{_POLICY}.migration.constraints.lastAcceptableFlavorName"
    detail = f"must be one of the flavors defined in the ClusterQueue: [{' '.join(flavors)}]"
    return [invalid(path, last, detail)]


def _flavors(spec: Object) -> list[str]:
    """All flavors, in order."""
    groups = spec.get("resourceGroups") or ()
    return [flavor["name"] for group in groups for flavor in group.get("flavors") or ()]


def _checks(spec: Object) -> list[Object]:
    return (spec.get("admissionChecksStrategy") or {}).get("admissionChecks") or []


def _old_checks(spec: Object, before: Object) -> Mapping[str, frozenset[str]]:
    """Checks and their flavors as they were, if there are the same flavors: what was wrong with them is forgiven."""
    if set(_flavors(spec)) != set(_flavors(before)):
        return _NO_CHECKS
    return {check["name"]: frozenset(check.get("onFlavors") or ()) for check in _checks(before)}


def _check_errors(spec: Object, forgiven: Mapping[str, frozenset[str]]) -> list[FieldError]:
    flavors = _flavors(spec)
    return [
        unsupported(f"{_CHECKS}[{index}].onFlavors[{number}]", flavor, sorted(set(flavors)))
        for index, check in enumerate(_checks(spec))
        if forgiven.get(check["name"]) != frozenset(check.get("onFlavors") or ())
        for number, flavor in enumerate(check.get("onFlavors") or ())
        if flavor not in flavors
    ]
