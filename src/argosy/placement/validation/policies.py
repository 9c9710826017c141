"""What is wrong with a policy although its schema takes it: names that no cluster has, terms that nobody reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.objects.fleet.policies import (
    PICK_ALL,
    PICK_FIXED,
    ClusterAffinity,
    ClusterSelector,
    PlacementPolicy,
    PreferredClusterSelector,
    Toleration,
)
from argosy.base.names import is_dns1123_subdomain, is_label_value, is_qualified_name
from argosy.placement.validation.properties import requirement_problems, sorter_problems
from argosy.placement.validation.wording import printed, selector_problems

_LONGEST_NAME: Final = 63


def policy_problems(policy: PlacementPolicy) -> list[str]:
    if policy.type == PICK_FIXED:
        return _name_problems(policy.cluster_names)
    problems: list[str] = []
    if policy.affinity is not None and policy.affinity.cluster_affinity is not None:
        problems += _affinity_problems(policy.affinity.cluster_affinity, policy.type)
    return problems + _toleration_problems(policy.tolerations)


def _name_problems(names: Sequence[str]) -> list[str]:
    if not names:
        return [f"cluster names cannot be empty for policy type {PICK_FIXED}"]
    problems: list[str] = []
    for index, name in enumerate(names):
        if wrong := is_dns1123_subdomain(name):
            problems.append(
                f"PickFixed cluster name {name} is not a valid member name: {'; '.join(wrong)}"
            )
        if len(name) > _LONGEST_NAME:
            problems.append(
                f"PickFixed cluster name {name} cannot have length exceeding {_LONGEST_NAME}"
            )
        if name in names[:index]:
            return [*problems, f"cluster names must be unique for policy type {PICK_FIXED}"]
    return problems


def _affinity_problems(affinity: ClusterAffinity, type_: str) -> list[str]:
    required = affinity.required_during_scheduling_ignored_during_execution
    preferred = affinity.preferred_during_scheduling_ignored_during_execution
    problems = _required_problems(required) if required is not None else []
    if preferred and type_ == PICK_ALL:
        told = "PreferredDuringSchedulingIgnoredDuringExecution will be ignored for placement policy type"
        return [*problems, f"{told} {type_}"]
    return problems + _preferred_problems(preferred)


def _required_problems(selector: ClusterSelector) -> list[str]:
    problems: list[str] = []
    for term in selector.cluster_selector_terms:
        problems += selector_problems(term.label_selector, "cluster selector")
        if term.property_sorter is not None:
            problems.append(
                "PropertySorter is not allowed for RequiredDuringSchedulingIgnoredDuringExecution affinity"
            )
        if term.property_selector is not None:
            problems += requirement_problems(term.property_selector.match_expressions)
    return problems


def _preferred_problems(preferred: Sequence[PreferredClusterSelector]) -> list[str]:
    problems: list[str] = []
    for each in preferred:
        term = each.preference
        problems += selector_problems(term.label_selector, "preferred cluster selector")
        if term.property_selector is not None:
            problems.append(
                "PropertySelector is not allowed for PreferredDuringSchedulingIgnoredDuringExecution affinity"
            )
        if term.property_sorter is not None:
            problems += sorter_problems(term.property_sorter)
    return problems


def _toleration_problems(tolerations: Sequence[Toleration]) -> list[str]:
    problems: list[str] = []
    for index, toleration in enumerate(tolerations):
        shown = printed(toleration)
        if toleration.key:
            wrong = is_qualified_name(toleration.key)
            problems += [f"invalid toleration key {shown}: {text}" for text in wrong]
        wrong = is_label_value(toleration.value)
        problems += [f"invalid toleration value {shown}: {text}" for text in wrong]
        if toleration in tolerations[:index]:
            problems.append(f"toleration {shown} already exists, tolerations must be unique")
    return problems
