"""WorkloadPriorityClasses: workloads of a class follow its value, those that wait and those that run.

A workload keeps its priority as a number, so that it is ordered without looking anything up. When the value of its
class changes, the number follows, unless the workload is finished.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects.kueue.checks import WorkloadPriorityClass
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.errors import NotFound
from argosy.client.resources import WORKLOAD_PRIORITY_CLASSES, WORKLOADS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.queueing.workloads.priorities import WORKLOAD_PRIORITY_CLASS

_MANAGER: Final = "kueue-workload-controller"
_GROUP: Final = "kueue.x-k8s.io"
_CLASS: Final = "workloadPriorityClass"


def class_of(workload: Workload) -> str:
    """The WorkloadPriorityClass of a workload; empty if it has none, or one of pods."""
    named = workload.spec.priority_class_ref
    if named is None or (named.group, named.kind) != (_GROUP, WORKLOAD_PRIORITY_CLASS):
        return ""
    return named.name


def outdated(value: int, workloads: Iterable[Workload]) -> list[Workload]:
    """The workloads of a class whose priority is not the value of their class."""
    return [one for one in workloads if one.spec.priority != value and not one.is_finished]


class PriorityClasses:
    """One cluster's WorkloadPriorityClasses."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._classes = assembly.informer(WORKLOAD_PRIORITY_CLASSES, WorkloadPriorityClass)
        self._workloads = assembly.informer(WORKLOADS, Workload)
        self._workloads.add_index(_CLASS, lambda one: (class_of(one),))
        self._queue = assembly.controller("workloadpriorityclass_controller", self._reconcile)
        self._classes.add_handler(self._class_changed)

    def _class_changed(
        self, old: WorkloadPriorityClass | None, new: WorkloadPriorityClass | None
    ) -> None:
        if new is not None and (old is None or old.value != new.value):
            self._queue.add(new.metadata.name)

    async def _reconcile(self, name: str) -> Result:
        found = self._classes.get("", name)
        if found is not None:
            for workload in outdated(found.value, self._workloads.by_index(_CLASS, name)):
                await self._follow(workload, found.value)
        return DONE

    async def _follow(self, workload: Workload, value: int) -> None:
        meta = workload.metadata
        known = {"uid": meta.uid, "resourceVersion": meta.resource_version}
        try:
            await self._client.patch(
                WORKLOADS,
                meta.name,
                {"metadata": known, "spec": {"priority": value}},
                namespace=meta.namespace,
                field_manager=_MANAGER,
            )
        except NotFound:
            return
