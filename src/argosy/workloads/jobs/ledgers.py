"""The ledger of a Job's pods: what has changed since the Job was last looked at, without looking at all of them.

A Job of 10,000 pods sees each of them four or five times. So every pod event is booked once, in constant time, and a
reconciliation reads sums (active, ready, terminating, restarts) and small sets (pods that have ended and still carry
the tracking finalizer) instead of walking over all pods. Restarting rebuilds the ledger from the informer's first
events; nothing in it needs to be kept.

Entries are immutable and replaced as a whole: a list of them, taken at the beginning of a reconciliation, stays what it
was while events go on. `tracked` leaves out pods whose finalizer was taken away by this controller and whose event is
still on its way (`mark_released`), so that no pod is counted twice.
"""

from __future__ import annotations

from typing import Final

import msgspec

from argosy.api.objects import Job, Pod
from argosy.api.wellknown import JOB_TRACKING
from argosy.client.objects import Key
from argosy.workloads.jobs.backoffs import NO_FAILURES, BackoffRecord
from argosy.workloads.jobs.indexes import UNKNOWN, completion_index


class Entry(msgspec.Struct, frozen=True, gc=False, eq=False):
    """A pod and what it counts as."""

    pod: Pod
    index: int
    is_active: bool
    is_ready: bool
    # Being deleted, and its containers may still run.
    is_terminating: bool
    # Ended, or on its way there by deletion: to be counted sooner or later.
    is_ending: bool
    has_finalizer: bool
    # Restarts of its containers while it lives.
    restarts: int

    @property
    def uid(self) -> str:
        return self.pod.metadata.uid


def entry(pod: Pod) -> Entry:
    """Judge a pod."""
    status, meta = pod.status, pod.metadata
    is_deleted = meta.deletion_timestamp is not None
    is_terminal = status.phase in {"Succeeded", "Failed"}
    return Entry(
        pod,
        completion_index(pod),
        is_active=not is_terminal and not is_deleted,
        is_ready=is_ready(pod),
        is_terminating=is_deleted and not is_terminal,
        is_ending=is_terminal or is_deleted,
        has_finalizer=JOB_TRACKING in meta.finalizers,
        restarts=_restarts(pod) if status.phase in {"Running", "Pending"} else 0,
    )


def is_ready(pod: Pod) -> bool:
    for condition in pod.status.conditions:
        if condition.type == "Ready":
            return condition.status == "True"
    return False


def _restarts(pod: Pod) -> int:
    count = 0
    for status in pod.status.container_statuses:
        count += status.restart_count
    for status in pod.status.init_container_statuses:
        count += status.restart_count
    return count


