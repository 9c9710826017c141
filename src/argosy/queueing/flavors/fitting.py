"""Does an amount of a flavor's resource fit: now, after preemption, or not at all.

More than the ClusterQueue could have if nobody used anything never fits. What fits the quota left fits now, however
high in the cohort tree it has to borrow. The rest is put to the preemption oracle if preempting could be allowed at
all: the amount lies within the own nominal quota (regardless of what is used), or a subtree that has room for it has
something above to reclaim from, or the ClusterQueue may preempt while it borrows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from argosy.queueing.cache.clusterqueues import NEVER, CachedQueue
from argosy.queueing.flavors.assignments import (
    EXCEEDS_MAX_QUOTA,
    WAITING_FOR_QUOTA,
    Oracle,
    PreemptionMode,
)
from argosy.queueing.flavors.fungibility import BEST, PREEMPTION_MODES, Rank
from argosy.queueing.flavors.reasons import over_capacity, short_of
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.workloads.infos import Info


class Verdict(NamedTuple):
    """How an amount fits, what is missing, and why it does not fit at all."""

    rank: Rank
    reason: str = ""
    no_fit_reason: str = ""


_FITS: Final = Verdict(BEST)
_TOO_MUCH: Final = Rank(PreemptionMode.NO_FIT, 0)


def fit(
    info: Info,
    queue: CachedQueue,
    oracle: Oracle,
    where: FlavorResource,
    assumed: int,
    request: int,
    *,
    is_fair_sharing: bool,
) -> Verdict:
    """Hold a request against the quota, on top of what is `assumed` for pod sets before."""
    node = queue.node
    value = assumed + request
    place = node.position(where)
    capacity = node.potential[place]
    if value > capacity:
        return Verdict(
            _TOO_MUCH, over_capacity(where, assumed, request, capacity), EXCEEDS_MAX_QUOTA
        )
    borrow, may_reclaim = node.height_that_fits(where, value)
    available = max(0, node.available_at(place))
    if value <= available:
        return Verdict(Rank(PreemptionMode.FIT, borrow)) if borrow else _FITS
    reason = short_of(where, value - available)
    if (
        may_reclaim
        or node.nominal[place] >= value
        or _may_preempt_while_borrowing(queue, is_fair_sharing)
    ):
        possibility, borrow = oracle.simulate(queue, info, where, value)
        return Verdict(Rank(PREEMPTION_MODES[possibility], borrow), reason)
    return Verdict(Rank(PreemptionMode.NO_FIT, borrow), reason, WAITING_FOR_QUOTA)


def _may_preempt_while_borrowing(queue: CachedQueue, is_fair_sharing: bool) -> bool:
    policies = queue.preemption
    within = policies.borrow_within_cohort
    if within is not None and within.policy != NEVER:
        return True
    return is_fair_sharing and policies.reclaim_within_cohort != NEVER
