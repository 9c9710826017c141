"""What the hub's webhook fills in of a ClusterResourcePlacement, in place.

Most of it stands in the schema, which fills in below objects that are there; here the objects themselves are made, so
that users read what holds. Upstream also writes serverSideApplyConfig where nothing is applied that way, which its own
check then refuses; that is left out.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects.fleet.placements import (
    CLIENT_SIDE_APPLY,
    ROLLING_UPDATE,
    SERVER_SIDE_APPLY,
)
from argosy.api.objects.fleet.policies import PICK_ALL
from argosy.base.types import Object

_SPREAD: Final = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
_TOLERATION: Final = {"operator": "Equal"}
_ROLLING: Final = {"maxUnavailable": "25%", "maxSurge": "25%", "unavailablePeriodSeconds": 60}
_APPLY: Final = {
    "type": CLIENT_SIDE_APPLY,
    "comparisonOption": "PartialComparison",
    "whenToApply": "Always",
    "whenToTakeOver": "Always",
}
_HISTORY: Final = 10


def default_placement(new: Object) -> None:
    spec = new.setdefault("spec", {})
    policy = spec.setdefault("policy", {"placementType": PICK_ALL})
    for constraint in policy.get("topologySpreadConstraints") or ():
        _fill(constraint, _SPREAD)
    for toleration in policy.get("tolerations") or ():
        _fill(toleration, _TOLERATION)
    strategy = spec.setdefault("strategy", {})
    if strategy.setdefault("type", ROLLING_UPDATE) == ROLLING_UPDATE:
        _fill(strategy.setdefault("rollingUpdate", {}), _ROLLING)
    apply = strategy.setdefault("applyStrategy", {})
    _fill(apply, _APPLY)
    if apply["type"] == SERVER_SIDE_APPLY:
        apply.setdefault("serverSideApplyConfig", {"force": False})
    spec.setdefault("revisionHistoryLimit", _HISTORY)


def _fill(obj: Object, values: Object) -> None:
    for name, value in values.items():
        obj.setdefault(name, value)
