"""Which pods a pod without constraints of its own is kept apart from: those of its services and of its owner.

Mirrors kube-scheduler's system default: the selectors of all services that select the pod, and of the ReplicaSet,
StatefulSet or ReplicationController that owns it, taken together.
"""

from __future__ import annotations

from typing import TypeAlias

from argosy.base.selectors.labels import LabelSelector, from_labels
from argosy.workloads.scheduling.profiles import Profile

_Key: TypeAlias = tuple[str, str]


class DefaultSpreading:
    """Selectors of services and owners."""

    def __init__(self) -> None:
        self._services: dict[str, dict[str, dict[str, str]]] = {}
        # By kind, then namespace and name.
        self._owners: dict[str, dict[_Key, LabelSelector]] = {}

    def put_service(self, key: _Key, selector: dict[str, str]) -> None:
        """A service's selector; empty when it has none or is gone."""
        namespace, name = key
        services = self._services.setdefault(namespace, {})
        if selector:
            services[name] = selector
        else:
            services.pop(name, None)

    def put_owner(self, kind: str, key: _Key, selector: LabelSelector | None) -> None:
        """An owner's selector; None when it is gone."""
        owners = self._owners.setdefault(kind, {})
        if selector is None:
            owners.pop(key, None)
        else:
            owners[key] = selector

    def selector(self, profile: Profile) -> LabelSelector | None:
        """The pods to keep apart from; None if nothing selects the pod."""
        labels = profile.labels
        merged: dict[str, str] = {}
        for wanted in self._services.get(profile.namespace, {}).values():
            if wanted.items() <= labels.items():
                merged |= wanted
        terms = list(from_labels(merged).requirements())
        kind, name = profile.owner
        owner = self._owners.get(kind, {}).get((profile.namespace, name))
        if owner is not None:
            terms += owner.requirements()
        return LabelSelector(terms) if terms else None
