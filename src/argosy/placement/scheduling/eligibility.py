"""Whether a cluster can be given anything at all: it belongs to the fleet, its agent is heard and says it is well.

Five minutes of silence, or of bad health, are forgiven. The checks are made in upstream's order, the first that fails
is told. A placement may bear less silence than that, and then goes by what the hub itself has heard (`losses`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import HEALTHY, JOINED, MemberCluster
from argosy.api.objects.metadata import find_condition

HEARTBEAT_TIMEOUT: Final = timedelta(minutes=5)
HEALTH_TIMEOUT: Final = timedelta(minutes=5)
# What Go says of a moment that never was: the longest duration it knows.
_LONGEST: Final = timedelta(microseconds=(2**63 - 1) // 1000)

_LEFT: Final = "cluster has left the fleet"
_DISCONNECTED: Final = "cluster is not connected to the fleet: "


def ineligibility(cluster: MemberCluster, now: datetime, lost: timedelta | None = None) -> str:
    """Why nothing can be placed on the cluster; "" if it can. `lost`: it is lost to the placement, since then."""
    if cluster.metadata.deletion_timestamp is not None:
        return _LEFT
    agents = (each for each in cluster.status.agent_status if each.type == names.MEMBER_AGENT)
    agent = next(agents, None)
    if agent is None:
        return _DISCONNECTED + "member agent not online yet"
    silence = _since(agent.last_received_heartbeat, now) if lost is None else lost
    if lost is not None or silence > HEARTBEAT_TIMEOUT:
        return f"{_DISCONNECTED}no recent heartbeat signals (last received {_minutes(silence)} ago)"
    joined = find_condition(agent.conditions, JOINED)
    if joined is None or joined.status != "True":
        return _DISCONNECTED + "member agent not joined yet"
    healthy = find_condition(agent.conditions, HEALTHY)
    if healthy is None:
        return _DISCONNECTED + "health condition from member agent is not available"
    sickness = _since(healthy.last_transition_time, now)
    if healthy.status != "True" and sickness > HEALTH_TIMEOUT:
        return (
            f"{_DISCONNECTED}unhealthy for a prolonged period of time"
            f" (last transitioned {_minutes(sickness)} ago)"
        )
    return ""


def _since(moment: datetime | None, now: datetime) -> timedelta:
    return _LONGEST if moment is None else now - moment


def _minutes(span: timedelta) -> str:
    return f"{span.total_seconds() / 60:.2f} minutes"
