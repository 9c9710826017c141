"""Which pods go first when a set has too many: those whose loss costs least.

In this order: not bound to a node; pending, then unknown, then running; not ready; a lower pod-deletion-cost; more pods
of the same owner on the node; ready for a shorter time; more restarts; younger. Times are compared by the power of two
they fall in, and pods of one power by uid, so that a scale-down spreads over pods of about one age. A total order for
any set of distinct pods at one moment; O(n log n). Mirrors upstream's ActivePodsWithRanks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cmp_to_key
from typing import Final, NamedTuple

from argosy.api.objects import Pod
from argosy.workloads.apps.availability import is_active, is_ready, ready_since
from argosy.workloads.pods.ranking import most_restarts, phase_rank

DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"

_MOST_COST: Final = 2**31


class _Ranked(NamedTuple):
    # What is compared plainly, smallest first.
    worth: tuple[bool, int, bool, int, int]
    ready_since: datetime | None
    restarts: tuple[int, int]
    created: datetime | None
    pod: Pod


def pods_to_delete(
    pods: Sequence[Pod], related: Iterable[Pod], count: int, now: datetime
) -> list[Pod]:
    """`count` of the pods. `related` are all pods of sets with the same owner, this one's included."""
    if count >= len(pods):
        return list(pods)
    crowds = Counter(pod.spec.node_name for pod in related if is_active(pod))
    ranked = [_rank(pod, crowds[pod.spec.node_name]) for pod in pods]

    def compare(one: _Ranked, other: _Ranked) -> int:
        return _compare(one, other, now)

    ranked.sort(key=cmp_to_key(compare))
    return [entry.pod for entry in ranked[:count]]


def _rank(pod: Pod, crowd: int) -> _Ranked:
    worth = (
        bool(pod.spec.node_name),
        phase_rank(pod),
        is_ready(pod),
        _cost(pod),
        -crowd,
    )
    return _Ranked(
        worth, ready_since(pod), most_restarts(pod), pod.metadata.creation_timestamp, pod
    )


def _compare(one: _Ranked, other: _Ranked, now: datetime) -> int:
    if one.worth != other.worth:
        return -1 if one.worth < other.worth else 1
    if one.worth[2] and one.ready_since != other.ready_since:
        return _compare_times(one.ready_since, other.ready_since, one, other, now)
    if one.restarts != other.restarts:
        return -1 if one.restarts > other.restarts else 1
    if one.created != other.created:
        return _compare_times(one.created, other.created, one, other, now)
    return -1 if one.pod.metadata.uid < other.pod.metadata.uid else 1


def _compare_times(
    first: datetime | None, second: datetime | None, one: _Ranked, other: _Ranked, now: datetime
) -> int:
    if first is None or second is None:
        return -1 if first is None else 1
    difference = _power(first, now) - _power(second, now)
    if difference:
        return difference
    return -1 if one.pod.metadata.uid < other.pod.metadata.uid else 1


def _power(since: datetime, now: datetime) -> int:
    nanoseconds = (now - since).total_seconds() * 1e9
    return int(math.log2(nanoseconds)) if nanoseconds > 0 else -1


def _cost(pod: Pod) -> int:
    text = pod.metadata.annotations.get(DELETION_COST, "")
    digits = text.removeprefix("-")
    # Go's rule: no plus, no leading zero.
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and text != "0"):
        return 0
    cost = int(text)
    return cost if -_MOST_COST <= cost < _MOST_COST else 0
