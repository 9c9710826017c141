"""A trouble of a whole cluster is logged once, not once by everybody who meets it.

When a cluster takes no writes (its disk is full) or is not there, every controller with something to do meets the same
error, and meets it again with every try. The first line says all there is to say. `Repeats` sits on a log handler and
leaves out lines that carry a 503 whose words were logged a moment ago, by whomever; once nobody has met it for some
minutes it is news again. Whoever knows when the trouble is over says so (`store.faults`, `member.joining`).
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Final

from argosy.base.errors import ServiceUnavailable

_NEWS_AFTER_SECONDS: Final = 300.0
# Different troubles at the same time are few; their words are not to be kept for ever.
_REMEMBERED: Final = 256


class Repeats(logging.Filter):
    """One for all handlers of a process: what one has written is known to the others."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._said: OrderedDict[str, float] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        for error in _errors(record):
            text = str(error)
            last = self._said.pop(text, float("-inf"))
            now = self._said[text] = self._monotonic()
            if len(self._said) > _REMEMBERED:
                self._said.popitem(last=False)
            if isinstance(error, ServiceUnavailable) and now - last < _NEWS_AFTER_SECONDS:
                return False
        return True


def _errors(record: logging.LogRecord) -> Iterator[BaseException]:
    if isinstance(record.args, tuple):
        yield from (each for each in record.args if isinstance(each, BaseException))
    if record.exc_info is not None and record.exc_info[1] is not None:
        yield record.exc_info[1]
