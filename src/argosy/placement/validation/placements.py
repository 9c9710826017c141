"""What upstream's webhook refuses of ClusterResourcePlacements, beyond what the schema and its rules do.

ResourcePlacements have no webhook upstream, and none here. A selector may name any version of a kind that the hub
serves; upstream takes the preferred one alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from argosy.api.objects.fleet.placements import (
    EXTERNAL,
    NAMESPACE_WITH_SELECTORS,
    SERVER_SIDE_APPLY,
    Placement,
    ResourceSelectorTerm,
    RolloutStrategy,
)
from argosy.base.fielderrors import quote
from argosy.placement.validation.policies import policy_problems
from argosy.placement.validation.wording import aggregate, selector_problems

# Of a group, version and kind: whether it lives in namespaces; None if the hub does not serve it.
Catalog = Callable[[str, str, str], bool | None]

_LONGEST_NAME: Final = 63
_WRONG_BEFORE: Final = "deny update on old invalid v1beta1 CRP with DeletionTimestamp not set"


def validate_placement(new: Placement, old: Placement | None, catalog: Catalog) -> str:
    """Why a write is refused, "" if it is not.

    A placement that was wrong before, because a kind has gone since, can only be deleted.
    """
    if old is not None:
        if problems := _problems(old, catalog):
            if new.metadata.deletion_timestamp is not None:
                return ""
            return f"{_WRONG_BEFORE} {aggregate(problems)}"
        if new.spec.wanted.type != old.spec.wanted.type:
            return "placement type is immutable"
        if set(old.spec.wanted.tolerations) - set(new.spec.wanted.tolerations):
            return (
                "tolerations have been updated/deleted, only additions to tolerations are allowed"
            )
    problems = _problems(new, catalog)
    if not problems:
        return ""
    return f"deny create/update v1beta1 CRP has invalid fields {aggregate(problems)}"


def _problems(placement: Placement, catalog: Catalog) -> list[str]:
    spec, problems = placement.spec, []
    if len(placement.metadata.name) > _LONGEST_NAME:
        problems.append(f"the name field cannot have length exceeding {_LONGEST_NAME}")
    takes_namespaced = any(map(_lets_others_in, spec.resource_selectors))
    for term in spec.resource_selectors:
        problems += selector_problems(term.label_selector, "resource selector")
        is_namespaced = catalog(term.group, term.version, term.kind)
        if is_namespaced is None:
            # Nothing more can be said of a placement whose kinds are not known.
            return [*problems, f"failed to get GVR of the selector: {_unknown(term)}"]
        if is_namespaced and not takes_namespaced:
            problems.append(
                "the resource is not found in schema (please retry) or it is not a cluster scoped resource: "
                f"{term.group}/{term.version}, Kind={term.kind}"
            )
    if spec.policy is not None and (wrong := policy_problems(spec.policy)):
        problems.append(f"the placement policy field is invalid: {aggregate(wrong)}")
    if wrong := list(_strategy_problems(spec.strategy)):
        problems.append(f"the rollout Strategy field  is invalid: {aggregate(wrong)}")
    return problems


def _lets_others_in(term: ResourceSelectorTerm) -> bool:
    """A namespace of which other selectors say what is taken along."""
    kind = (term.group, term.version, term.kind)
    return kind == ("", "v1", "Namespace") and term.selection_scope == NAMESPACE_WITH_SELECTORS


def _unknown(term: ResourceSelectorTerm) -> str:
    version = f"{term.group}/{term.version}" if term.group else term.version
    return f"no matches for kind {quote(term.kind)} in version {quote(version)}"


def _strategy_problems(strategy: RolloutStrategy) -> Iterator[str]:
    if strategy.rolling_update is not None and strategy.type == EXTERNAL:
        yield "rollingUpdateConifg is not valid for ExternalRollout strategy type"
    apply = strategy.apply_strategy
    if (
        apply is not None
        and apply.server_side_apply_config is not None
        and apply.type != SERVER_SIDE_APPLY
    ):
        yield "serverSideApplyConfig is only valid for ServerSideApply strategy type"
