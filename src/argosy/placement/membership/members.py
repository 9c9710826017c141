"""The controller of members: it makes what a member needs, passes on what its agent says, and sees it out.

A heartbeat costs one patch: what a member was given is looked up in informers, and only what is new of its status is
written. Somebody's edit of the namespace, the rights or the InternalMemberCluster is seen at once and put right.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final, TypeVar

import msgspec

from argosy.api.objects.core import Namespace
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import InternalMemberCluster, MemberCluster
from argosy.api.objects.fleet.memberstatuses import status_patch
from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.objects import Raw
from argosy.client.resources import (
    INTERNAL_MEMBER_CLUSTERS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    ROLE_BINDINGS,
    ROLES,
    WORKS,
)
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.placement.membership import grants, leaving, statuses
from argosy.placement.membership.grants import Role, RoleBinding
from argosy.placement.membership.leaving import Step
from argosy.placement.membership.profiles import Profiles
from argosy.placement.membership.statuses import Told
from argosy.placement.metrics import MembershipMetrics
from argosy.placement.views import Views

COMPONENT: Final = "mcv1beta1"
FORCE_DELETE_WAIT: Final = timedelta(minutes=15)
_LOG: Final = logging.getLogger(__name__)
_WORKERS: Final = 5
_MEMBER: Final = "member"
_FINALIZERS: Final = (names.MEMBER_CLEANUP, names.PROFILE_CLEANUP)
# A namespace that takes longer to go is said to be stuck, and is looked at less often.
_STUCK: Final = timedelta(minutes=15)
_STUCK_SECONDS: Final = 60.0

_V = TypeVar("_V", bound=View)


class Membership:
    """Keeps every MemberCluster's part of the hub. `patience` is how long an agent may take to leave."""

    def __init__(
        self,
        assembly: Assembly,
        views: Views,
        *,
        patience: timedelta = FORCE_DELETE_WAIT,
        expected: frozenset[str] = statuses.EXPECTED,
    ) -> None:
        self._views = views
        self._clock = assembly.clock
        self._patience = patience
        self._expected = expected
        self._recorder = assembly.recorder(COMPONENT)
        self._metrics = MembershipMetrics(assembly.metrics)
        self._namespaces = assembly.informer(NAMESPACES, Namespace)
        self._roles = assembly.informer(ROLES, Role)
        self._bindings = assembly.informer(ROLE_BINDINGS, RoleBinding)
        self._internals = assembly.informer(INTERNAL_MEMBER_CLUSTERS, InternalMemberCluster)
        if not views.works.has_index(_MEMBER):
            views.works.add_index(_MEMBER, lambda work: [names.member_of(work.metadata.namespace)])
        # It takes the second finalizer away again, so there is none without it.
        Profiles(assembly, views)
        self._queue = assembly.controller(
            "membercluster-controller", self._reconcile, workers=_WORKERS
        )
        views.members.add_handler(self._member_changed)
        self._namespaces.add_handler(self._namespace_changed)
        self._roles.add_handler(self._given_changed)
        self._bindings.add_handler(self._given_changed)
        self._internals.add_handler(self._given_changed)

    # What is worth a look.

    def _member_changed(self, old: MemberCluster | None, new: MemberCluster | None) -> None:
        if new is None:
            return
        if old is None or _identity(old.metadata) != _identity(new.metadata):
            self._queue.add(new.metadata.name)

    def _namespace_changed(self, old: Namespace | None, new: Namespace | None) -> None:
        for each in (new, old):
            if each is not None and names.is_member_namespace(each.metadata.name):
                self._queue.add(names.member_of(each.metadata.name))
                return

    def _given_changed(
        self,
        old: Role | RoleBinding | InternalMemberCluster | None,
        new: Role | RoleBinding | InternalMemberCluster | None,
    ) -> None:
        for each in (new, old):
            if each is not None and names.is_member_namespace(each.metadata.namespace):
                self._queue.add(names.member_of(each.metadata.namespace))
                return

    # A look.

    async def _reconcile(self, name: str) -> Result:
        member = self._views.members.get("", name)
        if member is None:
            return DONE
        try:
            if member.metadata.deletion_timestamp is not None:
                return await self._leave(member)
            return await self._join(member)
        except NotFound as error:
            # Something went away under our hands; its informer will tell.
            _LOG.debug("%s: %s", name, error)
            return DONE

    async def _join(self, member: MemberCluster) -> Result:
        member = await self._marked(member)
        namespace = self._namespaces.get("", names.member_namespace(member.metadata.name))
        if namespace is not None and namespace.metadata.deletion_timestamp is not None:
            # Of an earlier member of the name; the next one begins when it is gone.
            return DONE
        await self._give_namespace(member, namespace)
        await self._give_role(member)
        await self._give_role_binding(member)
        internal = await self._give_internal(member)
        told = statuses.joining(member, internal, self._clock.now(), self._expected)
        await self._tell(member, told)
        return DONE

    async def _marked(self, member: MemberCluster) -> MemberCluster:
        """With the finalizers and the label that carries its name, both in one write."""
        meta = member.metadata
        missing = [each for each in _FINALIZERS if each not in meta.finalizers]
        patch: Object = {}
        if missing:
            patch["finalizers"] = [*meta.finalizers, *missing]
            patch["resourceVersion"] = meta.resource_version
        if meta.labels.get(names.MEMBER_NAME) != meta.name:
            patch["labels"] = {names.MEMBER_NAME: meta.name}
        if not patch:
            return member
        await self._views.patch(MEMBER_CLUSTERS, meta, {"metadata": patch})
        return self._views.members.get("", meta.name) or member

    # What it is given.

    async def _give_namespace(self, member: MemberCluster, found: Namespace | None) -> None:
        if found is None:
            body = grants.namespace_body(member)
            self._namespaces.learn(await self._views.create(NAMESPACES, body))
            self._note(member, "NamespaceCreated", "Namespace was created")
        elif patch := grants.namespace_patch(found.metadata, member):
            self._namespaces.learn(await self._views.patch(NAMESPACES, found.metadata, patch))
            self._note(member, "NamespacePatched", "Namespace was patched")

    async def _give_role(self, member: MemberCluster) -> None:
        name = member.metadata.name
        role = self._roles.get(names.member_namespace(name), grants.role_name(name))
        if role is None:
            self._roles.learn(
                await self._views.create(
                    ROLES, grants.role_body(member), names.member_namespace(name)
                )
            )
            self._note(member, "RoleCreated", "role was created")
        elif patch := grants.role_patch(role, member):
            self._roles.learn(await self._views.patch(ROLES, role.metadata, patch))
            self._note(member, "RoleUpdated", "role was updated")

    async def _give_role_binding(self, member: MemberCluster) -> None:
        name = member.metadata.name
        namespace = names.member_namespace(name)
        binding = self._bindings.get(namespace, grants.role_binding_name(name))
        if binding is None:
            body = grants.role_binding_body(member)
            self._bindings.learn(await self._views.create(ROLE_BINDINGS, body, namespace))
            self._note(member, "RoleBindingCreated", "role binding was created")
        elif patch := grants.role_binding_patch(binding, member):
            raw = await self._views.patch(ROLE_BINDINGS, binding.metadata, patch)
            self._bindings.learn(raw)
            self._note(member, "RoleBindingUpdated", "role binding was updated")

    async def _give_internal(self, member: MemberCluster) -> InternalMemberCluster | None:
        name = member.metadata.name
        namespace = names.member_namespace(name)
        found = self._internals.get(namespace, name)
        if found is None:
            body = grants.internal_body(member)
            raw = await self._views.create(INTERNAL_MEMBER_CLUSTERS, body, namespace)
            self._note(
                member, "InternalMemberClusterCreated", "Internal member cluster was created"
            )
            return _learnt(self._internals, raw)
        return await self._respecify(member, found)

    async def _respecify(
        self, member: MemberCluster, internal: InternalMemberCluster
    ) -> InternalMemberCluster | None:
        patch = grants.internal_patch(internal, member)
        if patch is None:
            return internal
        raw = await self._views.patch(INTERNAL_MEMBER_CLUSTERS, internal.metadata, patch)
        said = "internal member cluster spec updated"
        self._note(member, "InternalMemberClusterSpecUpdated", said)
        return _learnt(self._internals, raw)

    # Its end.

    async def _leave(self, member: MemberCluster) -> Result:
        name = member.metadata.name
        if names.MEMBER_CLEANUP not in member.metadata.finalizers:
            return DONE
        now = self._clock.now()
        namespace = self._namespaces.get("", names.member_namespace(name))
        internal = self._internals.get(names.member_namespace(name), name)
        told = (
            statuses.leaving(member, internal, now, self._expected)
            if internal is not None
            else Told(member.status)
        )
        heard = msgspec.structs.replace(member, status=told.status)
        step, after = leaving.next_step(heard, namespace, internal, now, self._patience)
        if step is Step.FINISH:
            await self._drop_finalizer(member)
            return DONE
        if step is Step.WAIT:
            await self._release(name)
            return Result(self._wait(namespace, after))
        if step is Step.TELL and internal is not None:
            await self._respecify(member, internal)
        await self._tell(member, told)
        if step is Step.COLLECT:
            await self._release(name)
            if namespace is not None:
                await self._views.delete(NAMESPACES, namespace.metadata)
        return Result(after)

    async def _release(self, name: str) -> None:
        """Nobody is left who could give the member's Works free."""
        for work in self._views.works.by_index(_MEMBER, name):
            await self._views.set_finalizers(WORKS, work.metadata, ())

    def _wait(self, namespace: Namespace | None, seconds: float | None) -> float | None:
        since = namespace.metadata.deletion_timestamp if namespace is not None else None
        if namespace is None or since is None or self._clock.now() - since < _STUCK:
            return seconds
        _LOG.error("namespace %s has been going since %s", namespace.metadata.name, since)
        return _STUCK_SECONDS

    async def _drop_finalizer(self, member: MemberCluster) -> None:
        meta = member.metadata
        rest = [each for each in meta.finalizers if each != names.MEMBER_CLEANUP]
        await self._views.set_finalizers(MEMBER_CLUSTERS, meta, rest)

    # Saying.

    async def _tell(self, member: MemberCluster, told: Told) -> None:
        if patch := status_patch(member.status, told.status):
            await self._views.patch_status(MEMBER_CLUSTERS, member.metadata, patch)
            self._metrics.told(member.status.conditions, told.status.conditions)
        about = reference(MEMBER_CLUSTERS, member.metadata)
        for note in told.notes:
            self._recorder.event(about, note.type, note.reason, note.message)

    def _note(self, member: MemberCluster, reason: str, message: str) -> None:
        about = reference(MEMBER_CLUSTERS, member.metadata)
        self._recorder.event(about, "Normal", reason, message)


def _identity(meta: ObjectMeta) -> tuple[object, ...]:
    """What of a member concerns this controller beside its spec, which the generation tells of."""
    label = meta.labels.get(names.MEMBER_NAME)
    return meta.uid, meta.generation, meta.deletion_timestamp, meta.finalizers, label


def _learnt(informer: Informer[_V], raw: Raw) -> _V | None:
    informer.learn(raw)
    return informer.get(raw.namespace, raw.name)
