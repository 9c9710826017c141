"""The cluster's pods, read once for all controllers, and the ways to find them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects import Pod
from argosy.client.resources import PODS
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer

# By the uid of the owner that manages the pod.
CONTROLLER: Final = "controller"
# By namespace, those that nobody manages.
ORPHAN: Final = "orphan"
# By the name of the node.
NODE: Final = "node"


def pod_informer(assembly: Assembly) -> Informer[Pod]:
    """The shared informer of all pods, with the indexes above."""
    informer = assembly.informer(PODS, Pod)
    if not informer.has_index(CONTROLLER):
        informer.add_index(CONTROLLER, _controller)
        informer.add_index(ORPHAN, _orphan)
        informer.add_index(NODE, _node)
    return informer


def _controller(pod: Pod) -> Iterable[str]:
    owner = pod.metadata.controller
    return (owner.uid,) if owner is not None else ()


def _orphan(pod: Pod) -> Iterable[str]:
    return (pod.metadata.namespace,) if pod.metadata.controller is None else ()


def _node(pod: Pod) -> Iterable[str]:
    return (pod.spec.node_name,) if pod.spec.node_name else ()
