"""Keeping at something that may fail: the task boundary of everything that works in the background.

One object nobody expected, one defect, must not end what else is done beside it: a failure is logged, a defect with its
traceback, and the work starts over after a pause, which doubles up to a minute.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from argosy.base.clock import Clock
from argosy.base.errors import StatusError

_LOG: Final = logging.getLogger(__name__)
_FIRST_PAUSE_SECONDS: Final = 1.0
_LAST_PAUSE_SECONDS: Final = 60.0


async def until_done(what: str, work: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Work until it has succeeded once."""
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            await work()
        except StatusError as error:
            # The cluster said no, or nothing: no defect of ours.
            _LOG.warning("%s: %s; it starts over in %d s", what, error, pause)
        except Exception:  # noqa: BLE001  (the task boundary)
            _LOG.exception("%s failed; it starts over in %d s", what, pause)
        else:
            return
        await clock.sleep(pause)
        pause = min(pause * 2, _LAST_PAUSE_SECONDS)


async def for_ever(what: str, work: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Work until cancelled; whoever comes to an end is asked again."""
    while True:
        await until_done(what, work, clock)
        await clock.sleep(_FIRST_PAUSE_SECONDS)
