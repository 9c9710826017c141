"""Whether a pod and a node fit each other: the predicates that need no third party.

The scheduler, the autoscaler and queues ask the same questions here, so they never disagree: what does a pod ask for,
what has a node to give, does its node affinity match, does it tolerate the taints, do host ports clash. Everything is
pure and works on typed views; a pod is compiled once into a `PodClass`, which all pods of one template share.
What a pod asks of other pods is read in `terms`; who counts those pods, and questions about volumes, are elsewhere.
"""

from __future__ import annotations

from argosy.api.nodefit.affinities import PreferredTerms, RequiredAffinity
from argosy.api.nodefit.podclasses import PodClass, PodClasses
from argosy.api.nodefit.ports import HostPort, clashes, host_ports
from argosy.api.nodefit.requests import (
    Resources,
    allocatable,
    counted,
    requested,
    requested_for_scoring,
    shortages,
)
from argosy.api.nodefit.taints import intolerable_preferences, tolerates, untolerated

__all__ = [
    "HostPort",
    "PodClass",
    "PodClasses",
    "PreferredTerms",
    "RequiredAffinity",
    "Resources",
    "allocatable",
    "clashes",
    "counted",
    "host_ports",
    "intolerable_preferences",
    "requested",
    "requested_for_scoring",
    "shortages",
    "tolerates",
    "untolerated",
]
