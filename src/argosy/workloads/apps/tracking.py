"""Which set a changed pod belongs to, and which sets an orphan might.

A pod's event wakes the set that controls it and counts towards what that set expects; one that nobody controls wakes
the sets of its namespace that select it, because one of them may adopt it. O(1) for owned pods, O(sets of the
namespace) for orphans whose labels or owner changed. The sets' informer needs the index `NAMESPACE`.

A set looks at all of its pods when it is woken, so the larger it is, the longer news of its pods are gathered: a set of
5,000 whose pods change all the time is looked at four times a second. Small sets are woken at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from argosy.api.objects import ObjectMeta, OwnerReference, Pod
from argosy.base.selectors.labels import LabelSelector, from_object
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.control.assemblies import Assembly
from argosy.control.expectations import Expectations
from argosy.control.informers import Informer
from argosy.control.queues import WorkQueue

# Per pod, of sets that are not small; about ten times what a look at one pod costs.
_GATHER_SECONDS: Final = 50e-6
_SMALL: Final = 200

# Namespace and name.
SetKey: TypeAlias = tuple[str, str]

NAMESPACE: Final = "namespace"
# By the uid of the owner that manages the object, and by namespace those nobody manages.
CONTROLLER: Final = "controller"
ORPHAN: Final = "orphan"


class Selecting(Protocol):
    """Anything that selects others."""

    @property
    def metadata(self) -> ObjectMeta: ...

    @property
    def selector(self) -> Object | None: ...


class PodSet(Selecting, Protocol):
    """Anything that selects pods, and has about `size` of them."""

    @property
    def size(self) -> int: ...


K = TypeVar("K", bound=Selecting)
S = TypeVar("S", bound=PodSet)


def set_informer(assembly: Assembly, resource: Resource, view: type[K]) -> Informer[K]:
    """The shared informer of a kind of sets, with the indexes above."""
    informer = assembly.informer(resource, view)
    if not informer.has_index(NAMESPACE):
        informer.add_index(NAMESPACE, _namespace)
        informer.add_index(CONTROLLER, _controller)
        informer.add_index(ORPHAN, _orphan)
    return informer


def selector_of(owner: Selecting) -> LabelSelector:
    return from_object(owner.selector)


class Tracking(Generic[S]):
    """Wakes sets of one kind when pods change."""

    def __init__(
        self,
        resource: Resource,
        sets: Informer[S],
        queue: WorkQueue[SetKey],
        expectations: Expectations[SetKey],
    ) -> None:
        self._kind = resource.kind
        self._group = resource.api_version.partition("/")[0]
        self._sets = sets
        self._queue = queue
        self._expectations = expectations

    def set_changed(self, old: S | None, new: S | None) -> None:
        if old is not None and (new is None or new.metadata.uid != old.metadata.uid):
            self._expectations.forget(old.metadata.key)
        changed = new if new is not None else old
        if changed is not None:
            self._queue.add(changed.metadata.key)

    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            if old is not None:
                self._removed(old)
        elif new.metadata.deletion_timestamp is not None:
            self._removed(new)
        elif old is None:
            self._added(new)
        else:
            self._updated(old, new)

    def owner_of(self, namespace: str, owner: OwnerReference | None) -> S | None:
        """The set a reference means, if it is there and is the one that was meant."""
        if owner is None or owner.kind != self._kind:
            return None
        if owner.api_version.partition("/")[0] != self._group:
            return None
        found = self._sets.get(namespace, owner.name)
        return found if found is not None and found.metadata.uid == owner.uid else None

    def selecting(self, namespace: str, labels: dict[str, str]) -> Iterable[S]:
        """The sets that would adopt an object with these labels."""
        if not labels:
            return
        for candidate in self._sets.by_index(NAMESPACE, namespace):
            selector = selector_of(candidate)
            if not selector.empty and selector.matches(labels):
                yield candidate

    def _added(self, pod: Pod) -> None:
        meta = pod.metadata
        if meta.controller is None:
            self._wake_selecting(meta)
        elif (owner := self.owner_of(meta.namespace, meta.controller)) is not None:
            self._expectations.creation_observed(owner.metadata.key)
            self._wake(owner, is_step=True)

    def _updated(self, old: Pod, new: Pod) -> None:
        before, after = old.metadata, new.metadata
        owner_changed = before.controller != after.controller
        if owner_changed:
            self._wake_owner(before)
        if after.controller is not None:
            self._wake_owner(after)
        elif owner_changed or before.labels != after.labels:
            self._wake_selecting(after)

    def _removed(self, pod: Pod) -> None:
        meta = pod.metadata
        owner = self.owner_of(meta.namespace, meta.controller)
        if owner is not None:
            self._expectations.deletion_observed(owner.metadata.key, meta.uid)
            self._wake(owner, is_step=True)

    def _wake_owner(self, meta: ObjectMeta) -> None:
        owner = self.owner_of(meta.namespace, meta.controller)
        if owner is not None:
            self._wake(owner)

    def _wake(self, owner: S, *, is_step: bool = False) -> None:
        """`is_step` for what the set may be waiting for: when it is through, the set goes on at once."""
        key, size = owner.metadata.key, owner.size
        if size <= _SMALL or (is_step and self._expectations.is_satisfied(key)):
            self._queue.add(key)
        else:
            self._queue.add_after(key, size * _GATHER_SECONDS)

    def _wake_selecting(self, meta: ObjectMeta) -> None:
        for candidate in self.selecting(meta.namespace, meta.labels):
            self._queue.add(candidate.metadata.key)


def _namespace(owner: Selecting) -> Iterable[str]:
    return (owner.metadata.namespace,)


def _controller(owner: Selecting) -> Iterable[str]:
    controller = owner.metadata.controller
    return (controller.uid,) if controller is not None else ()


def _orphan(owner: Selecting) -> Iterable[str]:
    return (owner.metadata.namespace,) if owner.metadata.controller is None else ()
