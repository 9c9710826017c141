"""Who holds a ClusterQueue's quota, in order: kept by deltas, and as if sorted from scratch."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.kueue.workloads import EVICTED, QUOTA_RESERVED, Workload, WorkloadStatus
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.queueing.cache.holders import Holders, rank_of
from argosy.queueing.workloads.infos import Info

NOW = 1_000.0
_NAMES = "abcdef"


def holder(name: str, priority: int, reserved: float | None, *, is_evicted: bool) -> Info:
    when = None if reserved is None else datetime.fromtimestamp(reserved, UTC)
    conditions = [Condition(QUOTA_RESERVED, "True", last_transition_time=when)]
    if is_evicted:
        conditions.append(Condition(EVICTED, "True", last_transition_time=when))
    # Uids are the other way around than names: either may decide.
    metadata = ObjectMeta(name=name, namespace="ns", uid=str(9 - _NAMES.index(name) // 2))
    workload = Workload(metadata, status=WorkloadStatus(tuple(conditions)))
    return Info(workload, (), priority=priority)


_infos = st.builds(
    holder,
    st.sampled_from(_NAMES),
    st.integers(0, 2),
    st.sampled_from([None, NOW - 2, NOW - 1, NOW, NOW + 1]),
    is_evicted=st.booleans(),
)


@given(st.lists(st.tuples(_infos, st.booleans()), max_size=20), st.floats(NOW - 3, NOW + 3))
def test_the_order_by_deltas_is_that_of_sorting_from_scratch(
    changes: list[tuple[Info, bool]], now: float
) -> None:
    holders = Holders()
    want: dict[str, Info] = {}
    for info, stays in changes:
        before = holders.version
        if stays:
            holders[info.key] = want[info.key] = info
        elif info.key in want:
            del holders[info.key], want[info.key]
        else:
            continue
        assert holders.version > before
        got = [one.info for one in holders.in_order(now)]
        assert got == sorted(want.values(), key=lambda one: rank_of(one, now))
        assert dict(holders) == want


def test_who_has_no_date_counts_as_reserved_now() -> None:
    holders = Holders()
    for name, reserved in (("a", NOW), ("b", None), ("c", NOW + 2)):
        info = holder(name, 0, reserved, is_evicted=False)
        holders[info.key] = info
    assert not holders.is_timeless
    for now, want in ((NOW - 1, "cab"), (NOW + 1, "cba"), (NOW + 3, "bca")):
        assert "".join(one.info.obj.metadata.name for one in holders.in_order(now)) == want
    del holders["ns/b"]
    assert holders.is_timeless
