"""The largest counts of a workload that may shrink."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.kueue.workloads import PodSet
from argosy.queueing.flavors.partial import largest_fit

_pod_sets = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)).map(
        lambda pair: PodSet(count=max(pair), min_count=min(pair))
    ),
    max_size=4,
)


@given(_pod_sets, st.integers(0, 50))
def test_as_few_pods_as_possible_are_left_out(pod_sets: list[PodSet], limit: int) -> None:
    """Whatever is monotone in the number left out: here, a limit of pods."""
    spare = [one.count - (one.min_count or 0) for one in pod_sets]
    total = sum(spare)
    steps = [
        tuple(one.count - less * left // total for one, less in zip(pod_sets, spare, strict=True))
        for left in range(total + 1)
        if total
    ]
    want = next((counts for counts in steps if sum(counts) <= limit), None)
    got = largest_fit(pod_sets, lambda counts: counts if sum(counts) <= limit else None)
    assert got == want


def test_what_cannot_shrink_is_not_even_tried() -> None:
    asked: list[tuple[int, ...]] = []
    assert largest_fit([PodSet(count=3), PodSet(count=2, min_count=2)], asked.append) is None
    assert asked == []


def test_pod_sets_shrink_in_step() -> None:
    pod_sets = [PodSet(count=10, min_count=2), PodSet(count=4), PodSet(count=6, min_count=4)]
    got = largest_fit(pod_sets, lambda counts: counts if sum(counts) <= 15 else None)
    assert got == (6, 4, 5)


def test_few_counts_of_a_large_workload_are_tried() -> None:
    asked: list[int] = []

    def fits(counts: tuple[int, ...]) -> int | None:
        asked.append(counts[0])
        return counts[0] if counts[0] <= 70_001 else None

    assert largest_fit([PodSet(count=150_000, min_count=1)], fits) == 70_001
    assert len(asked) <= 18
