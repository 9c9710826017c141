"""Why a pod has no node, in kube-scheduler's words.

Every node is counted under the reasons of the first filter that refused it; the text lists counts and reasons sorted as
strings. `refused` keeps, for each reason, the nodes behind the number, and `plugins` the filters that refused, by their
upstream names; both are for `argosy why`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from argosy.workloads.scheduling.columns import Ints

NO_NODES: Final = "no nodes available to schedule pods"
CORDONED: Final = "node(s) were unschedulable"
TAINTED: Final = "node(s) had untolerated taint(s)"
UNMATCHED: Final = "node(s) didn't match Pod's node affinity/selector"
CONFLICT: Final = "pod affinity terms conflict"
UNNAMED: Final = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
PORTS_TAKEN: Final = "node(s) didn't have free ports for the requested pod ports"
TOO_MANY_PODS: Final = "Too many pods"
NO_VOLUME: Final = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
VOLUME_ELSEWHERE: Final = "node(s) didn't match PersistentVolume's node affinity"
NOTHING_TO_BIND: Final = "node(s) didn't find available persistent volumes to bind"
VOLUME_ZONE: Final = "node(s) had no available volume zone"
UNEVEN: Final = "node(s) didn't match pod topology spread constraints"
UNLABELED: Final = f"{UNEVEN} (missing required label)"
NO_COMPANY: Final = "node(s) didn't match pod affinity rules"
BAD_COMPANY: Final = "node(s) didn't match pod anti-affinity rules"
UNWELCOME: Final = "node(s) didn't satisfy existing pods anti-affinity rules"

NOT_HELPFUL: Final = "Preemption is not helpful for scheduling"
NO_VICTIMS: Final = "No preemption victims found for incoming pod"
NEVER_PREEMPTS: Final = "not eligible due to preemptionPolicy=Never."
VICTIMS_LEAVING: Final = "not eligible due to a terminating pod on the nominated node."
# What the plugin for resource claims says before preemption has its turn.
_NO_CLAIMS: Final = "no new claims to deallocate, preemption: "
# The same plugin, when a pod was refused before any node was looked at.
_NOT_LOOKED: Final = "not found"


def insufficient(resource: str) -> str:
    return f"Insufficient {resource}"


@dataclass(slots=True)
class Diagnosis:
    """Why none of `nodes` nodes takes a pod."""

    nodes: int
    # Why no node was even looked at.
    whole: str = ""
    # The rows behind each reason.
    refused: dict[str, Ints] = field(default_factory=dict)
    plugins: set[str] = field(default_factory=set)
    # What preemption had to say.
    preemption: str = ""

    @property
    def counts(self) -> dict[str, int]:
        return {reason: len(rows) for reason, rows in self.refused.items() if len(rows)}

    @property
    def objection(self) -> str:
        """What was said before any node was looked at."""
        return self.whole if self.nodes else NO_NODES

    def message(self) -> str:
        if not self.nodes:
            return NO_NODES
        if self.whole:
            return f"0/{self.nodes} nodes are available: {self.whole}. {_NOT_LOOKED}"
        text = histogram(self.nodes, self.counts)
        return f"{text} {_NO_CLAIMS}{self.preemption}" if self.preemption else text


def histogram(nodes: int, reasons: Mapping[str, int]) -> str:
    """`0/3 nodes are available: 1 reason, 2 other reason.`"""
    text = f"0/{nodes} nodes are available:"
    counted = sorted(f"{count} {reason}" for reason, count in reasons.items())
    return f"{text} {', '.join(counted)}." if counted else text
