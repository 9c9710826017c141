"""What surrounds workloads: namespaces with their labels and LimitRanges, and runtime classes.

A namespace's LimitRanges are summed up when somebody asks and kept until one of them changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from argosy.api.objects import Namespace
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.limits import LimitRange, RuntimeClass
from argosy.client.resources import LIMIT_RANGES, NAMESPACES, RUNTIME_CLASSES
from argosy.control.assemblies import Assembly
from argosy.queueing.workloads.adjusting import adjusted
from argosy.queueing.workloads.limitranges import Summary, summarize

_NAMESPACE: Final = "namespace"


class Neighborhood:
    """Namespaces, LimitRanges and runtime classes of one cluster."""

    def __init__(self, assembly: Assembly) -> None:
        self._namespaces = assembly.informer(NAMESPACES, Namespace)
        self._ranges = assembly.informer(LIMIT_RANGES, LimitRange)
        if not self._ranges.has_index(_NAMESPACE):
            self._ranges.add_index(_NAMESPACE, lambda one: [one.metadata.namespace])
        self._classes = assembly.informer(RUNTIME_CLASSES, RuntimeClass)
        self._overheads: dict[str, RuntimeClass] = {}
        self._summaries: dict[str, Summary] = {}
        self._listeners: list[Callable[[str], None]] = []
        self._namespaces.add_handler(self._namespace_changed)
        self._ranges.add_handler(self._range_changed)
        self._classes.add_handler(self._class_changed)

    def tell(self, listener: Callable[[str], None]) -> None:
        """Have somebody told which namespace is different; the empty name is all of them."""
        self._listeners.append(listener)

    def _changed(self, name: str) -> None:
        for listener in self._listeners:
            listener(name)

    def namespace(self, name: str) -> Namespace | None:
        return self._namespaces.get("", name)

    def labels(self, name: str) -> Mapping[str, str] | None:
        found = self.namespace(name)
        return found.metadata.labels if found is not None else None

    def limits(self, namespace: str) -> Summary:
        """What the LimitRanges of a namespace say together."""
        if namespace not in self._summaries:
            ranges = self._ranges.by_index(_NAMESPACE, namespace)
            self._summaries[namespace] = summarize(ranges)
        return self._summaries[namespace]

    def adjust(self, workload: Workload) -> Workload:
        """A workload with the requests its pods will have."""
        return adjusted(workload, self.limits(workload.metadata.namespace), self._overheads)

    def _namespace_changed(self, old: Namespace | None, new: Namespace | None) -> None:
        if old is None or new is None or old.metadata.labels != new.metadata.labels:
            found = new or old
            self._changed(found.metadata.name if found is not None else "")

    def _range_changed(self, old: LimitRange | None, new: LimitRange | None) -> None:
        for one in (old, new):
            if one is not None:
                self._summaries.pop(one.metadata.namespace, None)
        found = new or old
        self._changed(found.metadata.namespace if found is not None else "")

    def _class_changed(self, old: RuntimeClass | None, new: RuntimeClass | None) -> None:
        if old is not None:
            self._overheads.pop(old.metadata.name, None)
        if new is not None:
            self._overheads[new.metadata.name] = new
        self._changed("")
