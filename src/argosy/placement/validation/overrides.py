"""What upstream's webhooks refuse of overrides: selectors that are no names, changes of what is not theirs, and two
overrides of one object, of which nobody could say who wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from argosy.api.objects.fleet.overrides import (
    DELETE,
    ClusterResourceOverride,
    JsonPatchOverride,
    OverridePolicy,
    ResourceOverride,
    ResourceSelector,
)
from argosy.api.objects.fleet.placements import ResourceSelectorTerm
from argosy.api.objects.fleet.policies import ClusterSelectorTerm
from argosy.placement.validation.wording import aggregate, printed, selector_problems

_MOST: Final = 100

Selector = TypeVar("Selector", ResourceSelectorTerm, ResourceSelector)


def validate_cluster_override(
    new: ClusterResourceOverride,
    others: Sequence[ClusterResourceOverride],
    *,
    is_new: bool,
) -> str:
    """Why a write is refused, "" if it is not. `others` are those of other names."""
    if is_new and len(others) >= _MOST:
        return (
            f"clusterResourceOverride limit has been reached: at most {_MOST} cluster resources can "
            "be created."
        )
    selectors = new.spec.cluster_resource_selectors
    if problems := _term_problems(selectors):
        return aggregate(problems)
    named = {
        selector: other.metadata.name
        for other in others
        for selector in other.spec.cluster_resource_selectors
        if selector.label_selector is None
    }
    problems = _shared_problems(new.metadata.name, selectors, named)
    return aggregate(problems + _policy_problems(new.spec.policy))


def validate_override(
    new: ResourceOverride, others: Sequence[ResourceOverride], *, is_new: bool
) -> str:
    """The same for an override of a namespace; `others` are those beside it."""
    if is_new and len(others) >= _MOST:
        return f"resourceOverride limit has been reached: at most {_MOST} resources can be created."
    selectors = new.spec.resource_selectors
    if problems := _repeated(selectors):
        return aggregate(problems)
    named = {
        selector: other.metadata.name
        for other in others
        for selector in other.spec.resource_selectors
    }
    problems = _shared_problems(new.metadata.name, selectors, named)
    return aggregate(problems + _policy_problems(new.spec.policy))


def _term_problems(selectors: Sequence[ResourceSelectorTerm]) -> list[str]:
    problems: list[str] = []
    seen: list[ResourceSelectorTerm] = []
    for selector in selectors:
        if selector.label_selector is not None:
            told = "label selector is not supported for resource selection"
            problems.append(f"{told} {printed(selector)}")
        elif not selector.name:
            problems.append(f"resource name is required for resource selection {printed(selector)}")
        else:
            seen.append(selector)
    return problems + _repeated(seen)


def _repeated(selectors: Sequence[Selector]) -> list[str]:
    return [
        f"resource selector {printed(selector)} already exists, and must be unique"
        for index, selector in enumerate(selectors)
        if selector in selectors[:index]
    ]


def _shared_problems(
    name: str, selectors: Iterable[Selector], named: dict[Selector, str]
) -> list[str]:
    return [
        f"invalid resource selector {printed(selector)}: the resource has been selected by both {name} and "
        f"{named[selector]}, which is not supported"
        for selector in selectors
        if selector in named
    ]


def _policy_problems(policy: OverridePolicy | None) -> list[str]:
    problems: list[str] = []
    for rule in policy.override_rules if policy is not None else ():
        if rule.cluster_selector is not None:
            for term in rule.cluster_selector.cluster_selector_terms:
                problems += _cluster_problems(term)
        if rule.override_type == DELETE and rule.json_patch_overrides:
            return [
                "invalid JSONPatchOverrides: JSONPatchOverrides cannot be set when the override type is Delete"
            ]
        if rule.override_type != DELETE:
            problems += _patch_problems(rule.json_patch_overrides)
    return problems


def _cluster_problems(term: ClusterSelectorTerm) -> list[str]:
    if term.property_selector is not None or term.property_sorter is not None:
        return [f"invalid clusterSelector {printed(term)}: only labelSelector is supported"]
    if term.label_selector is None:
        return [f"invalid clusterSelector {printed(term)}: labelSelector is required"]
    return selector_problems(term.label_selector, "cluster selector")


def _patch_problems(patches: Sequence[JsonPatchOverride]) -> list[str]:
    if not patches:
        return ["invalid JSONPatchOverrides: JSONPatchOverrides cannot be empty"]
    problems: list[str] = []
    for patch in patches:
        value = bytes(patch.value).decode()
        shown = f"invalid JSONPatchOverride {{{patch.op} {patch.path} {{{value}}}}}"
        if problem := _path_problem(patch.path):
            problems.append(f"{shown}: {problem}")
        if patch.op == "remove" and value:
            problems.append(f"{shown}: remove operation cannot have value")
    return problems


def _path_problem(path: str) -> str:
    if not path:
        return "path cannot be empty"
    if not path.startswith("/"):
        return "path must start with /"
    match parts := path.split("/")[1:]:
        case ["kind" | "apiVersion", *_]:
            return "cannot override typeMeta fields"
        case ["metadata"]:
            return "cannot override field metadata"
        case ["metadata", below, *_] if below not in {"annotations", "labels"}:
            return "cannot override metadata fields except annotations and labels"
        case ["status", *_]:
            return "cannot override status fields"
        case _ if not all(part.strip() for part in parts):
            return "path cannot contain empty string"
        case _:
            return ""
