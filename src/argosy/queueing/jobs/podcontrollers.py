"""The controller of pods that are jobs: those with the label `kueue.x-k8s.io/managed`, alone and in groups.

Pods of other owners are many and not looked at: the informer follows that label. A group is looked at when one of its
pods or its Workload changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.client.resources import PODS
from argosy.control.assemblies import Assembly
from argosy.control.informers import Selection
from argosy.control.reconcilers import Result
from argosy.queueing.jobs import names
from argosy.queueing.jobs.actions import Action
from argosy.queueing.jobs.deciding import decide, decide_gone
from argosy.queueing.jobs.grouping import decide_group
from argosy.queueing.jobs.integrations.pods import LonePods
from argosy.queueing.jobs.integrations.traits import group_name
from argosy.queueing.jobs.measuring import Done, measured_pods
from argosy.queueing.jobs.pictures import Picture
from argosy.queueing.jobs.writing import Writer
from argosy.queueing.metrics.jobs import JobMetrics

_WORKERS: Final = 10
_BY_GROUP: Final = "group"
_KIND: Final = LonePods()
_SELECTION: Final = Selection(label_selector=f"{names.MANAGED}=true")
# Pods of a group come, and change, together.
_BATCH_SECONDS: Final = 0.1


class PodKey(NamedTuple):
    """A pod, or a group of pods."""

    namespace: str
    name: str
    is_group: bool = False


class Pods:
    """Pods under queueing."""

    def __init__(self, assembly: Assembly, picture: Picture) -> None:
        self._client = assembly.client
        self._picture = picture
        self._metrics = JobMetrics(assembly.metrics)
        self._recorder = assembly.recorder(f"{_KIND.framework}-kueue-controller")
        self._pods = assembly.informer(PODS, dict, _SELECTION)
        self._pods.add_index(_BY_GROUP, _group)
        self._queue = assembly.controller("kueue-pods", self._reconcile, workers=_WORKERS)
        self._pods.add_handler(self._pod_changed)
        picture.workloads.add_handler(self._workload_changed)

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        for pod in (old, new):
            if pod is None:
                continue
            meta = pod["metadata"]
            if group := group_name(pod):
                self._queue.add_after(PodKey(meta["namespace"], group, True), _BATCH_SECONDS)
            else:
                self._queue.add(PodKey(meta["namespace"], meta["name"]))

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        workload = new if new is not None else old
        if workload is None:
            return
        meta = workload.metadata
        owner = meta.controller
        if owner is not None and owner.kind == PODS.kind:
            self._queue.add(PodKey(meta.namespace, owner.name))
        elif _is_group(workload) or self._pods.by_index(_BY_GROUP, f"{meta.namespace}/{meta.name}"):
            self._queue.add(PodKey(meta.namespace, meta.name, True))

    async def _reconcile(self, key: PodKey) -> Result:
        actions, done = self._decide_group(key) if key.is_group else self._decide(key)
        return Result(await Writer(self._client, self._recorder, done).perform(actions))

    def _decide(self, key: PodKey) -> tuple[list[Action], Done]:
        place = key.namespace, key.name
        workloads = self._picture.workloads_named_for(PODS.api_version, PODS.kind, place)
        pod = self._pods.get(*place)
        done = self._measured(key, [] if pod is None else [pod], workloads)
        if pod is None:
            return decide_gone(workloads, self._picture), done
        return decide(_KIND, pod, workloads, self._picture), done

    def _decide_group(self, key: PodKey) -> tuple[list[Action], Done]:
        pods = self._pods.by_index(_BY_GROUP, f"{key.namespace}/{key.name}")
        workload = self._picture.workload(key.namespace, key.name)
        workloads = [] if workload is None else [workload]
        done = self._measured(key, pods, workloads)
        if pods:
            return decide_group(pods, self._picture), done
        return decide_gone([one for one in workloads if _is_group(one)], self._picture), done

    def _measured(self, key: PodKey, pods: list[Object], workloads: list[Workload]) -> Done:
        return measured_pods(
            self._metrics,
            PODS.kind,
            pods,
            next(iter(workloads), None),
            self._picture,
            is_group=key.is_group,
        )


def _is_group(workload: Workload) -> bool:
    """Whether the Workload was made for a group, and not by a job that makes pods in groups."""
    meta = workload.metadata
    return meta.controller is None and meta.annotations.get(names.IS_GROUP_WORKLOAD) == "true"


def _group(pod: Object) -> Iterable[str]:
    name = group_name(pod)
    return (f"{pod['metadata']['namespace']}/{name}",) if name else ()
