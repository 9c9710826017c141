"""Whether an applied object is available, kind by kind.

Only some kinds say it themselves. Data is available once it is there; everything else, Jobs and custom resources among
them, cannot be tracked and is taken to be available, as upstream does.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from argosy.base.types import Json, Object
from argosy.client.resources import Resource


class Availability(StrEnum):
    """Upstream's result types, which are the reasons of conditions."""

    SKIPPED = "Skipped"
    AVAILABLE = "Available"
    NOT_YET = "ManifestNotAvailableYet"
    NOT_TRACKABLE = "NotTrackable"

    @property
    def is_available(self) -> bool:
        return self in {Availability.AVAILABLE, Availability.NOT_TRACKABLE}


_DATA: Final = frozenset(
    {
        ("", "v1", "namespaces"),
        ("", "v1", "secrets"),
        ("", "v1", "configmaps"),
        ("", "v1", "serviceaccounts"),
        ("", "v1", "limitranges"),
        ("", "v1", "resourcequotas"),
        ("rbac.authorization.k8s.io", "v1", "roles"),
        ("rbac.authorization.k8s.io", "v1", "clusterroles"),
        ("rbac.authorization.k8s.io", "v1", "rolebindings"),
        ("rbac.authorization.k8s.io", "v1", "clusterrolebindings"),
        ("networking.k8s.io", "v1", "networkpolicies"),
        ("networking.k8s.io", "v1", "ingressclasses"),
        ("storage.k8s.io", "v1", "csidrivers"),
        ("storage.k8s.io", "v1", "csinodes"),
        ("storage.k8s.io", "v1", "storageclasses"),
        ("storage.k8s.io", "v1", "csistoragecapacities"),
        ("apps", "v1", "controllerrevisions"),
        ("scheduling.k8s.io", "v1", "priorityclasses"),
    }
)


def availability(resource: Resource, obj: Object) -> Availability:
    """Of an object as it stands on the member now."""
    key = (resource.group, resource.version, resource.plural)
    if (is_available := _TRACKED.get(key)) is not None:
        return Availability.AVAILABLE if is_available(obj) else Availability.NOT_YET
    if key == ("", "v1", "services"):
        return _service(obj)
    return Availability.AVAILABLE if key in _DATA else Availability.NOT_TRACKABLE


def _deployment(obj: Object) -> bool:
    status = _status(obj)
    wanted = _number(_spec(obj), "replicas", 1)
    return (
        _is_observed(obj)
        and _number(status, "availableReplicas") == wanted
        and _number(status, "updatedReplicas") == wanted
        and _number(status, "unavailableReplicas") == 0
    )


def _stateful_set(obj: Object) -> bool:
    status = _status(obj)
    return (
        _is_observed(obj)
        and _number(status, "availableReplicas") == _number(_spec(obj), "replicas", 1)
        and _number(status, "currentReplicas") == _number(status, "updatedReplicas")
        and status.get("currentRevision") == status.get("updateRevision")
    )


def _daemon_set(obj: Object) -> bool:
    status = _status(obj)
    return (
        _is_observed(obj)
        and _number(status, "numberAvailable") == _number(status, "desiredNumberScheduled")
        and _number(status, "currentNumberScheduled") == _number(status, "updatedNumberScheduled")
    )


def _definition(obj: Object) -> bool:
    true = {
        each.get("type")
        for each in _status(obj).get("conditions") or ()
        if each.get("status") == "True"
    }
    return true >= {"Established", "NamesAccepted"}


def _disruption_budget(obj: Object) -> bool:
    """Whether its condition speaks of today's spec, and says what the numbers say."""
    status, generation = _status(obj), _generation(obj)
    for condition in status.get("conditions") or ():
        if condition.get("type") != "DisruptionAllowed":
            continue
        allowed = _number(status, "disruptionsAllowed") > 0
        return (
            _number(status, "observedGeneration") == generation
            and _number(condition, "observedGeneration") == generation
            and condition.get("status") == ("True" if allowed else "False")
        )
    return False


def _service(obj: Object) -> Availability:
    match _spec(obj).get("type") or "ClusterIP":
        case "ClusterIP" | "NodePort":
            is_available = bool((_spec(obj).get("clusterIPs") or [""])[0])
        case "LoadBalancer":
            ingress = (_mapping(_status(obj).get("loadBalancer")).get("ingress") or [{}])[0]
            is_available = bool(ingress.get("ip") or ingress.get("hostname"))
        case _:
            return Availability.NOT_TRACKABLE
    return Availability.AVAILABLE if is_available else Availability.NOT_YET


_TRACKED: Final[dict[tuple[str, str, str], Callable[[Object], bool]]] = {
    ("apps", "v1", "deployments"): _deployment,
    ("apps", "v1", "statefulsets"): _stateful_set,
    ("apps", "v1", "daemonsets"): _daemon_set,
    ("apiextensions.k8s.io", "v1", "customresourcedefinitions"): _definition,
    ("policy", "v1", "poddisruptionbudgets"): _disruption_budget,
}


def _is_observed(obj: Object) -> bool:
    return _number(_status(obj), "observedGeneration") == _generation(obj)


def _generation(obj: Object) -> int:
    return _number(_mapping(obj.get("metadata")), "generation")


def _spec(obj: Object) -> Object:
    return _mapping(obj.get("spec"))


def _status(obj: Object) -> Object:
    return _mapping(obj.get("status"))


def _number(found: Object, field: str, default: int = 0) -> int:
    value = found.get(field)
    return value if isinstance(value, int) else default


def _mapping(value: Json) -> Object:
    return value if isinstance(value, dict) else {}
