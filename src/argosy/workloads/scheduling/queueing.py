"""Pods that wait for a node: who is next, who backs off, who waits for the cluster to change.

Ready pods are served by priority, then by age. A pod that found no node joins a group of pods that are refused for the
same reasons, and the group sleeps: five thousand Jobs of one pod each are one group, if they ask for the same. When the
cluster changes, each group (not each pod) is asked whether the change may help; if so it is awake, and its pods are
called up one after the other, oldest first and each at most once, as long as they find nodes. What one of them is
refused for holds for all, so the first refusal puts the group to sleep again. Nobody is lost: a group sleeps only if
one of its pods was refused after the last change that could help. Pods that wait for victims to leave are in groups of
their own.

A pod that was tried lately backs off, 1 s doubling to 10 s; as in kube-scheduler v1.35 it need not wait for the end of
it when nobody else is ready. A pod whose binding failed always waits it out.

Costs: O(log n) per pod that is tried, O(groups) per change of the cluster; changes are gathered by the caller. Nothing
scans pods.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from argosy.workloads.scheduling.deciding import Candidate
from argosy.workloads.scheduling.profiles import Profile

_GroupKey: TypeAlias = tuple[Profile, bool]

_FIRST_SECONDS: Final = 1.0
_LAST_SECONDS: Final = 10.0
# A line may have as many who have left as members, and a few.
_FEW: Final = 16


class _State(Enum):
    READY = "ready"
    BACKING_OFF = "backing off"
    WAITING = "waiting"
    TAKEN = "taken"


@dataclass(slots=True, eq=False)
class Entry:
    """A pod in the queue."""

    candidate: Candidate
    state: _State
    # When it came, in numbers.
    arrival: int = 0
    order: int = 0
    attempts: int = 0
    tried: float = 0.0
    # Its binding failed, so it waits out its back-off.
    has_failed: bool = False
    # Where it waits, or which group called it up.
    group: Group | None = None
    # What it was told last about having no node.
    told: str = ""

    @property
    def due(self) -> float:
        """When its back-off ends."""
        if not self.attempts:
            return 0.0
        return self.tried + min(_LAST_SECONDS, _FIRST_SECONDS * 2.0 ** (self.attempts - 1))


@dataclass(slots=True, eq=False)
class Group:
    """Pods that wait for the cluster to change and are refused for the same reasons, whatever it is."""

    # What they have in common.
    profile: Profile
    # Whether each waits for victims of its own to leave, so that a refusal of one says nothing about the others.
    is_expectant: bool = False
    members: dict[str, Entry] = field(default_factory=dict)
    # Whether its pods are called up.
    is_awake: bool = False
    # The one of them that is called up: ready or backing off.
    envoy: Entry | None = None
    # The place in line of all who are called up.
    order: int = 0
    # When one of them was refused last.
    refused: float = 0.0
    # What all of them are refused for before any node is looked at; empty if nodes are.
    objection: str = ""
    # What the last of them was refused for, what all of them were told, and when there may be news again.
    message: str = ""
    told: str = ""
    tell_at: float = float("-inf")
    # Who may be called up, by age; those who have left or were refused lately are passed over.
    _line: list[tuple[int, str]] = field(default_factory=list)
    # Refused since the group was woken.
    _tried: dict[str, Entry] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.members)

    @property
    def key(self) -> _GroupKey:
        return self.profile, self.is_expectant

    def get(self, uid: str) -> Entry | None:
        return self.members.get(uid)

    def uids(self) -> list[str]:
        return list(self.members)

    def join(self, uid: str, entry: Entry) -> None:
        """One that was refused."""
        self.members[uid] = self._tried[uid] = entry

    def leave(self, uid: str) -> None:
        self.members.pop(uid)
        self._tried.pop(uid, None)

    def wake(self) -> None:
        self._gather()
        self.is_awake = True

    def sleep(self) -> None:
        self._gather()
        self.is_awake = False

    def next(self) -> tuple[str, Entry] | None:
        """The oldest of those who were not refused lately."""
        while self._line:
            uid = self._line[0][1]
            if uid in self.members and uid not in self._tried:
                return uid, self.members[uid]
            heapq.heappop(self._line)
        return None

    def _gather(self) -> None:
        for uid, entry in self._tried.items():
            heapq.heappush(self._line, (entry.arrival, uid))
        self._tried.clear()
        if len(self._line) > 2 * len(self.members) + _FEW:
            self._line = sorted((entry.arrival, uid) for uid, entry in self.members.items())


class SchedulingQueue:
    """Pods without a node, by uid."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._ready: list[tuple[float, int, str]] = []
        self._backing_off: list[tuple[float, int, str]] = []
        self._groups: dict[_GroupKey, Group] = {}
        # Those of them that have pods to call up, and nobody called up.
        self._calling: dict[_GroupKey, Group] = {}
        self._orders = 0
        self._ready_count = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def ready(self) -> int:
        """How many pods may be tried now; a group that is awake counts as one."""
        return self._ready_count + len(self._calling)

    @property
    def groups(self) -> list[Group]:
        return list(self._groups.values())

    def waiting(self) -> int:
        """How many pods wait for the cluster to change."""
        return sum(len(group) for group in self._groups.values())

    # In and out.

    def put(self, candidate: Candidate) -> None:
        """A pod that is new, or has changed. One whose rules are the same keeps its place."""
        uid = candidate.pod.metadata.uid
        entry = self._entries.get(uid)
        if entry is None:
            entry = self._entries[uid] = Entry(candidate, _State.TAKEN)
            self._make_ready(entry)
            entry.arrival = entry.order
            return
        if entry.candidate.profile is candidate.profile or entry.state is _State.TAKEN:
            entry.candidate = candidate
            return
        self._leave(entry)
        entry.candidate = candidate
        self._make_ready(entry)

    def remove(self, uid: str) -> None:
        entry = self._entries.pop(uid, None)
        if entry is not None:
            self._leave(entry)

    def pop(
        self, most: int, are_alike: Callable[[Candidate, Candidate], bool], now: float
    ) -> list[Candidate]:
        """The next pods, at most so many and all alike. They are taken until `refused`, `failed` or `remove`."""
        batch: list[Candidate] = []
        while len(batch) < most:
            entry = self._first(now)
            if entry is None or (batch and not are_alike(batch[-1], entry.candidate)):
                break
            self._leave(entry)
            batch.append(entry.candidate)
        return batch

    def put_back(self, candidates: Iterable[Candidate]) -> None:
        """Taken pods that nobody has decided on: they are where they were."""
        for candidate in candidates:
            uid = candidate.pod.metadata.uid
            entry = self._entries.get(uid)
            if entry is not None and entry.state is _State.TAKEN:
                self._make_ready(entry, order=entry.order)

    def refused(
        self, uid: str, now: float, profile: Profile, *, holds_for_all: bool = True
    ) -> Group | None:
        """A taken pod found no node: it waits for a change, and so do those of `profile` if that `holds_for_all`."""
        entry = self._tried(uid, now)
        if entry is None:
            return None
        key = (profile, not holds_for_all)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group(*key)
        entry.state = _State.WAITING
        entry.group = group
        group.join(uid, entry)
        group.refused = now
        if holds_for_all:
            group.sleep()
            self._calling.pop(key, None)
        return group

    def failed(self, uid: str, now: float) -> None:
        """A taken pod could not be bound: it tries again after its back-off."""
        entry = self._tried(uid, now)
        if entry is not None:
            entry.has_failed = True
            self._back_off(entry)

    def wake(self, group: Group) -> None:
        """A change may help the group: let its pods try again, oldest first, until one is refused."""
        if not group.is_awake or group.next() is None:
            self._orders += 1
            group.order = self._orders
        group.wake()
        self._call(group)

    def wake_one(self, uid: str, now: float) -> None:
        """Let a waiting pod try again: something has changed for it alone."""
        entry = self._entries.get(uid)
        if entry is not None and entry.state is _State.WAITING:
            self._leave(entry)
            self._line_up(entry, now)

    def retry(self, uid: str) -> None:
        """Let a waiting pod try again after its back-off, without a change of the cluster."""
        entry = self._entries.get(uid)
        if entry is not None and entry.state is _State.WAITING:
            self._leave(entry)
            self._back_off(entry)

    def leftovers(self, before: float) -> list[Group]:
        """Groups of which nobody was tried since."""
        return [group for group in self._groups.values() if group.refused <= before]

    def entry(self, uid: str) -> Entry | None:
        return self._entries.get(uid)

    def next_due(self) -> float | None:
        """When the next pod that backs off is due."""
        self._drop_stale(self._backing_off, _State.BACKING_OFF)
        return self._backing_off[0][0] if self._backing_off else None

    # Inside.

    def _call(self, group: Group) -> None:
        """See to it that the group's next pod is called up, if there is one and nobody is."""
        if group.is_awake and group.envoy is None and group.next() is not None:
            self._calling[group.key] = group
        else:
            self._calling.pop(group.key, None)

    def _call_up(self, now: float) -> None:
        for group in list(self._calling.values()):
            found = group.next()
            assert found is not None
            group.leave(found[0])
            group.envoy = found[1]
            self._line_up(found[1], now, group.order)
        self._calling.clear()

    def _line_up(self, entry: Entry, now: float, order: int = 0) -> None:
        if entry.due <= now:
            self._make_ready(entry, order)
        else:
            self._back_off(entry, order)

    def _first(self, now: float) -> Entry | None:
        """The pod that is next; it stays where it is."""
        if self._calling:
            self._call_up(now)
        self._drop_stale(self._backing_off, _State.BACKING_OFF)
        while self._backing_off and self._backing_off[0][0] <= now:
            entry = self._entries[self._backing_off[0][2]]
            self._make_ready(entry, entry.order)
            self._drop_stale(self._backing_off, _State.BACKING_OFF)
        self._drop_stale(self._ready, _State.READY)
        if self._ready:
            return self._entries[self._ready[0][2]]
        if self._backing_off:
            entry = self._entries[self._backing_off[0][2]]
            return None if entry.has_failed else entry
        return None

    def _drop_stale(self, heap: list[tuple[float, int, str]], state: _State) -> None:
        """Take entries that have moved on off the top."""
        while heap:
            _, order, uid = heap[0]
            entry = self._entries.get(uid)
            if entry is not None and entry.state is state and entry.order == order:
                return
            heapq.heappop(heap)

    def _make_ready(self, entry: Entry, order: int = 0) -> None:
        entry.state = _State.READY
        entry.has_failed = False
        self._ready_count += 1
        self._order(entry, order)
        uid = entry.candidate.pod.metadata.uid
        item = (-entry.candidate.profile.priority, entry.order, uid)
        heapq.heappush(self._ready, item)

    def _back_off(self, entry: Entry, order: int = 0) -> None:
        entry.state = _State.BACKING_OFF
        self._order(entry, order)
        item = (entry.due, entry.order, entry.candidate.pod.metadata.uid)
        heapq.heappush(self._backing_off, item)

    def _order(self, entry: Entry, order: int) -> None:
        if not order:
            self._orders += 1
            order = self._orders
        entry.order = order

    def _leave(self, entry: Entry) -> None:
        """Take the entry out of where it is."""
        if entry.state is _State.READY:
            self._ready_count -= 1
        group, entry.group = entry.group, None
        if group is not None:
            if group.envoy is entry:
                group.envoy = None
            else:
                group.leave(entry.candidate.pod.metadata.uid)
            self._call(group)
            if not group and group.envoy is None:
                del self._groups[group.key]
        entry.state = _State.TAKEN

    def _tried(self, uid: str, now: float) -> Entry | None:
        entry = self._entries.get(uid)
        if entry is None or entry.state is not _State.TAKEN:
            return None
        entry.attempts += 1
        entry.tried = now
        return entry
