"""Which pods belong to which services, kept up to date by events.

Services are found by one label of their selector, so a pod event costs a lookup per label of the pod in namespaces that
have services, and one lookup in others. The pods of new services are found together, by one pass over all pods when
the first of them is asked for: a cluster that starts with thousands of services reads its pods once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from argosy.api.objects import Pod
from argosy.client.objects import Key

_Pair: TypeAlias = tuple[str, str]
_Selector: TypeAlias = Mapping[str, str]


class Selections:
    """Services by namespace and selector, and the names of their pods."""

    def __init__(self) -> None:
        # By namespace, then by the least label of the selector.
        self._by_pair: dict[str, dict[_Pair, dict[Key, _Selector]]] = {}
        self._selectors: dict[Key, _Selector] = {}
        self._members: dict[Key, set[str]] = {}
        self._new: set[Key] = set()

    def put(self, service: Key, selector: _Selector) -> None:
        """A service's selector; empty when it has none, or is gone."""
        before = self._selectors.get(service, {})
        if before == selector:
            return
        if before:
            self._drop(service, before)
        if selector:
            pairs = self._by_pair.setdefault(service.namespace, {})
            pairs.setdefault(min(selector.items()), {})[service] = selector
            self._selectors[service] = selector
            self._members[service] = set()
            self._new.add(service)

    def matching(self, pod: Pod) -> set[Key]:
        """The services that select the pod."""
        pairs = self._by_pair.get(pod.metadata.namespace)
        if not pairs:
            return set()
        labels = pod.metadata.labels
        return {
            service
            for pair in labels.items()
            for service, selector in pairs.get(pair, {}).items()
            if selector.items() <= labels.items()
        }

    def has_services(self, namespace: str) -> bool:
        return namespace in self._by_pair

    def move(self, old: Pod | None, new: Pod | None) -> set[Key]:
        """Note a pod's change. Returns all services that select it or did."""
        before = self.matching(old) if old is not None else set()
        after = self.matching(new) if new is not None else set()
        for service in before - after:
            assert old is not None
            self._members[service].discard(old.metadata.name)
        for service in after:
            assert new is not None
            self._members[service].add(new.metadata.name)
        return before | after

    def size(self, service: Key) -> int:
        return len(self._members.get(service, ()))

    def members(self, service: Key, pods: Iterable[Pod]) -> list[str]:
        """The names of the service's pods; `pods` are all there are, read only when new services wait for them."""
        if service in self._new:
            self._new.clear()
            for pod in pods:
                for found in self.matching(pod):
                    self._members[found].add(pod.metadata.name)
        return sorted(self._members.get(service, ()))

    def _drop(self, service: Key, selector: _Selector) -> None:
        pairs = self._by_pair[service.namespace]
        pair = min(selector.items())
        del pairs[pair][service]
        if not pairs[pair]:
            del pairs[pair]
        if not pairs:
            del self._by_pair[service.namespace]
        del self._selectors[service], self._members[service]
        self._new.discard(service)
