"""Whether a Work may be applied now: the hub may have given it to another cluster while this one was cut off.

Upstream has no such question. Whoever answers it (`fencing`) is asked before a pass, and again before each group of
objects in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from argosy.api.objects.fleet.works import AppliedWork, Work


class Fenced(Exception):
    """The Work may no longer be applied; the pass over it ends here."""


class Permits(Protocol):
    """Who gives leave to apply."""

    def serve(
        self, look_again: Callable[[str], None], is_over: Callable[[AppliedWork], bool]
    ) -> None:
        """Meet the applier: `look_again` takes up a Work by its name, `is_over` tells whether nothing of it runs."""

    async def permitted(self, work: Work) -> Work | None:
        """The Work as it is to be applied; None if it may not be now, and `look_again` is called when that changes."""

    async def agree(self, work: Work, applied: AppliedWork) -> Work:
        """Settle with the hub when the Work will be ended; the Work as it is then."""

    def holds(self, work: Work) -> bool:
        """Whether the leave that was given still counts."""

    def forget(self, name: str) -> None:
        """The Work of this name is gone."""


class NoPermits:
    """Upstream's way: everything may be applied at any time."""

    def serve(
        self, look_again: Callable[[str], None], is_over: Callable[[AppliedWork], bool]
    ) -> None:
        return

    async def permitted(self, work: Work) -> Work | None:
        return work

    async def agree(self, work: Work, applied: AppliedWork) -> Work:
        return work

    def holds(self, work: Work) -> bool:
        return True

    def forget(self, name: str) -> None:
        return
