"""What DaemonSets take of a new machine before anybody else's pods come.

Asked of each pool's template as the DaemonSet controller would ask it of a node: selector, node affinity and taints.
The taints that nodes get in trouble, which these pods tolerate, are none that a pool can have.
"""

from __future__ import annotations

import msgspec

from argosy.api.nodefit import PodClass, PodClasses, Resources
from argosy.api.objects import Node, PodSpec
from argosy.api.objects.apps import DaemonSet
from argosy.capacity.templates import defaulted
from argosy.client.resources import DAEMON_SETS
from argosy.control.assemblies import Assembly


class Daemons:
    """The DaemonSets of a cluster."""

    def __init__(self, assembly: Assembly, classes: PodClasses) -> None:
        self._classes = classes
        # By namespace and name: pods of the newest template.
        self._pods: dict[tuple[str, str], PodClass] = {}
        assembly.informer(DAEMON_SETS, DaemonSet).add_handler(self._changed)

    def overhead(self, machine: Node) -> Resources:
        """The sum of what their pods on such a machine ask for; "pods" is how many there are."""
        taken: Resources = {}
        for pods in self._pods.values():
            if not pods.admits(machine):
                continue
            taken["pods"] = taken.get("pods", 0) + 1
            for name, amount in pods.requests.items():
                taken[name] = taken.get(name, 0) + amount
        return taken

    def _changed(self, old: DaemonSet | None, new: DaemonSet | None) -> None:
        one = new or old
        assert one is not None
        if new is None or new.metadata.deletion_timestamp is not None:
            self._pods.pop(one.metadata.key, None)
        elif old is None or old.metadata.generation != new.metadata.generation:
            spec = msgspec.convert(new.spec.template.get("spec") or {}, PodSpec)
            self._pods[one.metadata.key] = self._classes.of_spec(defaulted(spec))
