"""Which rights do some rules give that others do not? The question behind every grant of a role.

Rules are broken down to one group, resource, verb and name each; what no held rule covers is missing. For people the
missing rights of one resource are put together again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from argosy.apiserver.access.rbac import PolicyRule, path_matches
from argosy.base.fielderrors import quote


def missing(held: Sequence[PolicyRule], wanted: Iterable[PolicyRule]) -> list[PolicyRule]:
    """What `wanted` gives and `held` does not, one rule per resource (and name) or per path and verb."""
    resources: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    paths: list[PolicyRule] = []
    for rule in wanted:
        for part in _parts(rule):
            if any(_covers(owner, part) for owner in held):
                continue
            if part.non_resource_urls:
                paths.append(part)
            else:
                key = (part.api_groups[0], part.resources[0], part.resource_names)
                resources.setdefault(key, []).extend(part.verbs)
    return paths + [
        PolicyRule(tuple(verbs), (group,), (resource,), names)
        for (group, resource, names), verbs in resources.items()
    ]


def describe(rule: PolicyRule) -> str:
    """A rule on one line, as kube-apiserver names it."""
    fields = (
        ("APIGroups", rule.api_groups), ("Resources", rule.resources), ("NonResourceURLs", rule.non_resource_urls),
        ("ResourceNames", rule.resource_names), ("Verbs", rule.verbs),
    )  # fmt: skip
    shown = [f"{name}:[{' '.join(map(quote, values))}]" for name, values in fields if values]
    return "{" + ", ".join(shown) + "}"


def _parts(rule: PolicyRule) -> Iterator[PolicyRule]:
    for group in rule.api_groups:
        for resource in rule.resources:
            for verb in rule.verbs:
                for name in rule.resource_names or (None,):
                    names = () if name is None else (name,)
                    yield PolicyRule((verb,), (group,), (resource,), names)
    for path in rule.non_resource_urls:
        for verb in rule.verbs:
            yield PolicyRule((verb,), non_resource_urls=(path,))


def _covers(owner: PolicyRule, part: PolicyRule) -> bool:
    if not _has(owner.verbs, part.verbs[0]):
        return False
    if part.non_resource_urls:
        return any(path_matches(url, part.non_resource_urls[0]) for url in owner.non_resource_urls)
    if not _has(owner.api_groups, part.api_groups[0]):
        return False
    _, slash, subresource = part.resources[0].partition("/")
    if not _has(owner.resources, part.resources[0]) and not (
        slash and f"*/{subresource}" in owner.resources
    ):
        return False
    if not owner.resource_names:
        return True
    return bool(part.resource_names) and part.resource_names[0] in owner.resource_names


def _has(values: tuple[str, ...], wanted: str) -> bool:
    return wanted in values or "*" in values
