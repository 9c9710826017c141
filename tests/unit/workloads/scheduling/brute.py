"""Feasibility by plain loops: what the filters mean, without any of the scheduler's structures."""

from __future__ import annotations

from collections.abc import Sequence

from argosy.api.nodefit import allocatable, clashes, host_ports, requested, untolerated
from argosy.api.nodefit.affinities import RequiredAffinity
from argosy.api.objects import Node, Pod
from argosy.base.selectors.labels import from_object
from argosy.base.types import Object

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def feasible(nodes: Sequence[Node], pods: Sequence[Pod], asking: Pod) -> set[str]:
    """The names of the nodes that may take the pod."""
    return {
        node.metadata.name
        for node in nodes
        if fits_alone(node, pods, asking)
        and spreads(nodes, node, pods, asking)
        and gets_along(nodes, node, pods, asking)
    }


def fits_alone(node: Node, pods: Sequence[Pod], asking: Pod) -> bool:
    here = [pod for pod in pods if pod.spec.node_name == node.metadata.name]
    spec = asking.spec
    if node.spec.unschedulable or untolerated(spec.tolerations, node.spec.taints):
        return False
    if not matches_node(node, asking):
        return False
    if any(clashes(host_ports(spec), host_ports(pod.spec)) for pod in here):
        return False
    free = allocatable(node)
    if len(here) >= free.pop("pods", 0):
        return False
    for pod in here:
        for name, amount in requested(pod.spec).items():
            free[name] = free.get(name, 0) - amount
    return all(amount <= free.get(name, 0) for name, amount in requested(spec).items())


def matches_node(node: Node, asking: Pod) -> bool:
    required = RequiredAffinity(
        asking.spec.node_selector, (asking.spec.affinity or {}).get("nodeAffinity")
    )
    return required.matches(node.metadata.labels, node.metadata.name)


def spreads(nodes: Sequence[Node], node: Node, pods: Sequence[Pod], asking: Pod) -> bool:
    hard = [
        constraint
        for constraint in asking.spec.topology_spread_constraints
        if constraint["whenUnsatisfiable"] == "DoNotSchedule"
    ]
    keys = [constraint["topologyKey"] for constraint in hard]
    labeled = [one for one in nodes if all(key in one.metadata.labels for key in keys)]
    for constraint in hard:
        key = constraint["topologyKey"]
        mine = node.metadata.labels.get(key)
        if mine is None:
            return False
        included = [one for one in labeled if is_included(one, asking, constraint)]
        selector = from_object(constraint["labelSelector"])
        counts = {one.metadata.labels[key]: 0 for one in included}
        names = {one.metadata.name: one.metadata.labels[key] for one in included}
        for pod in pods:
            if (
                pod.spec.node_name in names
                and pod.metadata.namespace == asking.metadata.namespace
                and not selector.empty
                and selector.matches(pod.metadata.labels)
            ):
                counts[names[pod.spec.node_name]] += 1
        least = min(counts.values(), default=0)
        if len(counts) < (constraint.get("minDomains") or 1):
            least = 0
        itself = selector.matches(asking.metadata.labels)
        if counts.get(mine, 0) + itself - least > constraint["maxSkew"]:
            return False
    return True


def is_included(node: Node, asking: Pod, constraint: Object) -> bool:
    if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not matches_node(node, asking):
        return False
    return constraint.get("nodeTaintsPolicy", "Ignore") == "Ignore" or not untolerated(
        asking.spec.tolerations, node.spec.taints
    )


def gets_along(nodes: Sequence[Node], node: Node, pods: Sequence[Pod], asking: Pod) -> bool:
    labels = {one.metadata.name: one.metadata.labels for one in nodes}
    mine = node.metadata.labels
    placed = [(pod, labels[pod.spec.node_name]) for pod in pods]

    def near(key: str, other: dict[str, str]) -> bool:
        return key in mine and mine[key] == other.get(key)

    for pod, there in placed:
        for term in terms(pod, "podAntiAffinity"):
            if matches(term, pod, asking) and near(term["topologyKey"], there):
                return False
        for term in terms(asking, "podAntiAffinity"):
            if matches(term, asking, pod) and near(term["topologyKey"], there):
                return False
    wanted = terms(asking, "podAffinity")
    if not all(term["topologyKey"] in mine for term in wanted):
        return False
    company = [there for pod, there in placed if all(matches(term, asking, pod) for term in wanted)]
    if all(any(near(term["topologyKey"], there) for there in company) for term in wanted):
        return True
    anywhere = any(term["topologyKey"] in there for term in wanted for there in company)
    return not anywhere and all(matches(term, asking, asking) for term in wanted)


def terms(pod: Pod, kind: str) -> list[Object]:
    return list(((pod.spec.affinity or {}).get(kind) or {}).get(REQUIRED) or ())


def matches(term: Object, holder: Pod, other: Pod) -> bool:
    namespaces = term.get("namespaces") or [holder.metadata.namespace]
    return other.metadata.namespace in namespaces and from_object(term["labelSelector"]).matches(
        other.metadata.labels
    )
