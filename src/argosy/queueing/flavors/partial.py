"""Partial admission: the largest counts between a workload's minimum and its full size that can be had.

All pod sets that may shrink do so in step: of the `total` pods that could be left out together, `left_out` are, and
each pod set gives its share, rounded down. Whether counts fit is monotone in that number, so it is found by
bisection, with the same probes as Go's `sort.Search`: the answer is that of the smallest number probed that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from argosy.api.objects.kueue.workloads import PodSet

R = TypeVar("R")


def largest_fit(
    pod_sets: Sequence[PodSet], fits: Callable[[tuple[int, ...]], R | None]
) -> R | None:
    """What `fits` answers for the largest counts it answers for; None where nothing can shrink or nothing fits."""
    spare = [
        0 if pod_set.min_count is None else pod_set.count - pod_set.min_count
        for pod_set in pod_sets
    ]
    total = sum(spare)
    if total <= 0:
        return None
    found: R | None = None
    low, high = 0, total + 1
    while low < high:
        left_out = (low + high) // 2
        counts = tuple(
            pod_set.count - less * left_out // total
            for pod_set, less in zip(pod_sets, spare, strict=True)
        )
        answer = fits(counts)
        if answer is None:
            low = left_out + 1
        else:
            found, high = answer, left_out
    return found
