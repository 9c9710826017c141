"""Which LocalQueues have metrics of their own: all of them, unless the configuration says otherwise.

A fleet may have a LocalQueue for every user, and each is a dozen series; a selector keeps the few that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from argosy.base.selectors.labels import LabelSelector, everything, from_object, nothing
from argosy.queueing.configuration.settings import LocalQueueMetrics


@dataclass(slots=True, frozen=True)
class LocalQueueScope:
    """`labels_of` gives the labels of a LocalQueue by namespace and name, none for one that is not there."""

    selector: LabelSelector
    labels_of: Callable[[str, str], Mapping[str, str] | None]

    def includes(self, namespace: str, name: str) -> bool:
        if self.selector.empty:
            return True
        labels = self.labels_of(namespace, name)
        return labels is not None and self.selector.matches(labels)


def scope_of(
    settings: LocalQueueMetrics, labels_of: Callable[[str, str], Mapping[str, str] | None]
) -> LocalQueueScope:
    if not settings.enable:
        return LocalQueueScope(nothing(), labels_of)
    selector = settings.local_queue_selector
    return LocalQueueScope(everything() if selector is None else from_object(selector), labels_of)
