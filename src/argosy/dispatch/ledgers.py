"""What is remembered, and what is to be: the pages of all namespaces, who is on them, and who waits to be. Pure.

It is fed with pages as the hub has them, and with records of jobs that have come to an end. A record waits until a page
holds it; only then is its job settled, and may go. A job whose record was dropped is settled, too: it ended before what
the history remembers.

Laws (tests/unit/dispatch/test_laws.py): whatever is lost or killed on the way, each uid is on one page at most, once;
what is settled is on a page of the hub or was.
"""

from __future__ import annotations

from datetime import datetime

from argosy.api.objects.history import JobHistory, JobRecord
from argosy.dispatch.pages import Limits, Steps, forgotten_until, plan


class Ledger:
    """One hub's memory of jobs."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pages: dict[str, dict[str, JobHistory]] = {}
        self._ended: dict[str, datetime] = {}
        self._waiting: dict[str, dict[str, JobRecord]] = {}
        # The last of a name: namespace, kind and name.
        self._latest: dict[tuple[str, str, str], JobRecord] = {}

    # Feeding.

    def put(self, old: JobHistory | None, new: JobHistory | None) -> list[JobRecord]:
        """Know a page as the hub has it now, or that it has gone; returns the records that are new."""
        come: list[JobRecord] = []
        if old is not None:
            kept = {each.uid for each in new.records} if new is not None else set()
            for record in old.records:
                if record.uid not in kept:
                    self._forget(old.metadata.namespace, record)
            if new is None:
                self._remove(old)
        if new is not None:
            namespace = new.metadata.namespace
            self._pages.setdefault(namespace, {})[new.metadata.name] = new
            waiting = self._waiting.get(namespace, {})
            for record in new.records:
                if record.uid not in self._ended and record.ended is not None:
                    self._ended[record.uid] = record.ended
                    waiting.pop(record.uid, None)
                    self._learn(namespace, record)
                    come.append(record)
        return come

    def note(self, namespace: str, record: JobRecord) -> bool:
        """Have a record written; returns whether it was not known before."""
        if self.is_waiting(namespace, record.uid) or self.settled(namespace, record) is not None:
            return False
        self._waiting.setdefault(namespace, {})[record.uid] = record
        self._learn(namespace, record)
        return True

    def give_up(self, namespace: str) -> list[JobRecord]:
        """The namespace takes no records any more."""
        return list(self._waiting.pop(namespace, {}).values())

    def _learn(self, namespace: str, record: JobRecord) -> None:
        key = (namespace, record.kind, record.name)
        known = self._latest.get(key)
        if known is None or known.ended is None or (record.ended and known.ended <= record.ended):
            self._latest[key] = record

    def _forget(self, namespace: str, record: JobRecord) -> None:
        self._ended.pop(record.uid, None)
        key = (namespace, record.kind, record.name)
        if (known := self._latest.get(key)) is not None and known.uid == record.uid:
            del self._latest[key]

    def _remove(self, page: JobHistory) -> None:
        pages = self._pages.get(page.metadata.namespace, {})
        pages.pop(page.metadata.name, None)
        if not pages:
            self._pages.pop(page.metadata.namespace, None)

    # Asking.

    def ended(self, uid: str) -> datetime | None:
        """When a job ended that a page holds."""
        return self._ended.get(uid)

    def is_waiting(self, namespace: str, uid: str) -> bool:
        return uid in self._waiting.get(namespace, {})

    def previous(self, namespace: str, kind: str, name: str, uid: str) -> JobRecord | None:
        """The last job that had the name of this one."""
        found = self._latest.get((namespace, kind, name))
        return found if found is not None and found.uid != uid else None

    def settled(self, namespace: str, record: JobRecord) -> datetime | None:
        """When a job ended, if that was recorded, even if its record was dropped since."""
        known = self._ended.get(record.uid)
        if known is not None:
            return known
        until = forgotten_until(self._pages.get(namespace, {}))
        if until is not None and record.ended is not None and record.ended <= until:
            return record.ended
        return None

    def steps(self, namespace: str, now: datetime) -> Steps:
        """What to write in a namespace."""
        waiting = self._waiting.pop(namespace, {})
        ready = [each for each in waiting.values() if self.settled(namespace, each) is None]
        if ready:
            self._waiting[namespace] = {each.uid: each for each in ready}
        return plan(self._pages.get(namespace, {}), ready, self._limits, now)
