"""How fast the pods of silent nodes may be driven away: slowly, and not at all when the trouble is ours.

Nodes are counted per zone (region and zone labels). One silent node is its own misfortune; half a zone is more
likely a
broken network, and every node of every zone is a control plane that has lost sight of them. Rates are upstream's: a
node every ten seconds per zone; in a zone of more than 50 nodes with 55% of them gone one every hundred seconds, in
a smaller one none; and none anywhere when no zone has a healthy node left.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from argosy.api.objects import Node
from argosy.api.wellknown import REGION, ZONE

RATE: Final = 0.1
SLOW_RATE: Final = 0.01
_LARGE_ZONE: Final = 50
_UNHEALTHY_SHARE: Final = 0.55
_EXCLUDED: Final = "node.kubernetes.io/exclude-disruption"


class ZoneState(StrEnum):
    NORMAL = "Normal"
    PARTIAL = "PartialDisruption"
    FULL = "FullDisruption"


def zone_of(node: Node) -> str:
    labels = node.metadata.labels
    return f"{labels.get(REGION, '')}:{labels.get(ZONE, '')}"


def is_counted(node: Node) -> bool:
    return _EXCLUDED not in node.metadata.labels


def zone_state(ready: int, not_ready: int) -> ZoneState:
    if not ready and not_ready:
        return ZoneState.FULL
    if not_ready > 2 and not_ready / (ready + not_ready) >= _UNHEALTHY_SHARE:
        return ZoneState.PARTIAL
    return ZoneState.NORMAL


def rates(zones: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Evictions a second per zone, from its numbers of ready and other nodes."""
    states = {zone: zone_state(*counts) for zone, counts in zones.items()}
    if states and all(state == ZoneState.FULL for state in states.values()):
        return dict.fromkeys(zones, 0.0)
    return {zone: _rate(state, sum(zones[zone])) for zone, state in states.items()}


def _rate(state: ZoneState, size: int) -> float:
    if state != ZoneState.PARTIAL:
        return RATE
    return SLOW_RATE if size > _LARGE_ZONE else 0.0
