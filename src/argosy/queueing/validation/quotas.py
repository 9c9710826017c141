"""Quota, as ClusterQueues and Cohorts give it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from argosy.api.rules.names import is_qualified_name
from argosy.api.rules.wording import NOT_NEGATIVE
from argosy.base.fielderrors import FieldError, duplicate, invalid
from argosy.base.quantities import Quantity, parse
from argosy.base.types import Object

_MOST_FLAVORS: Final = 256
_MOST_RESOURCES: Final = 256
_MOST_QUOTAS: Final = 512
# Half a billionth and less would count as none.
_SMALLEST_WEIGHT: Final = parse("1n")


@dataclass(slots=True, frozen=True)
class Place:
    """Where quota stands: under what, if under anything, and whether it may lend more than it has itself.

    A Cohort's lending limit is for all that is below it, so it may exceed the Cohort's own quota.
    """

    parent: str
    has_parent: bool
    may_lend_beyond_nominal: bool = False


def validate_resource_groups(groups: Sequence[Object], place: Place, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    resources: set[str] = set()
    flavors: set[str] = set()
    for index, group in enumerate(groups):
        at = f"{path}[{index}]"
        covered = group.get("coveredResources") or []
        for number, name in enumerate(covered):
            where = f"{at}.coveredResources[{number}]"
            errors += [invalid(where, name, text) for text in is_qualified_name(name)]
            if name in resources:
                errors.append(duplicate(where, name))
            resources.add(name)
        for number, flavor in enumerate(group.get("flavors") or ()):
            where = f"{at}.flavors[{number}]"
            errors += _flavor_errors(flavor, covered, place, where)
            if flavor["name"] in flavors:
                errors.append(duplicate(f"{where}.name", flavor["name"]))
            flavors.add(flavor["name"])
    return errors


def _flavor_errors(
    flavor: Object, covered: Sequence[str], place: Place, path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    # How many resources there are is the schema's business.
    for index, (quota, name) in enumerate(
        zip(flavor.get("resources") or (), covered, strict=False)
    ):
        at = f"{path}.resources[{index}]"
        if quota["name"] != name:
            detail = "must match the name in coveredResources"
            errors.append(invalid(f"{at}.name", quota["name"], detail))
        errors += _quota_errors(quota, place, at)
    return errors


def _quota_errors(quota: Object, place: Place, path: str) -> list[FieldError]:
    nominal = parse(quota.get("nominalQuota") or 0)
    errors = _negative(nominal, f"{path}.nominalQuota")
    if quota.get("borrowingLimit") is not None:
        limit, at = parse(quota["borrowingLimit"]), f"{path}.borrowingLimit"
        errors += _alone(limit, place, at) + _negative(limit, at)
    if quota.get("lendingLimit") is not None:
        limit, at = parse(quota["lendingLimit"]), f"{path}.lendingLimit"
        errors += _negative(limit, at) + _alone(limit, place, at)
        if limit > nominal and not place.may_lend_beyond_nominal:
            detail = "must be less than or equal to the nominalQuota"
            errors.append(invalid(at, str(limit), detail))
    return errors


def _negative(amount: Quantity, path: str) -> list[FieldError]:
    return [invalid(path, str(amount), NOT_NEGATIVE)] if amount.sign < 0 else []


def _alone(limit: Quantity, place: Place, path: str) -> list[FieldError]:
    """Who has nobody to borrow from or lend to has no limits."""
    if place.has_parent:
        return []
    return [invalid(path, str(limit), f"must be nil when {place.parent} is empty")]


def validate_fair_sharing(sharing: Object | None, path: str) -> list[FieldError]:
    if not sharing or sharing.get("weight") is None:
        return []
    weight = parse(sharing["weight"])
    errors = _negative(weight, path)
    if weight.sign > 0 and weight <= _SMALLEST_WEIGHT:
        errors.append(invalid(path, str(weight), "When not 0, weight must be > 10e-9"))
    return errors


def validate_totals(groups: Sequence[Object], path: str) -> list[FieldError]:
    """What the limits of single lists do not bound."""
    errors: list[FieldError] = []
    flavors = sum(len(group.get("flavors") or ()) for group in groups)
    if flavors > _MOST_FLAVORS:
        detail = f"total number of flavors across all resourceGroups must be ≤ {_MOST_FLAVORS}, got {flavors}"
        errors.append(invalid(path, flavors, detail))
    resources = sum(len(group.get("coveredResources") or ()) for group in groups)
    if resources > _MOST_RESOURCES:
        detail = (
            f"total number of covered resources across all resourceGroups must be ≤ {_MOST_RESOURCES}, "
            f"got {resources}"
        )
        errors.append(invalid(path, resources, detail))
    for index, group in enumerate(groups):
        quotas = sum(len(each.get("resources") or ()) for each in group.get("flavors") or ())
        if quotas > _MOST_QUOTAS:
            detail = f"number of flavor-resource combinations in a resourceGroup must be ≤ {_MOST_QUOTAS}, got {quotas}"
            errors.append(invalid(f"{path}[{index}]", quotas, detail))
    return errors
