"""One agent in the place of all kubelets: it follows the pods bound to its nodes and has their runtimes run them.

Its nodes are those labeled `argosy.dev/runtime` with a runtime it has. For each pod bound to one of them it does what a
kubelet does: look whether the node takes it, have it started, tell of changes, have it stopped when its deletion is
asked for, remove it when nothing of it is left, forget it when it is gone. What runtimes report is written by
`reporting`, events by `recording`; nodes are looked after by `caretaking`.

A node with the annotation `argosy.dev/fault: vanish` gives one last sign of life and is silent: what its pods do is
kept and written when it comes back. Pods of nodes that are gone are forgotten, and their objects are the pod garbage
collector's.

Informers only say who has changed; one task looks at those, each once however often it changed, in batches, and a
defect in one pod's case does not stop the others. A change costs O(1), a node that does not change costs nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from argosy.api.objects import Node, Pod
from argosy.api.wellknown import RUNTIME
from argosy.base.clock import Clock
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.resources import NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.control.correlating import Reference
from argosy.control.references import reference
from argosy.workloads.pods.caches import NODE, pod_informer
from argosy.workloads.runtimes.admitting import Admission, Rejection
from argosy.workloads.runtimes.caretaking import Caretaker
from argosy.workloads.runtimes.changes import Changes
from argosy.workloads.runtimes.protocol import Runtime
from argosy.workloads.runtimes.recording import KubeletEvents
from argosy.workloads.runtimes.reporting import PodReports

_LOG: Final = logging.getLogger(__name__)
# Who is looked at before others get a turn.
_BATCH: Final = 200


@dataclass(slots=True)
class _Tracked:
    """A pod that a runtime has. `grace`: its deletion was asked for with so many seconds."""

    pod: Pod
    runtime: Runtime
    grace: int | None = None
    is_rejected: bool = False
    # What was reported while its node was silent.
    held: Object | None = None
    is_held_ended: bool = False


class Agent:
    """The agent of one cluster. It is the `Reporter` of its runtimes; give them to it with `serve`."""

    def __init__(self, assembly: Assembly, identity: str = "argosy-agent") -> None:
        self._assembly = assembly
        self._runtimes: dict[str, Runtime] = {}
        self._pods = pod_informer(assembly)
        self._nodes = assembly.informer(NODES, Node)
        self._admission = Admission()
        # By namespace and name.
        self._tracked: dict[tuple[str, str], _Tracked] = {}
        # Nodes that are served, by name.
        self._served: dict[str, Node] = {}
        self._caretaker = Caretaker(assembly, identity, self._served.get, self._speak)
        # Who has changed since they were looked at, each once.
        self._changed_nodes = Changes()
        self._changed_pods = Changes()
        self._woken = asyncio.Event()
        client, clock, source = assembly.client, assembly.clock, assembly.source
        self._reports = PodReports(client, clock, self._pods.get, source=source)
        self._events = KubeletEvents(
            client,
            self._host_of,
            clock=clock,
            ids=assembly.ids,
            source=source,
            is_mute=not assembly.upkeep.writes_events,
        )
        self._nodes.add_handler(self._node_changed)
        self._pods.add_handler(self._pod_changed)
        assembly.task("agent-reports", self._reports.run)
        assembly.task("agent-events", self._events.run)
        assembly.task("agent", self._run)

    def serve(self, *runtimes: Runtime) -> None:
        """Have these runtimes run the pods of the nodes that name them; before the assembly runs."""
        for runtime in runtimes:
            self._runtimes[runtime.name] = runtime
            self._assembly.task(f"runtime-{runtime.name}", runtime.run)

    # Looking.

    @property
    def clock(self) -> Clock:
        return self._assembly.clock

    def node(self, name: str) -> Node | None:
        """Any node of the cluster."""
        return self._nodes.get("", name)

    def runtime_of(self, node: str) -> Runtime | None:
        """The runtime of a node that is served and not silent."""
        served = self._served.get(node)
        if served is None or self.is_silent(node):
            return None
        return self._runtimes.get(served.metadata.labels.get(RUNTIME, ""))

    def is_silent(self, node: str) -> bool:
        """Whether a node has vanished."""
        return self._caretaker.is_silent(node)

    def speaking_nodes(self) -> Iterator[str]:
        """The nodes that are served and have not vanished."""
        return (name for name in self._served if not self.is_silent(name))

    def running_pods(self) -> Iterator[tuple[Pod, Runtime]]:
        """Pods that run on speaking nodes, each with its runtime."""
        for one in self._tracked.values():
            if one.pod.status.phase == "Running" and not self.is_silent(one.pod.spec.node_name):
                yield one.pod, one.runtime

    # Following.

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        node = new or old
        if node is not None:
            self._changed_nodes.add(("", node.metadata.name))
            self._woken.set()

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        for pod in (new, old):
            if pod is not None and pod.spec.node_name:
                self._changed_pods.add(pod.metadata.key)
                self._woken.set()
                return

    async def _run(self) -> None:
        """Look at who has changed, first at everybody.

        Pods that have run before come first, so that they keep their addresses and their share of the node.
        """
        self._changed_pods.sort(self._is_new)
        while True:
            self._woken.clear()
            looked = 0
            while self._look_at_next():
                looked += 1
                if not looked % _BATCH:
                    await asyncio.sleep(0)
            await self._woken.wait()

    def _is_new(self, key: tuple[str, str]) -> bool:
        pod = self._pods.get(*key)
        return pod is None or not pod.status.pod_ip

    def _look_at_next(self) -> bool:
        """Nodes before pods; whether there was anybody."""
        if (key := self._changed_nodes.pop()) is not None:
            look = self._look_at_node
        elif (key := self._changed_pods.pop()) is not None:
            look = self._look_at_pod
        else:
            return False
        try:
            look(*key)
        except Exception:  # noqa: BLE001  (the task boundary: one broken object must not stop the others)
            _LOG.exception("%s cannot be served", "/".join(filter(None, key)))
        return True

    # Nodes.

    def _look_at_node(self, namespace: str, name: str) -> None:
        node = self._nodes.get(namespace, name)
        if node is None:
            if name in self._served:
                self._leave(name)
        elif self._take(node):
            for pod in self._pods.by_index(NODE, name):
                self._changed_pods.add(pod.metadata.key)

    def _take(self, node: Node) -> bool:
        """Serve a node that is there or has changed; whether it was not served before."""
        name = node.metadata.name
        known = self._served.get(name)
        if known is not None and _identity(known) != _identity(node):
            self._leave(name)
            known = None
        runtime = self._runtimes.get(node.metadata.labels.get(RUNTIME, ""))
        if runtime is None:
            return False
        self._served[name] = node
        self._admission.node_changed(node)
        runtime.node_changed(node)
        self._caretaker.look(node)
        return known is None

    def _leave(self, name: str) -> None:
        """A node is not served any more: nothing of it is left."""
        node = self._served.pop(name)
        self._caretaker.gone(name)
        for pod in self._pods.by_index(NODE, name):
            self._forget(pod.metadata.key)
        self._admission.node_gone(name)
        if (runtime := self._runtimes.get(node.metadata.labels.get(RUNTIME, ""))) is not None:
            runtime.node_gone(node)

    def _speak(self, name: str) -> None:
        """Write what happened while the node was silent."""
        for pod in self._pods.by_index(NODE, name):
            one = self._find(pod)
            if one is None:
                continue
            held, one.held = one.held, None
            if held is not None:
                self._reports.status(one.pod, held)
            if one.is_held_ended:
                self._reports.ended(one.pod)

    # Pods.

    def _look_at_pod(self, namespace: str, name: str) -> None:
        pod, key = self._pods.get(namespace, name), (namespace, name)
        one = self._tracked.get(key)
        if one is not None and (pod is None or pod.metadata.uid != one.pod.metadata.uid):
            self._forget(key)
            one = None
        if pod is None or pod.spec.node_name not in self._served:
            return
        if one is None:
            one = self._begin(pod)
        elif one.pod is not pod:
            one.pod = pod
            one.runtime.change(pod)
            if pod.is_terminal:
                self._admission.leave(pod)
        if pod.metadata.deletion_timestamp is not None:
            grace = pod.metadata.deletion_grace_period_seconds or 0
            if one.grace is None or grace < one.grace:
                one.grace = grace
                self._stop(one, grace)

    def _begin(self, pod: Pod) -> _Tracked:
        node = self._served[pod.spec.node_name]
        runtime = self._runtimes[node.metadata.labels[RUNTIME]]
        one = self._tracked[pod.metadata.key] = _Tracked(pod, runtime)
        if pod.is_terminal:
            runtime.start(pod, node)
        elif pod.status.start_time is not None:
            self._admission.keep(pod)
            runtime.start(pod, node)
        elif pod.metadata.deletion_timestamp is not None:
            # Never started, and never will be.
            one.is_rejected = True
        elif (rejection := self._admission.admit(pod)) is not None:
            one.is_rejected = True
            self.event(pod, "Warning", rejection.reason, rejection.message)
            self.status(pod, self._rejected(rejection))
        else:
            runtime.start(pod, node)
        return one

    def _rejected(self, rejection: Rejection) -> Object:
        return {
            "phase": "Failed",
            "reason": rejection.reason,
            "message": f"Pod was rejected: {rejection.message}",
            "startTime": format_time(self._assembly.clock.now()),
        }

    def _stop(self, one: _Tracked, grace: int) -> None:
        if one.is_rejected:
            self.ended(one.pod)
        else:
            one.runtime.stop(one.pod, grace)

    def _forget(self, key: tuple[str, str]) -> None:
        one = self._tracked.pop(key, None)
        if one is None:
            return
        self._admission.leave(one.pod)
        self._reports.forget(one.pod)
        if not one.is_rejected:
            one.runtime.forget(one.pod)

    def _find(self, pod: Pod) -> _Tracked | None:
        """The pod, if it is still the one of its name."""
        one = self._tracked.get(pod.metadata.key)
        return one if one is not None and one.pod.metadata.uid == pod.metadata.uid else None

    # What runtimes report.

    def status(self, pod: Pod, status: Object) -> None:
        one = self._find(pod)
        if one is None:
            return
        if status.get("phase") in {"Succeeded", "Failed"}:
            self._admission.leave(pod)
        if self.is_silent(pod.spec.node_name):
            one.held = status
        else:
            self._reports.status(pod, status)

    def ended(self, pod: Pod) -> None:
        one = self._find(pod)
        if one is None:
            return
        if self.is_silent(pod.spec.node_name):
            one.is_held_ended = True
        else:
            self._reports.ended(pod)

    def event(
        self,
        pod: Pod,
        type_: Literal["Normal", "Warning"],
        reason: str,
        message: str,
        *,
        container: str = "",
    ) -> None:
        if self.is_silent(pod.spec.node_name) or not self._events.may_write(type_):
            return
        about = reference(PODS, pod.metadata)
        if container:
            about = _of_container(about, pod, container)
        self._events.event(about, type_, reason, message)

    def _host_of(self, about: Reference) -> str:
        pod = self._pods.get(about.namespace, about.name)
        return pod.spec.node_name if pod is not None else ""


def _identity(node: Node) -> tuple[str, str]:
    """What a node cannot change and stay the same: its uid, and who runs its pods."""
    return node.metadata.uid, node.metadata.labels.get(RUNTIME, "")


def _of_container(about: Reference, pod: Pod, container: str) -> Reference:
    """The reference of a container in a pod."""
    is_init = any(one.name == container for one in pod.spec.init_containers)
    path = f"spec.{'initContainers' if is_init else 'containers'}{{{container}}}"
    return Reference(
        about.kind,
        about.name,
        about.namespace,
        about.uid,
        about.apiVersion,
        about.resourceVersion,
        path,
    )
