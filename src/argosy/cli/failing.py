"""Why a command that runs for long could not start, or had to end: one line for whoever started it."""

from __future__ import annotations

import errno
from typing import Final

from argosy.base.errors import StatusError
from argosy.client.kubeconfig import ConfigError
from argosy.store import StoreError, StoreUnavailable

NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_AGAIN: Final = "free some space on that disk, and start again"


def problem(error: BaseException) -> str | None:
    """What to say of an error that ended everything; None for a defect, whose traceback is worth more."""
    match error:
        case BaseExceptionGroup():
            told = [problem(each) for each in error.exceptions]
            return None if None in told else told[0]
        case StoreUnavailable():
            return f"{error.why}: {error.advice}, and start again" if error.advice else error.why
        case StatusError():
            cause = error.__cause__
            return problem(cause) if isinstance(cause, StoreUnavailable) else error.message
        case OSError() if error.errno in NO_ROOM:
            return f"the disk is full: no room for {error.filename or 'its files'}: {_AGAIN}"
        case StoreError() | ConfigError() | OSError():
            return str(error)
    return None
