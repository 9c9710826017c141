"""Tasks that nobody awaits: what goes wrong in one is logged, never lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final

_LOG: Final = logging.getLogger(__name__)


def background(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Start a task; its owner keeps it, to cancel it."""
    task = asyncio.create_task(work, name=name)
    task.add_done_callback(_look)
    return task


def _look(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (problem := task.exception()) is not None:
        _LOG.error("%s failed", task.get_name(), exc_info=problem)
