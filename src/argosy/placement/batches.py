"""Many writes of one placement, some at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

from argosy.base.errors import NotFound

# Enough to keep a server busy; one placement on many clusters must not crowd out the others.
_AT_ONCE: Final = 20

_T = TypeVar("_T")


async def write_each(items: Iterable[_T], write: Callable[[_T], Awaitable[object]]) -> None:
    """Write all of them, in batches; the first error is raised after its batch. What has gone is passed over."""
    waiting = list(items)
    for start in range(0, len(waiting), _AT_ONCE):
        batch = waiting[start : start + _AT_ONCE]
        results = await asyncio.gather(*(write(each) for each in batch), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, NotFound):
                raise result
