"""What a StatefulSet does next: which ordinals are made, repaired, updated or given up, and in which order. Pure.

OrderedReady goes one pod at a time: ordinals come up from the lowest, each after the one before is available, and go
from the highest. Parallel makes and ends all at once. Updates go from the highest ordinal down to the partition in
both, one unavailable pod at a time, or as many as maxUnavailable says. The lowest unavailable pod never blocks its own
removal. Mirrors upstream's stateful_set_control.go.

A plan is three phases, each of which runs only if the one before it is through; `steps` of one phase are independent
of each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Final, NamedTuple

import msgspec

from argosy.api.objects import Pod
from argosy.api.objects.apps import StatefulSet, StatefulSetStatus
from argosy.workloads.apps.availability import is_available, is_ready
from argosy.workloads.apps.histories import REVISION_LABEL
from argosy.workloads.apps.shares import scaled

POD_NAME: Final = "statefulset.kubernetes.io/pod-name"
POD_INDEX: Final = "apps.kubernetes.io/pod-index"

_NAME: Final = re.compile(r"(.*)-([0-9]+)", re.DOTALL)
_MOST: Final = 2**31


class Do(Enum):
    """What to do about one ordinal."""

    CREATE = auto()
    DELETE = auto()
    # Make claims that are missing, and bring their owners in order.
    CLAIM = auto()
    # Bring labels and the owners of claims in order.
    REPAIR = auto()
    # Only the owners of claims, of a pod that is scaled away.
    RELEASE = auto()


class Step(NamedTuple):
    do: Do
    ordinal: int
    pod: Pod | None
    # Of the pod to make.
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Revisions:
    """Names of the revision pods have, and of the one they shall have."""

    current: str
    update: str


@dataclass(frozen=True, slots=True)
class Claims:
    """What the plan must know of claims."""

    # Whether an ordinal that has no pod must not get one yet: its earlier pod has just gone, or its claims are about
    # to go with that pod.
    is_held: Callable[[int], bool]
    # Whether the claims of a pod have the owners they should.
    are_owned: Callable[[Pod], bool]


class _Replica(NamedTuple):
    ordinal: int
    pod: Pod | None
    revision: str


@dataclass(frozen=True, slots=True)
class Plan:
    phases: tuple[tuple[Step, ...], ...]
    status: StatefulSetStatus


def ordinal_of(owner: StatefulSet, name: str) -> int:
    """The ordinal in a pod's name; -1 if it is none of the set's."""
    found = _NAME.fullmatch(name)
    if found is None or found[1] != owner.metadata.name:
        return -1
    ordinal = int(found[2])
    return ordinal if ordinal < _MOST else -1


def is_in_range(owner: StatefulSet, ordinal: int) -> bool:
    start = start_of(owner)
    return start <= ordinal < start + owner.spec.replicas


def start_of(owner: StatefulSet) -> int:
    return owner.spec.ordinals.start if owner.spec.ordinals is not None else 0


def revision_for(owner: StatefulSet, revisions: Revisions, ordinal: int) -> str:
    """The revision a missing pod is made of."""
    strategy = owner.spec.update_strategy
    start = start_of(owner)
    if strategy.rolling_update is not None:
        is_kept = ordinal < start + strategy.rolling_update.partition
    else:
        is_kept = (
            strategy.type == "RollingUpdate" and ordinal < start + owner.status.current_replicas
        )
    return revisions.current if is_kept else revisions.update


def plan(
    owner: StatefulSet, pods: Sequence[Pod], revisions: Revisions, claims: Claims, now: datetime
) -> Plan:
    """The next steps of a set with these pods, and the status to write after them."""
    planner = _Planner(owner, pods, revisions, claims, now)
    return planner.plan()


class _Planner:
    def __init__(
        self,
        owner: StatefulSet,
        pods: Sequence[Pod],
        revisions: Revisions,
        claims: Claims,
        now: datetime,
    ) -> None:
        self._owner = owner
        self._revisions = revisions
        self._claims = claims
        self._now = now
        self._is_ordered = owner.spec.pod_management_policy != "Parallel"
        by_ordinal = {ordinal_of(owner, pod.metadata.name): pod for pod in pods}
        start = start_of(owner)
        self._replicas = [
            self._replica(ordinal, by_ordinal.get(ordinal))
            for ordinal in range(start, start + owner.spec.replicas)
        ]
        # The highest ordinal first.
        self._condemned = [
            self._replica(ordinal, by_ordinal[ordinal])
            for ordinal in sorted(by_ordinal, reverse=True)
            if ordinal >= 0 and not is_in_range(owner, ordinal)
        ]

    def plan(self) -> Plan:
        if self._owner.metadata.deletion_timestamp is not None:
            return Plan((), self._status(0))
        replicas, stops = self._replica_steps()
        if stops:
            return Plan((replicas,), self._status(0))
        releases = tuple(
            Step(Do.RELEASE, each.ordinal, each.pod)
            for each in self._condemned
            if each.pod is not None and not self._claims.are_owned(each.pod)
        )
        condemned, stops = self._condemned_steps()
        updates = () if stops else self._update_steps()
        phases = (replicas, releases, condemned, updates)
        return Plan(tuple(phase for phase in phases if phase), self._status(len(updates)))

    def _replica(self, ordinal: int, pod: Pod | None) -> _Replica:
        if pod is None:
            return _Replica(ordinal, None, revision_for(self._owner, self._revisions, ordinal))
        return _Replica(ordinal, pod, pod.metadata.labels.get(REVISION_LABEL, ""))

    # The phases.

    def _replica_steps(self) -> tuple[tuple[Step, ...], bool]:
        """Steps for wanted ordinals, and whether nothing else may happen before they are through."""
        steps: list[Step] = []
        for each in self._replicas:
            found, stops = self._one(each)
            steps += found
            if stops and self._is_ordered:
                return tuple(steps), True
        return tuple(steps), False

    def _one(self, replica: _Replica) -> tuple[list[Step], bool]:
        ordinal, pod, revision = replica
        if pod is None:
            if self._claims.is_held(ordinal):
                return [], True
            return [Step(Do.CREATE, ordinal, None, revision)], True
        is_leaving = pod.metadata.deletion_timestamp is not None
        if pod.is_terminal:
            return ([] if is_leaving else [Step(Do.DELETE, ordinal, pod)]), True
        steps = [Step(Do.CLAIM, ordinal, pod)] if pod.status.phase == "Pending" else []
        if self._is_ordered and (is_leaving or not self._is_running(pod) or not self._is_up(pod)):
            return steps, True
        is_named = pod.metadata.labels.get(POD_NAME) == pod.metadata.name
        if not is_named or not (steps or self._claims.are_owned(pod)):
            steps.append(Step(Do.REPAIR, ordinal, pod))
        return steps, False

    def _condemned_steps(self) -> tuple[tuple[Step, ...], bool]:
        steps: list[Step] = []
        first = self._first_unavailable()
        for each in self._condemned:
            assert each.pod is not None
            if each.pod.metadata.deletion_timestamp is not None:
                if self._is_ordered:
                    return (), True
                continue
            is_well = self._is_running(each.pod) and self._is_up(each.pod)
            if self._is_ordered and not is_well and each is not first:
                return (), True
            steps.append(Step(Do.DELETE, each.ordinal, each.pod))
            if self._is_ordered:
                return tuple(steps), True
        return tuple(steps), False

    def _update_steps(self) -> tuple[Step, ...]:
        strategy = self._owner.spec.update_strategy
        if strategy.type == "OnDelete":
            return ()
        rolling = strategy.rolling_update
        partition = rolling.partition if rolling is not None else 0
        candidates = self._replicas[partition:][::-1]
        if rolling is not None and rolling.max_unavailable is not None:
            most = max(1, scaled(rolling.max_unavailable, self._owner.spec.replicas, up=False))
            room = most - sum(map(self._is_unavailable, self._replicas))
            outdated = [each for each in candidates if self._is_outdated(each)]
            return tuple(Step(Do.DELETE, *each[:2]) for each in outdated[: max(0, room)])
        for each in candidates:
            if self._is_outdated(each):
                return (Step(Do.DELETE, each.ordinal, each.pod),)
            if self._is_unavailable(each):
                return ()
        return ()

    # The parts.

    def _is_outdated(self, replica: _Replica) -> bool:
        pod = replica.pod
        return (
            pod is not None
            and replica.revision != self._revisions.update
            and pod.metadata.deletion_timestamp is None
            # One that has ended is replaced in any case.
            and not pod.is_terminal
        )

    def _is_running(self, pod: Pod) -> bool:
        return pod.status.phase == "Running" and is_ready(pod)

    def _is_up(self, pod: Pod) -> bool:
        return is_available(pod, self._owner.spec.min_ready_seconds, self._now)

    def _is_unavailable(self, replica: _Replica) -> bool:
        pod = replica.pod
        return pod is None or not self._is_up(pod) or pod.metadata.deletion_timestamp is not None

    def _first_unavailable(self) -> _Replica | None:
        ordered = (*self._replicas, *reversed(self._condemned))
        return next(filter(self._is_unavailable, ordered), None)

    def _status(self, updated_now: int) -> StatefulSetStatus:
        owner, revisions = self._owner, self._revisions
        present = [
            (each.pod, each.revision)
            for each in (*self._replicas, *self._condemned)
            if each.pod is not None and each.pod.status.phase
        ]
        staying = [name for pod, name in present if pod.metadata.deletion_timestamp is None]
        running = [pod for pod, _ in present if self._is_running(pod)]
        counts = StatefulSetStatus(
            observed_generation=owner.metadata.generation,
            replicas=len(present),
            ready_replicas=len(running),
            available_replicas=sum(map(self._is_up, running)),
            current_replicas=max(0, staying.count(revisions.current) - updated_now),
            updated_replicas=staying.count(revisions.update),
            current_revision=revisions.current,
            update_revision=revisions.update,
            collision_count=owner.status.collision_count,
        )
        return _completed(owner, counts)


def _completed(owner: StatefulSet, status: StatefulSetStatus) -> StatefulSetStatus:
    """Once every pod is updated and ready, the new revision is the current one."""
    wanted = owner.spec.replicas
    if owner.spec.update_strategy.type != "RollingUpdate":
        return status
    if not status.updated_replicas == status.ready_replicas == status.replicas == wanted:
        return status
    return msgspec.structs.replace(
        status,
        current_replicas=status.updated_replicas,
        current_revision=status.update_revision,
    )
