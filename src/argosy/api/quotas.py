"""What an object counts for in a ResourceQuota, and which quotas count it.

Pure: used on the way in (admission) and afterwards (the recount), so both always agree. Amounts are keyed by the
names a quota uses: `pods`, `requests.cpu`, `limits.memory`, `count/jobs.batch`, `services.nodeports`,
`requests.nvidia.com/gpu`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api import podresources
from argosy.api.podresources import Amounts
from argosy.base.quantities import Quantity, parse
from argosy.base.types import Object

_ONE: Final = Quantity.of(1)
# Resources that also count under their plain name.
_PLAIN: Final = frozenset({
    "pods", "services", "configmaps", "secrets", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas",
})  # fmt: skip
_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")


def usage(resource: str, obj: Object) -> Amounts:
    """What one object uses; `resource` is its qualified name (`jobs.batch`). A pod that has ended uses nothing but
    its count.
    """
    used: Amounts = {f"count/{resource}": _ONE}
    if resource in _PLAIN:
        used[resource] = _ONE
    match resource:
        case "pods":
            _pod(used, obj)
        case "services":
            _service(used, obj)
        case "persistentvolumeclaims":
            _claim(used, obj)
    return used


def _pod(used: Amounts, pod: Object) -> None:
    if (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}:
        del used["pods"]
        return
    for name, amount in podresources.requests(pod["spec"]).items():
        if name in _COMPUTE or name.startswith("hugepages-"):
            used[name] = amount
        used[f"requests.{name}"] = amount
    for name, amount in podresources.limits(pod["spec"]).items():
        if name in _COMPUTE:
            used[f"limits.{name}"] = amount


def _service(used: Amounts, service: Object) -> None:
    spec = service["spec"]
    ports = Quantity.of(len(spec.get("ports") or ()))
    match spec.get("type", "ClusterIP"):
        case "NodePort":
            used["services.nodeports"] = ports
        case "LoadBalancer":
            used["services.loadbalancers"] = _ONE
            used["services.nodeports"] = (
                Quantity.of(0) if spec.get("allocateLoadBalancerNodePorts") is False else ports
            )


def _claim(used: Amounts, claim: Object) -> None:
    spec = claim["spec"]
    asked = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    storage_class = spec.get("storageClassName")
    if storage_class:
        used[f"{storage_class}.storageclass.storage.k8s.io/persistentvolumeclaims"] = _ONE
    if asked is not None:
        used["requests.storage"] = parse(asked)
        if storage_class:
            used[f"{storage_class}.storageclass.storage.k8s.io/requests.storage"] = parse(asked)


def counts(quota: Object, resource: str, obj: Object) -> bool:
    """Whether an object is in the scopes of a quota. All of them must hold; scopes other than pods' match nothing."""
    scopes = _scopes(quota["spec"])
    if not scopes:
        return True
    return resource == "pods" and all(_in_scope(obj, *scope) for scope in scopes)


def _scopes(spec: Object) -> list[tuple[str, str, tuple[str, ...]]]:
    plain = [(scope, "Exists", ()) for scope in spec.get("scopes") or ()]
    selected = [
        (e["scopeName"], e["operator"], tuple(e.get("values") or ()))
        for e in (spec.get("scopeSelector") or {}).get("matchExpressions") or ()
    ]
    return [*plain, *selected]


def _in_scope(pod: Object, scope: str, operator: str, values: tuple[str, ...]) -> bool:
    spec = pod["spec"]
    match scope:
        case "Terminating":
            return spec.get("activeDeadlineSeconds") is not None
        case "NotTerminating":
            return spec.get("activeDeadlineSeconds") is None
        case "BestEffort" | "NotBestEffort":
            best_effort = bool(
                (pod.get("status") or {}).get("qosClass", _qos(spec)) == "BestEffort"
            )
            return best_effort == (scope == "BestEffort")
        case "PriorityClass":
            name = spec.get("priorityClassName", "")
            match operator:
                case "Exists":
                    return bool(name)
                case "DoesNotExist":
                    return not name
                case "In":
                    return name in values
            return name not in values
    return _crosses_namespaces(spec)


def _qos(spec: Object) -> str:
    asked = podresources.requests(spec) or podresources.limits(spec)
    return "Burstable" if asked else "BestEffort"


def _crosses_namespaces(spec: Object) -> bool:
    affinity = spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(kind) or {}
        required = terms.get("requiredDuringSchedulingIgnoredDuringExecution") or ()
        preferred = terms.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        for term in (*required, *(p["podAffinityTerm"] for p in preferred)):
            if term.get("namespaces") or term.get("namespaceSelector") is not None:
                return True
    return False


def unsaid(hard: Iterable[str], pod: Object) -> str:
    """What containers must say because a quota counts it: `cpu for: main; memory for: main,side`; "" when all is
    said.
    """
    needed = [
        name for name in hard if name.removeprefix("requests.").removeprefix("limits.") in _COMPUTE
    ]
    missing: dict[str, list[str]] = {}
    for container in (*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())):
        resources = container.get("resources") or {}
        for name in needed:
            which = "limits" if name.startswith("limits.") else "requests"
            plain = name.removeprefix("requests.").removeprefix("limits.")
            if plain not in (resources.get(which) or {}):
                missing.setdefault(name, []).append(container["name"])
    return "; ".join(f"{name} for: {','.join(sorted(missing[name]))}" for name in sorted(missing))
