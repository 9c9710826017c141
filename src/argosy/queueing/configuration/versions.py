"""A Configuration of v1beta1 read as one of v1beta2.

They differ in what a block's presence means. In v1beta1 fair sharing and waiting for pods are turned on inside their
blocks (`enable: true`), waiting blocks further admissions unless told otherwise and gives recovering pods any time; in
v1beta2 a block that is there is on, and waiting is on even without one. `queueVisibility` is dropped, as upstream does:
the visibility API took its place. `podOptions` stays and is refused as unknown: dropping it would hold back pods that
the file wants left alone.
"""

from __future__ import annotations

from argosy.base.types import Object
from argosy.queueing.configuration.settings import FairSharing

_V1BETA1_TIMEOUT = "5m0s"
# Only v1beta1 knows these.
_GONE = ("queueVisibility",)
_BOTH = FairSharing().preemption_strategies


def waits_unless_told(version: str) -> bool:
    """Whether a file of this version that says nothing about it waits for pods to be ready."""
    return version != "v1beta1"


def from_v1beta1(raw: Object) -> Object:
    """The same settings in v1beta2's form."""
    new = {name: value for name, value in raw.items() if name not in _GONE}
    sharing = new.pop("fairSharing", None)
    if isinstance(sharing, dict):
        rest = dict(sharing)
        if rest.pop("enable", False):
            new["fairSharing"] = {
                "preemptionStrategies": rest.pop("preemptionStrategies", None) or list(_BOTH),
                **rest,
            }
    elif sharing is not None:
        new["fairSharing"] = sharing
    waiting = new.pop("waitForPodsReady", None)
    if isinstance(waiting, dict):
        rest = dict(waiting)
        if rest.pop("enable", False):
            rest.setdefault("timeout", _V1BETA1_TIMEOUT)
            rest.setdefault("blockAdmission", True)
            rest.setdefault("recoveryTimeout", "0s")
            new["waitForPodsReady"] = rest
    elif waiting is not None:
        new["waitForPodsReady"] = waiting
    return new
