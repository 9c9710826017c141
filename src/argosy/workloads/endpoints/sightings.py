"""Whether the informer shows the slices of a service as this controller left them.

A plan made from an old picture would put an endpoint into two slices. So every write is noted with its revision, and a
service waits until the informer is that far. A change that is not one of ours, or that comes while we write, means that
somebody else wrote: the service is looked at again.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Final

from argosy.base.clock import Clock
from argosy.client.objects import Key

# A slice that was deleted before it was ever seen is not waited for longer than this.
PATIENCE_SECONDS: Final = 30.0


class Sightings:
    """Revisions written per service and slice."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._written: dict[Key, dict[str, float]] = {}
        self._since: dict[Key, float] = {}

    def wrote(self, service: Key, name: str, revision: str) -> None:
        """A slice was created or changed; its revision is what the server answered."""
        self._note(service, name, float(revision))

    def removed(self, service: Key, name: str) -> None:
        self._note(service, name, inf)

    def is_own(self, service: Key, name: str, revision: str | None) -> bool:
        """Whether a change that the informer shows is what we wrote; None stands for a slice that is gone."""
        written = self._written.get(service, {}).get(name)
        return written == (inf if revision is None else float(revision))

    def gone(self, service: Key, name: str) -> None:
        """The informer has seen the slice go."""
        self._written.get(service, {}).pop(name, None)

    def is_current(self, service: Key, shown: Mapping[str, str]) -> bool:
        """Whether the informer's picture, revisions by name, has all that was written."""
        written = self._written.get(service)
        if not written or self._clock.monotonic() > self._since[service] + PATIENCE_SECONDS:
            return True
        return all(
            name not in shown if revision == inf else float(shown.get(name, 0)) >= revision
            for name, revision in written.items()
        )

    def forget(self, service: Key) -> None:
        self._written.pop(service, None)
        self._since.pop(service, None)

    def _note(self, service: Key, name: str, revision: float) -> None:
        self._written.setdefault(service, {})[name] = revision
        self._since[service] = self._clock.monotonic()
