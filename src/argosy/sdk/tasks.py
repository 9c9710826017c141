"""Several things at once, of which the first failure is told as itself and not as one of a group."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from argosy.base.errors import StatusError
from argosy.sdk.errors import FleetError


@asynccontextmanager
async def together() -> AsyncGenerator[asyncio.TaskGroup, None]:
    """A TaskGroup; when one of its tasks fails the others are cancelled, and its own error is raised."""
    try:
        async with asyncio.TaskGroup() as tasks:
            yield tasks
    except* (StatusError, FleetError) as group:
        raise _first(group) from None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found
