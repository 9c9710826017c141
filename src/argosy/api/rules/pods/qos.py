"""The quality-of-service class of a pod, which kubelets use to choose whom to evict.

Guaranteed: every container limits cpu and memory, and all requests equal the limits. BestEffort: nobody asks for
anything. Burstable: the rest. Pod-level resources, where given, count instead of the containers'.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.pods.resources import quantity
from argosy.base.quantities import Quantity
from argosy.base.types import Object

_COMPUTE: Final = ("cpu", "memory")


def qos_class(spec: Object) -> str:
    requests: dict[str, Quantity] = {}
    limits: dict[str, Quantity] = {}
    guaranteed = True
    if (resources := spec.get("resources")) is not None:
        _add(requests, resources.get("requests"))
        found = _add(limits, resources.get("limits"))
        if resources.get("limits") and found < 2:
            guaranteed = False
    else:
        for kind in ("containers", "initContainers"):
            for container in spec.get(kind) or ():
                own = container.get("resources") or {}
                _add(requests, own.get("requests"))
                if _add(limits, own.get("limits")) < 2:
                    guaranteed = False
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if guaranteed and requests == limits else "Burstable"


def _add(total: dict[str, Quantity], amounts: Object | None) -> int:
    """Add the compute resources that are asked for, and say how many."""
    if not amounts:
        return 0
    found = 0
    for name in _COMPUTE:
        value = amounts.get(name)
        if value is not None and (amount := quantity(value)).sign > 0:
            found += 1
            total[name] = total[name] + amount if name in total else amount
    return found
