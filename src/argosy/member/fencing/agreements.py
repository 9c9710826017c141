"""The terms under which a Work runs: what the hub asks for, what the agent has said, and what it has written down.

The agent never says to the hub that it ends a Work sooner than it would. So longer terms, or none, are told to the hub
first and written down here afterwards; shorter ones are written down here first. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.reschedules import read_reschedule
from argosy.api.objects.fleet.works import AppliedWork, Work


@dataclass(slots=True, frozen=True)
class Agreement:
    """What to write where; `text` None takes the terms away."""

    text: str | None
    says: bool = False
    keeps: bool = False
    says_first: bool = False


def terms_of(work: Work) -> float | None:
    """Under which terms a Work runs, in seconds; None: under none. What was agreed counts until it is taken back."""
    given = work.metadata.annotations
    asked = read_reschedule(given, names.RESCHEDULE)
    said = read_reschedule(given, names.RESCHEDULE_ACCEPTED)
    return min((each for each in (asked, said) if each is not None), default=None)


def agreement(work: Work, applied: AppliedWork) -> Agreement:
    """What has to be written for the agent to keep what the hub asks for."""
    given, kept = work.metadata.annotations, applied.metadata.annotations
    asked = read_reschedule(given, names.RESCHEDULE)
    text = given[names.RESCHEDULE] if asked is not None else None
    duty = read_reschedule(kept, names.RESCHEDULE)
    return Agreement(
        text,
        says=given.get(names.RESCHEDULE_ACCEPTED) != text,
        keeps=kept.get(names.RESCHEDULE) != text,
        says_first=duty is not None and (asked is None or asked > duty),
    )
