"""What a container says about its end: its termination message, or the tail of its log."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from argosy.api.objects import Container

_MAX_BYTES: Final = 4096
_MAX_LOG_BYTES: Final = 2048
_MAX_LOG_LINES: Final = 80


def termination_message(container: Container, file: Path, log: Path, code: int) -> str:
    """The text for the status; empty if there is none."""
    text = _read(file, _MAX_BYTES, from_end=False)
    if not text and code and container.termination_message_policy == "FallbackToLogsOnError":
        lines = _read(log, 4 * _MAX_LOG_BYTES, from_end=True).splitlines()[-_MAX_LOG_LINES:]
        # Without time, stream and tag.
        plain = "".join(parts[3] + "\n" for line in lines if len(parts := line.split(" ", 3)) == 4)
        return plain.encode()[-_MAX_LOG_BYTES:].decode(errors="ignore")
    return text


def _read(path: Path, most: int, *, from_end: bool) -> str:
    try:
        with path.open("rb") as file:
            if from_end:
                file.seek(max(0, path.stat().st_size - most))
            return file.read(most).decode(errors="replace")
    except OSError:
        return ""
