"""Telling pods that wait why they still do, when the reason is no longer what they were told.

Of a group of waiting pods one is tried, and what it is refused for holds for all: `0/2 nodes are available: …`. A pod
that is refused for the first time is told at once by the scheduler; here is who else has to hear the news.

Ten thousand pods may wait while nodes come one by one, and each node changes the text. So news is held back for a
hundredth of a second per pod that waits, ten seconds at most, because the next nodes may make it old; a group is told
no more than once a second, and then left alone for a hundredth of a second per pod told. The last news always arrives.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from argosy.workloads.scheduling.profiles import Profile
from argosy.workloads.scheduling.queueing import Entry, Group

_PAUSE_SECONDS: Final = 1.0
_SECONDS_PER_POD: Final = 0.01
_HELD_BACK_SECONDS: Final = 10.0


class Telling:
    """Groups with news, and the pods that are about to hear them."""

    def __init__(self) -> None:
        self._news: dict[Profile, Group] = {}
        self._line: deque[tuple[Group, str]] = deque()

    def heard(self, group: Group, message: str, now: float) -> None:
        """One of the group was refused for this."""
        group.message = message
        if message == group.told:
            self._news.pop(group.profile, None)
        elif self._news.get(group.profile) is not group:
            self._news[group.profile] = group
            held_back = min(_HELD_BACK_SECONDS, _SECONDS_PER_POD * len(group))
            group.tell_at = max(group.tell_at, now + held_back)

    def take(self, most: int, now: float) -> list[tuple[Entry, str]]:
        """The next pods to tell, at most so many, and what."""
        if not self._line:
            self._begin(now)
        taken: list[tuple[Entry, str]] = []
        while self._line and len(taken) < most:
            group, uid = self._line.popleft()
            entry = group.get(uid)
            if entry is not None and entry.told != group.message:
                entry.told = group.message
                group.tell_at += _SECONDS_PER_POD
                taken.append((entry, group.message))
        return taken

    def next_due(self) -> float | None:
        """When somebody is to be told; None: there is no news."""
        return min((group.tell_at for group in self._news.values()), default=None)

    def _begin(self, now: float) -> None:
        for group in [group for group in self._news.values() if group.tell_at <= now]:
            del self._news[group.profile]
            group.told = group.message
            group.tell_at = now + _PAUSE_SECONDS
            self._line.extend((group, uid) for uid in group.uids())
