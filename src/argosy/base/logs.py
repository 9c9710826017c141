"""What long-running commands write about themselves: lines for people, or one JSON object per line for machines.

`configure` is called once, by the command, before anything is logged; libraries only ever ask for their logger. A JSON
line has time, level, logger and message, `exception` where there was one, and beside them the fields of the process
(which of a fleet's processes it is) and of the record (`_LOG.info("...", extra={"cluster": "cluster-1"})`).
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, TextIO

from argosy.base.repeats import Repeats

TEXT: Final = "text"
JSON: Final = "json"
FORMATS: Final = (TEXT, JSON)

_TEXT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# What every record has; whatever else is on it was given by who logged.
_USUAL: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """A record as one line of JSON. A field cannot take the place of what every line has."""

    def __init__(self, fields: Mapping[str, object]) -> None:
        super().__init__()
        self._fields = dict(fields)

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, object] = {
            "time": f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = self.formatException(record.exc_info)
        given = {name: value for name, value in record.__dict__.items() if name not in _USUAL}
        return json.dumps({**self._fields, **given, **line}, default=str, ensure_ascii=False)


class _Handler(logging.StreamHandler[TextIO]):
    """Ours, to be known again."""


def configure(
    form: str = TEXT, *, stream: TextIO | None = None, fields: Mapping[str, object] | None = None
) -> None:
    """Have everything from INFO on written to `stream` (standard error unless said), in place of what was configured
    here before. Where somebody else handles logs, as tests do, it stays with them.
    """
    if form not in FORMATS:
        raise ValueError(f'"{form}" is no form of logs; there are {" and ".join(FORMATS)}')
    root = logging.getLogger()
    for each in [each for each in root.handlers if isinstance(each, _Handler)]:
        root.removeHandler(each)
    handler = _Handler(stream if stream is not None else sys.stderr)
    formatter = JsonLines(fields or {}) if form == JSON else logging.Formatter(_TEXT)
    handler.setFormatter(formatter)
    handler.addFilter(Repeats())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
