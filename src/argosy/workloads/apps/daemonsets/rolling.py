"""How a DaemonSet moves its pods to a new template, a few nodes at a time. Pure.

Without surge, old pods are deleted where they are not available anyway, and elsewhere as long as no more than
maxUnavailable nodes are without an available pod. With surge, new pods are made beside old ones on up to maxSurge
nodes, and an old one goes when its successor is available. Nodes are taken in the order of their names. Mirrors
upstream's update.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from argosy.api.objects import Pod
from argosy.api.objects.apps import DaemonSet
from argosy.workloads.apps.availability import is_available
from argosy.workloads.apps.daemonsets.placing import Fit, is_updated, max_surge
from argosy.workloads.apps.shares import scaled


class Roll(NamedTuple):
    """The pods to delete, and the nodes that get a second pod."""

    delete: list[Pod]
    nodes: list[str]


class _Pair(NamedTuple):
    new: Pod | None
    old: Pod | None


def roll(
    owner: DaemonSet,
    fits: Mapping[str, Fit],
    pods: Mapping[str, Sequence[Pod]],
    digest: str,
    now: datetime,
) -> Roll:
    """The next step of an update to the template with this hash."""
    desired = sum(fit.runs for fit in fits.values())
    wanted = {name for name, fit in fits.items() if fit.runs} | pods.keys()
    pairs = {name: _pair(owner, pods.get(name, ()), digest) for name in sorted(wanted)}
    if surge := max_surge(owner, desired):
        return _surge(owner, fits, pairs, desired, surge, now)
    rolling = owner.spec.update_strategy.rolling_update
    most = scaled(rolling.max_unavailable, desired, up=True) if rolling is not None else 0
    return Roll(_replace(owner, pairs, max(1, most) if desired else most, now), [])


def _replace(
    owner: DaemonSet, pairs: Mapping[str, _Pair | None], most: int, now: datetime
) -> list[Pod]:
    unavailable = 0
    unwell: list[Pod] = []
    candidates: list[Pod] = []
    for pair in pairs.values():
        if pair is None or (pair.new is None) == (pair.old is None):
            # Too many pods, none at all, or both: the placing of pods takes care of these.
            unavailable += 1
        elif pair.new is not None:
            unavailable += not _is_up(owner, pair.new, now)
        elif pair.old is not None:
            if not _is_up(owner, pair.old, now):
                unwell.append(pair.old)
                unavailable += 1
            elif unavailable < most:
                candidates.append(pair.old)
    return unwell + candidates[: max(0, most - unavailable)]


def _surge(
    owner: DaemonSet,
    fits: Mapping[str, Fit],
    pairs: Mapping[str, _Pair | None],
    desired: int,
    surge: int,
    now: datetime,
) -> Roll:
    delete: list[Pod] = []
    misplaced: list[Pod] = []
    allowed: list[str] = []
    candidates: list[str] = []
    used = available = 0
    for name, pair in pairs.items():
        if pair is None:
            used += 1
            continue
        shown = pair.old or pair.new
        is_up = shown is not None and _is_up(owner, shown, now)
        available += is_up
        if pair.old is None:
            continue
        if pair.new is not None:
            if _is_up(owner, pair.new, now):
                delete.append(pair.old)
            else:
                used += 1
        elif name not in fits or not fits[name].runs:
            (misplaced if is_up else delete).append(pair.old)
        elif not is_up:
            allowed.append(name)
        elif used < surge:
            candidates.append(name)
    delete += misplaced[: max(0, available - desired)]
    return Roll(delete, allowed + candidates[: max(0, surge - used)])


def _pair(owner: DaemonSet, pods: Sequence[Pod], digest: str) -> _Pair | None:
    """The new and the old pod of a node; None if there are several of either."""
    staying = [pod for pod in pods if pod.metadata.deletion_timestamp is None]
    news = [pod for pod in staying if is_updated(owner, pod, digest)]
    olds = [pod for pod in staying if not is_updated(owner, pod, digest)]
    if len(news) > 1 or len(olds) > 1:
        return None
    return _Pair(news[0] if news else None, olds[0] if olds else None)


def _is_up(owner: DaemonSet, pod: Pod, now: datetime) -> bool:
    return is_available(pod, owner.spec.min_ready_seconds, now)
