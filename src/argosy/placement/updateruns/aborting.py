"""Why a run ends without success, in upstream's words.

A run that is `Aborted` stays so: its message becomes the status' last word. The prefixes tell who has to act: the user,
or whoever looks after the hub.
"""

from __future__ import annotations


class Aborted(Exception):
    """The run cannot go on; the message is what its status says."""


class Unsettled(Exception):
    """Something else is still being written: the next look sees more."""


def aborted(what: str) -> Aborted:
    return Aborted(f"cannot continue the updateRun: {what}")


def invalid(what: str) -> Aborted:
    """What the run refers to does not allow it."""
    return aborted(f"failed to validate the updateRun: {what}")


def by_user(what: str) -> str:
    return f"failed to process the request due to a client error: {what}"


def unexpected(what: str) -> str:
    return f"unexpected behavior which cannot be handled by the controller: {what}"


def together(errors: list[str]) -> str:
    """Several errors as one, each said once."""
    said = list(dict.fromkeys(errors))
    return said[0] if len(said) == 1 else f"[{', '.join(said)}]"
