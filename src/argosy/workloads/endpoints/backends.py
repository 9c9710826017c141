"""The pods behind each service, as the endpointslice and the endpoints controllers both see them.

A service that changes is looked at at once. Changes of its pods are taken together for a time that grows with their
number (0.2 ms each, five seconds at most), so that five thousand pods that become ready one by one are counted about
once a second, not five thousand times over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.api.objects import Node, Pod
from argosy.api.objects.services import Service
from argosy.api.wellknown import ZONE
from argosy.client.objects import Key
from argosy.client.resources import NODES, SERVICES
from argosy.control.assemblies import Assembly
from argosy.workloads.endpoints.endpoints import is_changed
from argosy.workloads.endpoints.selections import Selections
from argosy.workloads.pods.caches import pod_informer

_SECONDS_PER_POD: Final = 0.0002
_MOST_SECONDS: Final = 5.0


class Backends:
    """The services of a cluster, their pods, and the zones these run in."""

    def __init__(self, assembly: Assembly) -> None:
        self._services = assembly.informer(SERVICES, Service)
        self._pods = pod_informer(assembly)
        self._nodes = assembly.informer(NODES, Node)
        self._selections = Selections()
        self._listeners: list[Callable[[Key, float], None]] = []
        self._services.add_handler(self._service_changed)
        self._pods.add_handler(self._pod_changed)

    def listen(self, listener: Callable[[Key, float], None]) -> None:
        """Have the queue of a controller told which service to look at, and after how many seconds."""
        self._listeners.append(listener)

    def service(self, key: Key) -> Service | None:
        return self._services.get(*key)

    def pods(self, key: Key) -> list[Pod]:
        """The pods the service selects."""
        names = self._selections.members(key, self._pods)
        found = (self._pods.get(key.namespace, name) for name in names)
        return [pod for pod in found if pod is not None]

    def zone(self, node: str) -> str | None:
        """The node's zone, empty if it has none; None if there is no such node."""
        found = self._nodes.get("", node)
        return found.metadata.labels.get(ZONE, "") if found is not None else None

    def _service_changed(self, old: Service | None, new: Service | None) -> None:
        service = new or old
        assert service is not None
        key = Key(*service.metadata.key)
        is_selecting = new is not None and new.spec.type != "ExternalName"
        self._selections.put(key, service.spec.selector if is_selecting else {})
        self._tell(key, 0.0)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        assert pod is not None
        if not self._selections.has_services(pod.metadata.namespace):
            return
        if old is not None and new is not None:
            is_moved = old.metadata.labels != new.metadata.labels
            if not is_moved and not is_changed(old, new):
                return
        for key in self._selections.move(old, new):
            self._tell(key, min(_MOST_SECONDS, self._selections.size(key) * _SECONDS_PER_POD))

    def _tell(self, key: Key, seconds: float) -> None:
        for listener in self._listeners:
            listener(key, seconds)
