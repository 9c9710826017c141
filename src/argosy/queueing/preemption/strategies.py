"""When fair sharing lets a workload push out one of another ClusterQueue: by the shares before and after.

All shares are those of the two children of the lowest common ancestor. The first strategy asks that the preemptor,
with its workload, have no larger share than the target will have without the victim; the second, that it stay below
what the target has now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from argosy.queueing.quotas.shares import Share

# The preemptor's share with its workload; the target's with its candidate, and without.
Strategy: TypeAlias = Callable[[Share, Share, Share], bool]


def less_than_or_equal_to_final_share(preemptor: Share, before: Share, after: Share) -> bool:
    return preemptor.order <= after.order


def less_than_initial_share(preemptor: Share, before: Share, after: Share) -> bool:
    return preemptor.order < before.order


_BY_NAME: Final = {
    "LessThanOrEqualToFinalShare": less_than_or_equal_to_final_share,
    "LessThanInitialShare": less_than_initial_share,
}


def strategies_of(names: Sequence[str] | None) -> tuple[Strategy, ...]:
    """The strategies a configuration names; both where it names none."""
    return tuple(_BY_NAME[name] for name in names or _BY_NAME)
