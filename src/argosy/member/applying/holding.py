"""Jobs that have ended stay on the member until the hub has been told how.

A job may go at any moment: its TTL has passed, its namespace has too many, somebody deletes it. If nobody has seen it
end by then, because the agent was killed, the hub could not be reached or a watch was broken, a new look would find
nothing, and run it a second time. So every job that a Work brings has a finalizer. Whoever deletes the job marks it;
it goes when its Work on the hub says how it ended. What has not ended goes at once, as does what nobody will ask for
any more: its Work is gone or on its way, it has another AppliedWork by now, or the cluster has left the fleet.

Nothing is kept here that a killed agent would miss: the job itself is the record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.works import AppliedWork, Work
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.control.assemblies import Assembly
from argosy.control.informers import Handler
from argosy.control.reconcilers import DONE, Result
from argosy.member.applying.following import informers, owner_reference
from argosy.member.applying.manifests import Identity
from argosy.member.applying.objects import OURS
from argosy.member.applying.statuses import by_identity
from argosy.member.applying.views import Views
from argosy.member.availability.outcomes import Outcome, RunObject, has_finished, outcome_of

_WORKERS: Final = 4
# Works tell when they change; this is for what changes without a word, as leaving the fleet does.
_AGAIN_SECONDS: Final = 5.0


class _Held(NamedTuple):
    resource: Resource
    namespace: str
    name: str

    @property
    def identity(self) -> Identity:
        resource = self.resource
        return (resource.group, resource.version, resource.kind, self.namespace, self.name)


class Holding:
    """Lets jobs go in time. `has_left` tells whether the cluster was in a fleet and is no more."""

    def __init__(
        self, member: Assembly, cluster: str, views: Views, has_left: Callable[[], bool]
    ) -> None:
        self._client = member.client
        self._views = views
        self._has_left = has_left
        # Jobs that wait to go, by the name of the Work that brought them.
        self._waiting: dict[str, set[_Held]] = {}
        self._informers = dict(informers(member))
        self._queue = member.controller(
            f"job-outcome-controller/{cluster}", self._reconcile, workers=_WORKERS
        )
        for resource, informer in self._informers.items():
            informer.add_handler(self._handler(resource))
        views.works.add_handler(self._changed)
        views.applied.add_handler(self._changed)

    # What is worth a look.

    def _handler(self, resource: Resource) -> Handler[RunObject]:
        def handler(old: RunObject | None, new: RunObject | None) -> None:
            if new is not None and is_held(new):
                held = _Held(resource, *new.metadata.key)
                owner = owner_reference(new)
                if owner is not None:
                    self._waiting.setdefault(owner.name, set()).add(held)
                self._queue.add(held)
            elif old is not None and is_held(old):
                self._forget(_Held(resource, *old.metadata.key), old)

        return handler

    def _forget(self, held: _Held, last: RunObject) -> None:
        owner = owner_reference(last)
        waiting = self._waiting.get(owner.name) if owner is not None else None
        if owner is None or waiting is None:
            return
        waiting.discard(held)
        if not waiting:
            del self._waiting[owner.name]

    def _changed(self, old: Work | AppliedWork | None, new: Work | AppliedWork | None) -> None:
        """A Work, or its AppliedWork, which has the same name."""
        last = new or old
        if last is not None:
            for held in self._waiting.get(last.metadata.name, ()):
                self._queue.add(held)

    # A look.

    async def _reconcile(self, held: _Held) -> Result:
        run = self._informers[held.resource].get(held.namespace, held.name)
        if run is None or not is_held(run):
            return DONE
        if not self._may_go(held, run):
            return Result(_AGAIN_SECONDS)
        meta = run.metadata
        rest = [each for each in meta.finalizers if each != names.OUTCOME]
        patch: Object = {
            "metadata": {"finalizers": rest or None, "resourceVersion": meta.resource_version}
        }
        try:
            await self._client.patch(
                held.resource, held.name, patch, namespace=held.namespace, field_manager=OURS
            )
        except NotFound:
            return DONE
        return DONE

    def _may_go(self, held: _Held, run: RunObject) -> bool:
        outcome = outcome_of(held.resource, run)
        owner = owner_reference(run)
        if outcome is None or not outcome.is_finished or owner is None or self._has_left():
            return True
        if not self._views.applied.is_synced:
            return False
        if not owns(self._views.applied.get("", owner.name), owner.uid):
            return True
        if not self._views.works.is_synced:
            return False
        return is_told(self._views.work(self._views.key(owner.name)), held.identity, outcome)


def is_held(run: RunObject) -> bool:
    """Whether a job is to go and waits for us."""
    meta = run.metadata
    return meta.deletion_timestamp is not None and names.OUTCOME in meta.finalizers


def owns(applied: AppliedWork | None, uid: str) -> bool:
    """Whether it is this AppliedWork that owns what names its uid, and will go on to."""
    if applied is None:
        return False
    return applied.metadata.uid == uid and applied.metadata.deletion_timestamp is None


def is_told(work: Work | None, job: Identity, outcome: Outcome) -> bool:
    """Whether the Work says how this run of the job ended, or will never be asked."""
    if work is None or work.metadata.deletion_timestamp is not None or not outcome.manifest:
        return True
    entry = by_identity(work.status.manifest_conditions).get(job)
    return entry is None or has_finished(entry.conditions, outcome.manifest)