class Ledger:
    """The pods of one Job."""

    __slots__ = (
        "active",
        "active_indexes",
        "backoff",
        "ending",
        "entries",
        "failures",
        "highest",
        "is_queued",
        "is_watched",
        "key",
        "orphans",
        "ready",
        "released",
        "restarts",
        "terminating",
        "terminating_indexes",
        "tracked",
        "unchecked",
        "written",
    )

    def __init__(self) -> None:
        self.entries: Final[dict[str, Entry]] = {}
        self.active: Final[dict[str, Entry]] = {}
        # With the finalizer, and those of them that have ended or will.
        self.tracked: Final[dict[str, Entry]] = {}
        self.ending: Final[dict[str, Entry]] = {}
        # Pods that this controller took the finalizer from and the informer still shows with it.
        self.released: Final[set[str]] = set()
        self.ready = 0
        self.terminating = 0
        self.restarts = 0
        # How many active (terminating) pods an index has, and an upper bound of the active indexes.
        self.active_indexes: Final[dict[int, int]] = {}
        self.terminating_indexes: Final[dict[int, int]] = {}
        self.highest = UNKNOWN
        # Pods whose labels were not yet held against the selector; orphans that may be the Job's.
        self.unchecked: Final[set[str]] = set()
        self.orphans: Final[dict[str, Pod]] = {}
        # Where the Job is, while there is one, and whether it has yet to finish.
        self.key: Key | None = None
        self.is_watched = False
        # It will be looked at within the time that events are gathered.
        self.is_queued = False
        # What this controller wrote last, until the informer shows it or something newer.
        self.written: Job | None = None
        self.backoff: BackoffRecord = NO_FAILURES
        # How often in a row reconciling has failed.
        self.failures = 0

    @property
    def is_empty(self) -> bool:
        return not self.entries and not self.orphans

    def put(self, pod: Pod) -> None:
        """A pod of the Job is there or has changed."""
        uid = pod.metadata.uid
        old = self.entries.get(uid)
        new = entry(pod)
        if old is None:
            self.unchecked.add(uid)
        else:
            if old.pod.metadata.labels != pod.metadata.labels:
                self.unchecked.add(uid)
            if _only_goes_on(old, new):
                self._go_on(uid, old, new)
                return
            self._take_out(uid, old)
        if not new.has_finalizer:
            self.released.discard(uid)
        self._enter(uid, new)

    def drop(self, uid: str) -> None:
        """A pod is gone, or is the Job's no longer."""
        old = self.entries.pop(uid, None)
        if old is not None:
            self._take_out(uid, old)
            self.released.discard(uid)
            self.unchecked.discard(uid)

    def mark_released(self, uid: str) -> None:
        """The finalizer is being taken from a pod: it is not looked at again."""
        if uid in self.tracked:
            self.released.add(uid)
            del self.tracked[uid]
            self.ending.pop(uid, None)

    def unmark_released(self, uid: str) -> None:
        """Taking the finalizer away has failed."""
        if uid in self.released:
            self.released.discard(uid)
            found = self.entries[uid]
            if found.has_finalizer:
                self._track(uid, found)

    def has_surplus_indexes(self, completions: int) -> bool:
        """Whether active pods share an index, have none, or one that the Job does not have (any more)."""
        indexes = self.active_indexes
        if len(indexes) != len(self.active) or UNKNOWN in indexes:
            return True
        if self.highest >= completions:
            self.highest = max(indexes, default=UNKNOWN)
        return self.highest >= completions

    def _go_on(self, uid: str, old: Entry, new: Entry) -> None:
        """Replace an active pod's entry; most events are such."""
        self.entries[uid] = self.active[uid] = new
        if uid in self.tracked:
            self.tracked[uid] = new
        self.ready += new.is_ready - old.is_ready
        self.restarts += new.restarts - old.restarts

    def _enter(self, uid: str, new: Entry) -> None:
        self.entries[uid] = new
        if new.is_active:
            self.active[uid] = new
            _increment(self.active_indexes, new.index)
            self.highest = max(self.highest, new.index)
            self.ready += new.is_ready
        elif new.is_terminating:
            self.terminating += 1
            _increment(self.terminating_indexes, new.index)
        self.restarts += new.restarts
        if new.has_finalizer and uid not in self.released:
            self._track(uid, new)

    def _track(self, uid: str, new: Entry) -> None:
        self.tracked[uid] = new
        if new.is_ending:
            self.ending[uid] = new

    def _take_out(self, uid: str, old: Entry) -> None:
        if old.is_active:
            del self.active[uid]
            _decrement(self.active_indexes, old.index)
            self.ready -= old.is_ready
        elif old.is_terminating:
            self.terminating -= 1
            _decrement(self.terminating_indexes, old.index)
        self.restarts -= old.restarts
        self.tracked.pop(uid, None)
        self.ending.pop(uid, None)


def _only_goes_on(old: Entry, new: Entry) -> bool:
    return (
        old.is_active
        and new.is_active
        and old.index == new.index
        and old.has_finalizer == new.has_finalizer
    )


def _increment(counts: dict[int, int], index: int) -> None:
    counts[index] = counts.get(index, 0) + 1


def _decrement(counts: dict[int, int], index: int) -> None:
    count = counts[index]
    if count == 1:
        del counts[index]
    else:
        counts[index] = count - 1
