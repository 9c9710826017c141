"""A kubelet for every pod of a cluster: what is made runs and is ready after a while, what is deleted goes.

Pods need not be bound: tests of controllers rarely need nodes. Those whose affinity names one node, as a DaemonSet's
do, are bound to it. `broken` says which pods never become ready.
"""

from __future__ import annotations

from collections.abc import Callable

from argosy.api.nodefit import RequiredAffinity
from argosy.api.objects import Pod
from argosy.base.errors import NotFound
from argosy.base.timestamps import format_time
from argosy.client.resources import PODS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.pods.caches import pod_informer


class Kubelets:
    """Plays all kubelets; `seconds` pass before a pod is ready, and before a bound one that was deleted is gone."""

    def __init__(
        self,
        assembly: Assembly,
        *,
        seconds: float = 1.0,
        broken: Callable[[Pod], bool] = lambda _: False,
    ) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._seconds = seconds
        self._broken = broken
        self._pods = pod_informer(assembly)
        self._queue = assembly.controller("kubelets", self._reconcile, workers=10)
        self._pods.add_handler(self._changed)

    def _changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            return
        leaves = new.metadata.deletion_timestamp is not None
        if old is None or leaves != (old.metadata.deletion_timestamp is not None):
            self._queue.add_after(new.metadata.key, self._seconds)

    async def _reconcile(self, key: tuple[str, str]) -> Result:
        pod = self._pods.get(*key)
        if pod is None:
            return DONE
        namespace, name = key
        try:
            if pod.metadata.deletion_timestamp is not None:
                await self._client.delete(
                    PODS, name, namespace=namespace, grace_seconds=0, uid=pod.metadata.uid
                )
            elif pod.status.phase == "Pending":
                await self._bind(pod)
                ready = "False" if self._broken(pod) else "True"
                now = format_time(self._clock.time())
                condition = {"type": "Ready", "status": ready, "lastTransitionTime": now}
                status = {"phase": "Running", "startTime": now, "conditions": [condition]}
                await self._client.patch(
                    PODS, name, {"status": status}, namespace=namespace, subresource="status"
                )
        except NotFound:
            return DONE
        return DONE

    async def _bind(self, pod: Pod) -> None:
        affinity = (pod.spec.affinity or {}).get("nodeAffinity")
        names = RequiredAffinity({}, affinity).names
        if pod.spec.node_name or not names or len(names) > 1:
            return
        target = {"apiVersion": "v1", "kind": "Node", "name": next(iter(names))}
        name = pod.metadata.name
        binding = {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target,
        }  # fmt: skip
        await self._client.create(
            PODS, binding, namespace=pod.metadata.namespace, name=name, subresource="binding"
        )


def kubelets(
    *, seconds: float = 1.0, broken: Callable[[Pod], bool] = lambda _: False
) -> Callable[[Assembly], Kubelets]:
    """For `running(story, add_apps, kubelets())`."""
    return lambda assembly: Kubelets(assembly, seconds=seconds, broken=broken)
