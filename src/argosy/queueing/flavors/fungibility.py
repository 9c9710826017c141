"""Which of two flavors is the better choice, and whether to look at one more.

A flavor is ranked by its preemption mode and by how high in the cohort tree it borrows. Flavors that do not fit are
worst, flavors that would need preemption but have no candidates come next; among the rest the ClusterQueue prefers to
borrow rather than to preempt, or the other way around. The same order says which of a flavor's resources is its worst
one, so a preference changes that too. It is a strict weak order for either preference.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from argosy.api.objects.kueue.quotas import FlavorFungibility
from argosy.queueing.flavors.assignments import Mode, Possibility, PreemptionMode

TRY_NEXT_FLAVOR: Final = "TryNextFlavor"
PREEMPTION_OVER_BORROWING: Final = "PreemptionOverBorrowing"


class Rank(NamedTuple):
    """What a flavor, or one resource of it, is compared by."""

    mode: PreemptionMode
    borrow: int


BEST: Final = Rank(PreemptionMode.FIT, 0)
WORST: Final = Rank(PreemptionMode.NO_FIT, 2**63 - 1)

# By preemption mode. Tuples, because hashing an enum's member is a call.
MODES: Final = (Mode.NO_FIT, Mode.PREEMPT, Mode.PREEMPT, Mode.PREEMPT, Mode.FIT)
POSSIBILITIES: Final = (None, *Possibility, None)
# By possibility.
PREEMPTION_MODES: Final = (
    PreemptionMode.NO_CANDIDATES,
    PreemptionMode.PREEMPT,
    PreemptionMode.RECLAIM,
)


def is_preferred(one: Rank, other: Rank, fungibility: FlavorFungibility) -> bool:
    """Whether `one` is strictly better."""
    if one.mode is PreemptionMode.NO_FIT or other.mode is PreemptionMode.NO_FIT:
        return one.mode is not PreemptionMode.NO_FIT
    is_hopeless = one.mode is PreemptionMode.NO_CANDIDATES
    if is_hopeless is not (other.mode is PreemptionMode.NO_CANDIDATES):
        return not is_hopeless
    if fungibility.preference == PREEMPTION_OVER_BORROWING:
        return (one.borrow, -one.mode) < (other.borrow, -other.mode)
    return (-one.mode, one.borrow) < (-other.mode, other.borrow)


def should_try_next_flavor(rank: Rank, fungibility: FlavorFungibility) -> bool:
    """Whether the search goes on after a flavor of this rank."""
    if rank.mode <= PreemptionMode.NO_CANDIDATES:
        return True
    if rank.mode is not PreemptionMode.FIT and fungibility.when_can_preempt == TRY_NEXT_FLAVOR:
        return True
    return rank.borrow > 0 and fungibility.when_can_borrow == TRY_NEXT_FLAVOR
