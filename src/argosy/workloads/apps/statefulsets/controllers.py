"""Keeps the pods of StatefulSets: each with its name, its storage and its revision, in order.

`ordering` plans what to do next, `claims` knows whose the storage is, `histories` keeps the revisions; this controller
gathers what they look at, takes the steps and writes the status. Steps of an ordered set are taken one by one, those of
a Parallel one in growing batches. What was made or ended and not yet seen holds the next plan back.

A pod that lacks a volume its set asks for (one that was adopted) stays as it is: volumes of a pod can't be changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from argosy.api.objects import ObjectMeta, Pod
from argosy.api.objects.apps import ControllerRevision, StatefulSet
from argosy.api.objects.storage import PersistentVolumeClaim
from argosy.base.errors import AlreadyExists, Conflict, NotFound, StatusError
from argosy.base.types import Object
from argosy.client.resources import PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS
from argosy.control.assemblies import Assembly
from argosy.control.expectations import Expectations
from argosy.control.reconcilers import DONE, Result
from argosy.control.recorders import EventType
from argosy.control.references import reference
from argosy.workloads.apps.availability import seconds_to_next
from argosy.workloads.apps.hashes import revision_hash
from argosy.workloads.apps.histories import (
    HASH_LABEL,
    REVISION_LABEL,
    Histories,
    beyond_limit,
    name_of,
    revision_data,
    revision_informer,
    template_of,
)
from argosy.workloads.apps.statefulsets.claims import (
    claim_names,
    claims_of,
    has_stale_pod,
    is_contested,
    is_up_to_date,
    owners_of,
    policy_of,
)
from argosy.workloads.apps.statefulsets.ordering import (
    POD_INDEX,
    POD_NAME,
    Claims,
    Do,
    Revisions,
    Step,
    is_in_range,
    ordinal_of,
    plan,
)
from argosy.workloads.apps.statefulsets.successions import Successions
from argosy.workloads.apps.statuses import write_status
from argosy.workloads.apps.tracking import SetKey, Tracking, selector_of, set_informer
from argosy.workloads.pods import caches
from argosy.workloads.pods.adopting import Claiming
from argosy.workloads.pods.caches import pod_informer
from argosy.workloads.pods.templates import in_growing_batches, pod_from_template

# Upstream's words, to the letter.
_CONFLICT: Final = (
    "has a conflicting OwnerReference that acts as a manging controller,"  # codespell:ignore manging
    " the retention policy is ignored for this claim"
)


class StatefulSets:
    """The controller."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder("statefulset-controller")
        self._pods = pod_informer(assembly)
        self._claims = assembly.informer(PERSISTENT_VOLUME_CLAIMS, PersistentVolumeClaim)
        self._sets = set_informer(assembly, STATEFUL_SETS, StatefulSet)
        self._histories = Histories(assembly.client, revision_informer(assembly), STATEFUL_SETS)
        self._expectations: Expectations[SetKey] = Expectations(assembly.clock)
        queue = assembly.controller("statefulset", self._reconcile, workers=5)
        tracking = Tracking(STATEFUL_SETS, self._sets, queue, self._expectations)
        self._successions = Successions(assembly.clock)
        self._sets.add_handler(tracking.set_changed)
        self._pods.add_handler(self._successions.pod_changed)
        self._pods.add_handler(tracking.pod_changed)

    async def _reconcile(self, key: SetKey) -> Result:
        owner = self._sets.get(*key)
        if owner is None:
            self._expectations.forget(key)
            return DONE
        is_settled = self._expectations.is_satisfied(key)
        selector = selector_of(owner)
        history = await self._histories.claim(owner.metadata, selector.matches)
        pods = await self._claim_pods(owner)
        current, update, collisions = await self._resolve(owner, history)
        names = Revisions(current.metadata.name, update.metadata.name)
        now = self._clock.now()
        pauses: list[float] = []
        claims = self._claims_of(owner, pauses)
        next_ = plan(_counting(owner, collisions), pods, names, claims, now)
        templates = {each.metadata.name: template_of(each) for each in (current, update)}
        error = None
        if is_settled:
            error = await self._take(owner, next_.phases, templates)
        await write_status(self._client, STATEFUL_SETS, owner.metadata, owner.status, next_.status)
        live = {pod.metadata.labels.get(REVISION_LABEL, "") for pod in pods}
        live |= {names.current, names.update}
        limit = owner.spec.revision_history_limit
        await self._histories.forget(beyond_limit(history, live, limit))
        if error is not None:
            raise error
        if not is_settled:
            return Result(self._expectations.seconds_left(key))
        available = seconds_to_next(pods, owner.spec.min_ready_seconds, now)
        return Result(min(pauses if available is None else [available, *pauses], default=None))

    async def _claim_pods(self, owner: StatefulSet) -> list[Pod]:
        meta = owner.metadata
        claiming: Claiming[Pod] = Claiming(
            self._client, PODS, STATEFUL_SETS, meta, selector_of(owner).matches
        )
        owned = self._pods.by_index(caches.CONTROLLER, meta.uid)
        orphans = self._pods.by_index(caches.ORPHAN, meta.namespace)
        members = (pod for pod in orphans if ordinal_of(owner, pod.metadata.name) >= 0)
        return await claiming.claim(owned, members)

    async def _resolve(
        self, owner: StatefulSet, history: Sequence[ControllerRevision]
    ) -> tuple[ControllerRevision, ControllerRevision, int]:
        """The current revision, the one to update to (made if need be), and how often a name was taken."""
        data = revision_data(owner.spec.template)
        collisions = owner.status.collision_count or 0
        number = history[-1].revision + 1 if history else 1
        equal = [each for each in history if each.data == data]
        if equal and equal[-1] is history[-1]:
            update = equal[-1]
        elif equal:
            update = await self._histories.renumber(equal[-1], number)
        else:
            update, collisions = await self._make_revision(owner, data, number, collisions)
        named = (each for each in history if each.metadata.name == owner.status.current_revision)
        return next(named, update), update, collisions

    async def _make_revision(
        self, owner: StatefulSet, data: Object, number: int, collisions: int
    ) -> tuple[ControllerRevision, int]:
        labels = (owner.spec.template.get("metadata") or {}).get("labels") or {}
        while True:
            digest = revision_hash(data, collisions)
            made = await self._histories.create(
                owner.metadata,
                name_of(owner.metadata.name, digest),
                {**labels, HASH_LABEL: digest},
                data,
                number,
            )
            if made is not None:
                return made, collisions
            collisions += 1

    def _claims_of(self, owner: StatefulSet, pauses: list[float]) -> Claims:
        """What the plan asks for; `pauses` is filled with how long names are still to stay free."""

        def is_held(ordinal: int) -> bool:
            pod = f"{owner.metadata.name}-{ordinal}"
            if pause := self._successions.seconds_left(owner.metadata.namespace, pod):
                pauses.append(pause)
                return True
            if policy_of(owner).when_scaled == "Retain":
                return False
            return any(has_stale_pod(claim, pod, "") for claim in self._present(owner, ordinal))

        def are_owned(pod: Pod) -> bool:
            ordinal = ordinal_of(owner, pod.metadata.name)
            is_leaving = not is_in_range(owner, ordinal)
            return all(
                is_up_to_date(claim, owner, pod.metadata, is_leaving=is_leaving)
                for claim in self._present(owner, ordinal)
            )

        return Claims(is_held, are_owned)

    def _present(self, owner: StatefulSet, ordinal: int) -> list[PersistentVolumeClaim]:
        names = claim_names(owner, ordinal).values()
        found = (self._claims.get(owner.metadata.namespace, name) for name in names)
        return [claim for claim in found if claim is not None]

    # Steps.

    async def _take(
        self,
        owner: StatefulSet,
        phases: Sequence[Sequence[Step]],
        templates: dict[str, Object],
    ) -> StatusError | None:
        """Take the steps; the first failure ends it."""
        for steps in phases:
            if owner.spec.pod_management_policy == "Parallel":
                error = await self._take_together(owner, steps, templates)
            else:
                error = await self._take_in_turn(owner, steps, templates)
            if error is not None:
                return error
        return None

    async def _take_in_turn(
        self, owner: StatefulSet, steps: Sequence[Step], templates: dict[str, Object]
    ) -> StatusError | None:
        for step in steps:
            try:
                await self._one(owner, step, templates)
            except StatusError as error:
                return error
        return None

    async def _take_together(
        self, owner: StatefulSet, steps: Sequence[Step], templates: dict[str, Object]
    ) -> StatusError | None:
        async def take(number: int) -> None:
            await self._one(owner, steps[number], templates)

        return (await in_growing_batches(len(steps), take))[1]

    async def _one(self, owner: StatefulSet, step: Step, templates: dict[str, Object]) -> None:
        pod = step.pod
        if pod is None:
            await self._create(owner, step.ordinal, step.revision, templates[step.revision])
        elif step.do is Do.DELETE:
            await self._delete(owner, pod)
        elif step.do is Do.CLAIM:
            await self._make_claims(owner, step.ordinal, pod.metadata.name)
            await self._own_claims(owner, step.ordinal, pod.metadata)
        elif step.do is Do.REPAIR:
            await self._repair(owner, step.ordinal, pod)
        else:
            await self._own_claims(owner, step.ordinal, pod.metadata)

    async def _create(
        self, owner: StatefulSet, ordinal: int, revision: str, template: Object
    ) -> None:
        name = f"{owner.metadata.name}-{ordinal}"
        key = owner.metadata.key
        self._expectations.expect_creations(key, 1)
        try:
            await self._make_claims(owner, ordinal, name)
            body = _new_pod(owner, ordinal, revision, template)
            await self._client.create(PODS, body, namespace=owner.metadata.namespace)
        except AlreadyExists:
            self._expectations.creation_observed(key)
            raise
        except StatusError as error:
            self._expectations.creation_observed(key)
            self._say_pod(owner, "Create", name, error)
            raise
        self._say_pod(owner, "Create", name)

    async def _delete(self, owner: StatefulSet, pod: Pod) -> None:
        key, meta = owner.metadata.key, pod.metadata
        self._expectations.expect_deletions(key, (meta.uid,))
        self._successions.ends(meta.uid)
        try:
            await self._client.delete(PODS, meta.name, namespace=meta.namespace, uid=meta.uid)
        except StatusError as error:
            self._expectations.deletion_observed(key, meta.uid)
            self._successions.spares(meta.uid)
            if isinstance(error, NotFound):
                return
            self._say_pod(owner, "Delete", meta.name, error)
            raise
        self._say_pod(owner, "Delete", meta.name)

    async def _repair(self, owner: StatefulSet, ordinal: int, pod: Pod) -> None:
        name = pod.metadata.name
        labels = {POD_NAME: name, POD_INDEX: str(ordinal)}
        try:
            await self._own_claims(owner, ordinal, pod.metadata)
            if pod.metadata.labels.get(POD_NAME) != name:
                await self._client.patch(
                    PODS,
                    name,
                    {"metadata": {"uid": pod.metadata.uid, "labels": labels}},
                    namespace=pod.metadata.namespace,
                )
        except StatusError as error:
            self._say_pod(owner, "Update", name, error)
            raise
        self._say_pod(owner, "Update", name)

    # Claims.

    async def _make_claims(self, owner: StatefulSet, ordinal: int, pod: str) -> None:
        namespace = owner.metadata.namespace
        for body in claims_of(owner, ordinal):
            name = body["metadata"]["name"]
            present = self._claims.get(namespace, name)
            if present is not None:
                if present.metadata.deletion_timestamp is not None:
                    raise Conflict(f"pvc {name} is being deleted")
                continue
            try:
                await self._client.create(PERSISTENT_VOLUME_CLAIMS, body, namespace=namespace)
            except AlreadyExists:
                continue
            except StatusError as error:
                self._say_claim(owner, name, pod, error)
                raise
            self._say_claim(owner, name, pod)

    async def _own_claims(self, owner: StatefulSet, ordinal: int, pod: ObjectMeta) -> None:
        is_leaving = not is_in_range(owner, ordinal)
        for claim in self._present(owner, ordinal):
            name = claim.metadata.name
            if is_contested(claim, owner, pod):
                message = f"PersistentVolumeClaim {name} {_CONFLICT}"
                self._say(owner, "Warning", "ConflictingController", message)
            if is_up_to_date(claim, owner, pod, is_leaving=is_leaving):
                continue
            meta = {
                "resourceVersion": claim.metadata.resource_version,
                "ownerReferences": owners_of(claim, owner, pod, is_leaving=is_leaving) or None,
            }
            await self._client.patch(
                PERSISTENT_VOLUME_CLAIMS, name, {"metadata": meta}, namespace=pod.namespace
            )

    # Words.

    def _say_pod(
        self, owner: StatefulSet, verb: str, pod: str, error: StatusError | None = None
    ) -> None:
        what = f"{verb} Pod {pod} in StatefulSet {owner.metadata.name}"
        if error is None:
            self._say(owner, "Normal", f"Successful{verb}", f"{what} successful")
        else:
            self._say(owner, "Warning", f"Failed{verb}", f"{what} failed error: {error}")

    def _say_claim(
        self, owner: StatefulSet, claim: str, pod: str, error: StatusError | None = None
    ) -> None:
        where = f"Pod {pod} in StatefulSet {owner.metadata.name}"
        if error is None:
            message = f"Create Claim {claim} {where} success"
            self._say(owner, "Normal", "SuccessfulCreate", message)
        else:
            message = f"Create Claim {claim} for {where} failed error: {error}"
            self._say(owner, "Warning", "FailedCreate", message)

    def _say(self, owner: StatefulSet, type_: EventType, reason: str, message: str) -> None:
        self._recorder.event(reference(STATEFUL_SETS, owner.metadata), type_, reason, message)


def _counting(owner: StatefulSet, collisions: int) -> StatefulSet:
    status = msgspec.structs.replace(owner.status, collision_count=collisions)
    return msgspec.structs.replace(owner, status=status)


def _new_pod(owner: StatefulSet, ordinal: int, revision: str, template: Object) -> Object:
    name = f"{owner.metadata.name}-{ordinal}"
    labels = {POD_NAME: name, POD_INDEX: str(ordinal), REVISION_LABEL: revision}
    pod = pod_from_template(template, STATEFUL_SETS, owner.metadata, name=name, labels=labels)
    pod["metadata"]["generateName"] = f"{owner.metadata.name}-"
    claims = claim_names(owner, ordinal)
    volumes = [
        {"name": volume, "persistentVolumeClaim": {"claimName": claim}}
        for volume, claim in claims.items()
    ]
    others = pod["spec"].get("volumes") or ()
    volumes += [volume for volume in others if volume["name"] not in claims]
    pod["spec"] = {**pod["spec"], "hostname": name}
    if owner.spec.service_name:
        pod["spec"]["subdomain"] = owner.spec.service_name
    if volumes:
        pod["spec"]["volumes"] = volumes
    return pod
