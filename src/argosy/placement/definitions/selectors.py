"""What a placement takes along, and the rules that hold between its selectors."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.metadata import label_selector
from argosy.api.definitions.vocabulary import choice, listed, must, rule, ruled, struct, text

RESOURCE_SELECTOR: Final = struct(
    "Objects of one kind: the one that is named, those with certain labels, or all.",
    group=must(text("The group of the kind; empty for the core group.")),
    kind=must(text("The kind.")),
    labelSelector=label_selector("The labels of the objects."),
    name=text("The name of the object."),
    selectionScope=choice(
        "For a Namespace: alone, with all that is in it, or with what other selectors name in it.",
        "NamespaceOnly",
        "NamespaceWithResources",
        "NamespaceWithResourceSelectors",
        default="NamespaceWithResources",
    ),
    version=must(text("The version of the kind.")),
)
RESOURCE_SELECTORS: Final = ruled(
    listed("What is placed.", RESOURCE_SELECTOR, minItems=1, maxItems=100),
    rule(
        "name and labelSelector are mutually exclusive in a resource selector",
        "self.all(x, !(has(x.name) && size(x.name) > 0 && has(x.labelSelector)))",
    ),
)

_NAMESPACE: Final = "x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1'"
_MODE: Final = (
    f"{_NAMESPACE} && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors'"
)
_NAMED: Final = f"{_MODE} && has(x.name) && size(x.name) > 0 && !has(x.labelSelector)"


def _matching(condition: str) -> str:
    """How many selectors a condition holds for."""
    return f"size(self.resourceSelectors.filter(x, {condition}))"


SELECTOR_RULES: Final = (
    rule(
        "only one namespace selector with NamespaceWithResourceSelectors mode is allowed",
        f"{_matching(_MODE)} <= 1",
    ),
    rule(
        "namespace selector with NamespaceWithResourceSelectors mode must select by name (not by label)",
        f"{_matching(_MODE)} == 0 || ({_matching(_NAMED)} == 1)",
    ),
    rule(
        "when using NamespaceWithResourceSelectors mode, only one namespace selector is allowed (cannot mix with "
        "other namespace selectors)",
        f"{_matching(_MODE)} == 0 || {_matching(_NAMESPACE)} == 1",
    ),
)
REPORTING_RULES: Final = (
    rule(
        "when statusReportingScope is NamespaceAccessible, exactly one resourceSelector with kind 'Namespace' is "
        "required",
        "!(self.statusReportingScope == 'NamespaceAccessible' && "
        "size(self.resourceSelectors.filter(x, x.kind == 'Namespace')) != 1)",
    ),
    rule(
        "statusReportingScope is immutable",
        "!has(oldSelf.statusReportingScope) || self.statusReportingScope == oldSelf.statusReportingScope",
    ),
)
