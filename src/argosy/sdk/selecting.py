"""Which placement a job belongs to. Pure.

It is the one whose status says that it selected the job, and, while the status says nothing yet, one whose selectors
mean it; one of the job's own namespace counts before one of the whole cluster, an older one before a younger. Templates
select jobs in order to have a placement made for each: those count, not they.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from argosy.api.objects.fleet.placements import (
    NAMESPACE_ONLY,
    Placement,
    ResourceSelectorTerm,
)
from argosy.api.objects.metadata import LabelSelector
from argosy.base.selectors import labels
from argosy.base.types import Object
from argosy.placement.templating.children import is_template
from argosy.sdk import kinds


class _Ref(NamedTuple):
    group: str
    kind: str
    namespace: str
    name: str


class PlacementIndex:
    """Placements by what they select."""

    def __init__(self, placements: Iterable[Placement]) -> None:
        self._selected: dict[_Ref, Placement] = {}
        # Of placements whose status says nothing yet: those of a namespace, and those of the cluster under "".
        self._silent: dict[str, list[Placement]] = defaultdict(list)
        for placement in sorted(placements, key=_rank):
            if is_template(placement):
                continue
            if not placement.status.selected_resources and not placement.status.conditions:
                self._silent[placement.metadata.namespace].append(placement)
            for each in placement.status.selected_resources:
                if kinds.is_job(each.group, each.kind):
                    ref = _Ref(each.group, each.kind, each.namespace, each.name)
                    self._selected.setdefault(ref, placement)

    def of(self, job: Object) -> Placement | None:
        meta = job["metadata"]
        group = str(job.get("apiVersion", "")).rpartition("/")[0]
        namespace = str(meta.get("namespace", ""))
        ref = _Ref(group, str(job["kind"]), namespace, str(meta["name"]))
        found = self._selected.get(ref)
        if found is not None and found.metadata.namespace:
            return found
        for placement in self._silent.get(namespace, ()):
            if any(_means(term, ref, meta) for term in placement.spec.resource_selectors):
                return placement
        if found is not None:
            return found
        for placement in self._silent.get("", ()):
            if any(_means_namespace(each, namespace) for each in placement.spec.resource_selectors):
                return placement
        return None


def _rank(placement: Placement) -> tuple[bool, float, str]:
    """Of a namespace first, then the oldest."""
    created = placement.metadata.creation_timestamp
    return (
        not placement.metadata.namespace,
        created.timestamp() if created is not None else 0.0,
        placement.metadata.name,
    )


def _means(term: ResourceSelectorTerm, ref: _Ref, meta: Object) -> bool:
    if (term.group, term.kind) != (ref.group, ref.kind):
        return False
    if term.name:
        return term.name == ref.name
    return term.label_selector is None or _fits(term.label_selector, meta.get("labels") or {})


def _means_namespace(term: ResourceSelectorTerm, namespace: str) -> bool:
    """Only by name: the labels of namespaces are not at hand, and the status tells soon."""
    is_namespace = (term.group, term.kind) == ("", "Namespace")
    return is_namespace and term.name == namespace and term.selection_scope != NAMESPACE_ONLY


def _fits(selector: LabelSelector, given: Mapping[str, str]) -> bool:
    expressions = [
        {"key": each.key, "operator": each.operator, "values": list(each.values)}
        for each in selector.match_expressions
    ]
    document = {"matchLabels": selector.match_labels, "matchExpressions": expressions}
    try:
        return labels.from_object(document).matches(given)
    except labels.SelectorError:
        return False
