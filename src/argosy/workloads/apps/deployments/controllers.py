"""Rolls out the templates of Deployments: a ReplicaSet per template, scaled up and down in small steps.

Each reconciliation takes one step: note what has changed (pause, revision), or make the new set, or scale, or clean up;
then it writes the status. Every write wakes the Deployment again, so steps follow each other without anybody waiting.
Writes name the revision they were decided on: on an old picture they fail, and the step is taken again.

What a step is, is decided in `rollouts`, `revisions` and `progress`. Rollback by the annotation
deprecated.deployment.rollback.to, which no kubectl since 1.16 writes, is left out: `kubectl rollout undo` changes the
template.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from argosy.api.objects import Pod, decoder
from argosy.api.objects.apps import Deployment, DeploymentStatus, ReplicaSet
from argosy.base.errors import AlreadyExists, Conflict, NotFound, StatusError
from argosy.base.types import Object
from argosy.client.resources import DEPLOYMENTS, REPLICA_SETS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.recorders import EventType
from argosy.control.references import reference
from argosy.workloads.apps.deployments.progress import (
    PROGRESSING,
    condition_of,
    has_deadline,
    has_history_limit,
    is_complete,
    paused_conditions,
    rollout_status,
    seconds_to_deadline,
    status_of,
    with_condition,
)
from argosy.workloads.apps.deployments.revisions import (
    REVISION,
    is_same,
    new_annotations,
    new_replica_set,
    next_revision,
    outdated,
    split,
)
from argosy.workloads.apps.deployments.rollouts import (
    Scaling,
    grow_new,
    is_rolling,
    replica_annotations,
    share,
    shrink_olds,
    was_scaled,
)
from argosy.workloads.apps.statuses import changes
from argosy.workloads.apps.tracking import (
    CONTROLLER,
    NAMESPACE,
    ORPHAN,
    SetKey,
    selector_of,
    set_informer,
)
from argosy.workloads.pods import caches
from argosy.workloads.pods.adopting import Claiming
from argosy.workloads.pods.caches import pod_informer
from argosy.workloads.pods.templates import is_namespace_terminating

_read_set: Final[Callable[[bytes], ReplicaSet]] = decoder(ReplicaSet)


class Deployments:
    """The controller."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder("deployment-controller")
        self._pods = pod_informer(assembly)
        self._sets = set_informer(assembly, REPLICA_SETS, ReplicaSet)
        self._deployments = set_informer(assembly, DEPLOYMENTS, Deployment)
        self._queue = assembly.controller("deployment", self._reconcile, workers=5)
        self._deployments.add_handler(self._deployment_changed)
        self._sets.add_handler(self._set_changed)
        self._pods.add_handler(self._pod_changed)

    # News.

    def _deployment_changed(self, old: Deployment | None, new: Deployment | None) -> None:
        changed = new if new is not None else old
        if changed is not None:
            self._queue.add(changed.metadata.key)

    def _set_changed(self, old: ReplicaSet | None, new: ReplicaSet | None) -> None:
        for each in (old, new):
            if each is not None and (owner := self._owner(each)) is not None:
                self._queue.add(owner.metadata.key)
        if new is None or new.metadata.controller is not None:
            return
        if old is None or old.metadata.controller or old.metadata.labels != new.metadata.labels:
            for candidate in self._deployments.by_index(NAMESPACE, new.metadata.namespace):
                if selector_of(candidate).matches(new.metadata.labels):
                    self._queue.add(candidate.metadata.key)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """Only Recreate waits for pods: its new ones come when the last old one has gone."""
        if new is not None or old is None:
            return
        controller = old.metadata.controller
        if controller is None or controller.kind != REPLICA_SETS.kind:
            return
        owner = self._sets.get(old.metadata.namespace, controller.name)
        deployment = self._owner(owner) if owner is not None else None
        if deployment is not None and not is_rolling(deployment):
            self._queue.add(deployment.metadata.key)

    def _owner(self, replica_set: ReplicaSet) -> Deployment | None:
        controller = replica_set.metadata.controller
        if controller is None or controller.kind != DEPLOYMENTS.kind:
            return None
        found = self._deployments.get(replica_set.metadata.namespace, controller.name)
        return found if found is not None and found.metadata.uid == controller.uid else None

    # Steps.

    async def _reconcile(self, key: SetKey) -> Result:
        deployment = self._deployments.get(*key)
        if deployment is None:
            return DONE
        if deployment.selector == {}:
            return await self._refuse(deployment)
        sets = await self._claim(deployment)
        is_leaving = deployment.metadata.deletion_timestamp is not None
        if not is_leaving and await self._note_pause(deployment):
            return DONE
        new, olds = split(deployment, sets)
        if new is not None:
            updated = await self._renew(deployment, new, olds)
            if updated is new and await self._acknowledge(deployment, new):
                return DONE
            new = updated
        if is_leaving:
            return await self._write(deployment, self._counts(deployment, new, olds))
        if deployment.spec.paused or was_scaled(deployment, sets):
            new, olds = await self._scale(deployment, share(deployment, new, olds), new, olds)
            if deployment.spec.paused:
                await self._clean_up(deployment, olds)
            return await self._write(deployment, self._counts(deployment, new, olds))
        if is_rolling(deployment):
            return await self._roll(deployment, new, olds)
        return await self._recreate(deployment, new, olds)

    async def _roll(
        self, deployment: Deployment, new: ReplicaSet | None, olds: list[ReplicaSet]
    ) -> Result:
        if new is None:
            await self._create(deployment, olds)
            return DONE
        step = grow_new(deployment, new, olds)
        scalings = [step] if step else shrink_olds(deployment, new, olds)
        if scalings:
            new, olds = await self._scale(deployment, scalings, new, olds)
        elif is_complete(deployment, deployment.status):
            await self._clean_up(deployment, olds)
        return await self._finish(deployment, new, olds)

    async def _recreate(
        self, deployment: Deployment, new: ReplicaSet | None, olds: list[ReplicaSet]
    ) -> Result:
        ending = [Scaling(old, 0) for old in olds if old.spec.replicas]
        if ending:
            new, olds = await self._scale(deployment, ending, new, olds)
        elif self._has_pods(olds):
            pass
        elif new is None:
            await self._create(deployment, olds)
            return DONE
        elif new.spec.replicas != deployment.spec.replicas:
            step = Scaling(new, deployment.spec.replicas)
            new, olds = await self._scale(deployment, [step], new, olds)
        elif is_complete(deployment, deployment.status):
            await self._clean_up(deployment, olds)
        return await self._finish(deployment, new, olds)

    async def _finish(
        self, deployment: Deployment, new: ReplicaSet | None, olds: Sequence[ReplicaSet]
    ) -> Result:
        now = self._clock.now()
        status = rollout_status(deployment, new, olds, now)
        if status != deployment.status:
            return await self._write(deployment, status)
        return Result(seconds_to_deadline(deployment, status, now))

    async def _refuse(self, deployment: Deployment) -> Result:
        message = "This deployment is selecting all pods. A non-empty selector is required."
        self._event(deployment, "Warning", "SelectingAll", message)
        seen = deployment.metadata.generation
        return await self._write(
            deployment, msgspec.structs.replace(deployment.status, observed_generation=seen)
        )

    async def _note_pause(self, deployment: Deployment) -> bool:
        conditions = paused_conditions(deployment, self._clock.now())
        if conditions is None:
            return False
        await self._write(
            deployment, msgspec.structs.replace(deployment.status, conditions=conditions)
        )
        return True

    # ReplicaSets.

    async def _claim(self, deployment: Deployment) -> list[ReplicaSet]:
        meta = deployment.metadata
        claiming: Claiming[ReplicaSet] = Claiming(
            self._client, REPLICA_SETS, DEPLOYMENTS, meta, selector_of(deployment).matches
        )
        orphans = self._sets.by_index(ORPHAN, meta.namespace)
        return await claiming.claim(self._sets.by_index(CONTROLLER, meta.uid), orphans)

    async def _renew(
        self, deployment: Deployment, new: ReplicaSet, olds: Sequence[ReplicaSet]
    ) -> ReplicaSet:
        """Give the new set its revision and what it has from the Deployment; the set itself if it has it."""
        wanted = new_annotations(deployment, new.metadata.annotations, next_revision(olds))
        patch: Object = {"metadata": {"annotations": wanted}} if wanted else {}
        if new.spec.min_ready_seconds != deployment.spec.min_ready_seconds:
            patch["spec"] = {"minReadySeconds": deployment.spec.min_ready_seconds}
        return await self._patch_set(new, patch) if patch else new

    async def _acknowledge(self, deployment: Deployment, new: ReplicaSet) -> bool:
        """Note the revision of a set that was found; whether there was anything to note."""
        status = deployment.status
        if has_deadline(deployment) and condition_of(status, PROGRESSING) is None:
            said = ("True", "FoundNewReplicaSet", f'Found new replica set "{new.metadata.name}"')
            conditions = with_condition(status.conditions, PROGRESSING, *said, self._clock.now())
            status = msgspec.structs.replace(status, conditions=conditions)
        revision = new.metadata.annotations.get(REVISION, "")
        if status is deployment.status and _revision(deployment) == revision:
            return False
        await self._write(deployment, status, revision)
        return True

    async def _create(self, deployment: Deployment, olds: Sequence[ReplicaSet]) -> None:
        """Make the new set and note it."""
        body = new_replica_set(deployment, olds)
        name, status = body["metadata"]["name"], deployment.status
        try:
            await self._client.create(REPLICA_SETS, body, namespace=deployment.metadata.namespace)
        except AlreadyExists:
            if not await self._is_ours(deployment, name):
                count = (status.collision_count or 0) + 1
                await self._write(
                    deployment, msgspec.structs.replace(status, collision_count=count)
                )
            return
        except StatusError as error:
            if is_namespace_terminating(error):
                return
            await self._note_failure(deployment, name, error)
            raise
        if size := body["spec"]["replicas"]:
            self._say_scaled(deployment, name, 0, size)
        if has_deadline(deployment):
            said = ("True", "NewReplicaSetCreated", f'Created new replica set "{name}"')
            conditions = with_condition(status.conditions, PROGRESSING, *said, self._clock.now())
            status = msgspec.structs.replace(status, conditions=conditions)
        await self._write(deployment, status, body["metadata"]["annotations"][REVISION])

    async def _is_ours(self, deployment: Deployment, name: str) -> bool:
        """Whether the set of that name is the new one, which only the informer has not shown yet."""
        raw = await self._client.get(REPLICA_SETS, name, namespace=deployment.metadata.namespace)
        found = _read_set(bytes(raw.body))
        controller = found.metadata.controller
        return (
            controller is not None
            and controller.uid == deployment.metadata.uid
            and is_same(found.spec.template, deployment.spec.template)
        )

    async def _note_failure(self, deployment: Deployment, name: str, error: StatusError) -> None:
        message = f'Failed to create new replica set "{name}": {error}'
        self._event(deployment, "Warning", "ReplicaSetCreateError", message)
        if not has_deadline(deployment):
            return
        said = ("False", "ReplicaSetCreateError", message)
        conditions = with_condition(
            deployment.status.conditions, PROGRESSING, *said, self._clock.now()
        )
        try:
            await self._write(
                deployment, msgspec.structs.replace(deployment.status, conditions=conditions)
            )
        except Conflict:
            # The failure itself is about to be raised; its retry writes the condition.
            return

    async def _scale(
        self,
        deployment: Deployment,
        scalings: Sequence[Scaling],
        new: ReplicaSet | None,
        olds: Sequence[ReplicaSet],
    ) -> tuple[ReplicaSet | None, list[ReplicaSet]]:
        """Resize sets; all sets as they are then."""
        sets = {each.metadata.name: each for each in (*olds, new) if each is not None}
        wanted = replica_annotations(deployment)
        for target, size in scalings:
            present = sets[target.metadata.name]
            has = present.metadata.annotations
            patch: Object = {}
            if present.spec.replicas != size:
                patch["spec"] = {"replicas": size}
            if any(has.get(name) != value for name, value in wanted.items()):
                patch["metadata"] = {"annotations": wanted}
            if patch:
                sets[target.metadata.name] = await self._patch_set(present, patch)
            if "spec" in patch:
                name = target.metadata.name
                self._say_scaled(deployment, name, present.spec.replicas, size)
        return (
            sets[new.metadata.name] if new is not None else None,
            [sets[old.metadata.name] for old in olds],
        )

    async def _patch_set(self, replica_set: ReplicaSet, patch: Object) -> ReplicaSet:
        meta = replica_set.metadata
        bound = {**patch.get("metadata", {}), "resourceVersion": meta.resource_version}
        raw = await self._client.patch(
            REPLICA_SETS, meta.name, {**patch, "metadata": bound}, namespace=meta.namespace
        )
        return _read_set(bytes(raw.body))

    async def _clean_up(self, deployment: Deployment, olds: Sequence[ReplicaSet]) -> None:
        if not has_history_limit(deployment):
            return
        for old in outdated(deployment, olds):
            meta = old.metadata
            try:
                await self._client.delete(
                    REPLICA_SETS, meta.name, namespace=meta.namespace, uid=meta.uid
                )
            except NotFound:
                continue

    def _has_pods(self, olds: Sequence[ReplicaSet]) -> bool:
        """Whether pods of old sets may still run."""
        return any(old.status.replicas for old in olds) or any(
            not pod.is_terminal
            for old in olds
            for pod in self._pods.by_index(caches.CONTROLLER, old.metadata.uid)
        )

    # Words.

    def _counts(
        self, deployment: Deployment, new: ReplicaSet | None, olds: Sequence[ReplicaSet]
    ) -> DeploymentStatus:
        return status_of(deployment, new, olds, self._clock.now())

    async def _write(
        self, deployment: Deployment, status: DeploymentStatus, revision: str = ""
    ) -> Result:
        meta: Object = {"resourceVersion": deployment.metadata.resource_version}
        if revision and _revision(deployment) != revision:
            meta["annotations"] = {REVISION: revision}
        patch = changes(deployment.status, status)
        if patch or "annotations" in meta:
            await self._client.patch(
                DEPLOYMENTS,
                deployment.metadata.name,
                {"metadata": meta, "status": patch},
                namespace=deployment.metadata.namespace,
                subresource="status",
            )
        return DONE

    def _say_scaled(self, deployment: Deployment, name: str, before: int, after: int) -> None:
        direction = "up" if before < after else "down"
        message = f"Scaled {direction} replica set {name} from {before} to {after}"
        self._event(deployment, "Normal", "ScalingReplicaSet", message)

    def _event(self, deployment: Deployment, type_: EventType, reason: str, message: str) -> None:
        self._recorder.event(reference(DEPLOYMENTS, deployment.metadata), type_, reason, message)


def _revision(deployment: Deployment) -> str:
    return deployment.metadata.annotations.get(REVISION, "")
