"""Keeps a pod of each DaemonSet on every node that may run it.

`placing` decides where pods belong and `rolling` how they are replaced; this controller gathers nodes and pods,
makes and deletes what they ask for, and writes the status. A changed node wakes only the sets to which it makes a
difference. Pods that failed are made again ever more slowly, per set and node.
O(nodes + pods of the set) per reconciliation; the queue joins the events of a burst into one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from argosy.api.objects import Node, Pod
from argosy.api.objects.apps import ControllerRevision, DaemonSet
from argosy.base.errors import StatusError
from argosy.client.resources import DAEMON_SETS, NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.control.expectations import Expectations
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.apps.availability import seconds_to_next
from argosy.workloads.apps.daemonsets.failures import FailedPods
from argosy.workloads.apps.daemonsets.placing import (
    Eligibility,
    Fit,
    by_node,
    daemon_pod,
    daemon_status,
    pinned,
    place,
)
from argosy.workloads.apps.daemonsets.rolling import roll
from argosy.workloads.apps.hashes import template_hash
from argosy.workloads.apps.histories import (
    REVISION_LABEL,
    Histories,
    revision_data,
    revision_informer,
)
from argosy.workloads.apps.podcontrols import PodControl
from argosy.workloads.apps.statuses import write_status
from argosy.workloads.apps.tracking import SetKey, Tracking, selector_of, set_informer
from argosy.workloads.pods import caches
from argosy.workloads.pods.adopting import Claiming
from argosy.workloads.pods.caches import pod_informer

_BURST: Final = 250


class DaemonSets:
    """The controller."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder("daemonset-controller")
        self._pods = pod_informer(assembly)
        self._nodes = assembly.informer(NODES, Node)
        self._sets = set_informer(assembly, DAEMON_SETS, DaemonSet)
        revisions = revision_informer(assembly)
        self._histories = Histories(assembly.client, revisions, DAEMON_SETS)
        self._expectations: Expectations[SetKey] = Expectations(assembly.clock)
        self._control = PodControl(assembly.client, self._recorder, DAEMON_SETS, self._expectations)
        self._failed = FailedPods(assembly.clock)
        self._queue = assembly.controller("daemonset", self._reconcile, workers=2)
        self._changed_nodes = assembly.controller("daemonset-nodes", self._look_at_node)
        tracking = Tracking(DAEMON_SETS, self._sets, self._queue, self._expectations)
        self._sets.add_handler(tracking.set_changed)
        self._pods.add_handler(tracking.pod_changed)
        self._nodes.add_handler(self._node_changed)
        revisions.add_handler(self._revision_changed)

    # News.

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            return
        if (
            old is None
            or old.metadata.labels != new.metadata.labels
            or old.spec.taints != new.spec.taints
        ):
            self._changed_nodes.add(new.metadata.name)

    def _revision_changed(
        self, old: ControllerRevision | None, new: ControllerRevision | None
    ) -> None:
        """One that was changed or deleted by others is brought in order."""
        if old is None:
            return
        controller = old.metadata.controller
        if controller is not None and controller.kind == DAEMON_SETS.kind:
            self._queue.add((old.metadata.namespace, controller.name))

    async def _look_at_node(self, name: str) -> Result:
        """Wake the sets that have to make or end a pod on the node, or to count it anew."""
        node = self._nodes.get("", name)
        if node is None:
            return DONE
        owners = set()
        for pod in self._pods.by_index(caches.NODE, name):
            if (controller := pod.metadata.controller) is not None:
                owners.add(controller.uid)
        for owner in self._sets:
            fit = Eligibility(owner.spec.template).of(node)
            has_pod = owner.metadata.uid in owners
            is_misplaced = has_pod and owner.status.number_misscheduled > 0
            if (fit.runs and not has_pod) or (not fit.stays and has_pod) or is_misplaced:
                self._queue.add(owner.metadata.key)
        return DONE

    # One set.

    async def _reconcile(self, key: SetKey) -> Result:
        owner = self._sets.get(*key)
        if owner is None:
            self._expectations.forget(key)
            return DONE
        if owner.selector == {}:
            message = "This daemon set is selecting all pods. A non-empty selector is required."
            about = reference(DAEMON_SETS, owner.metadata)
            self._recorder.event(about, "Warning", "SelectingAll", message)
            return DONE
        if owner.metadata.deletion_timestamp is not None:
            return DONE
        claimed = await self._claim(owner)
        found = await self._history(owner, claimed)
        if found is None:
            return DONE
        digest, olds = found
        eligibility = Eligibility(owner.spec.template)
        fits = {
            node.metadata.name: eligibility.of(node)
            for node in sorted(self._nodes, key=lambda node: node.metadata.name)
        }
        is_settled = self._expectations.is_satisfied(key)
        error, wait = None, None
        if is_settled:
            error, wait = await self._act(owner, fits, by_node(claimed), digest)
            if error is None:
                await self._forget_revisions(owner, olds, claimed)
        now = self._clock.now()
        status = daemon_status(owner, fits, by_node(claimed), digest, now, is_observed=is_settled)
        await write_status(self._client, DAEMON_SETS, owner.metadata, owner.status, status)
        if error is not None:
            raise error
        if not is_settled:
            return Result(self._expectations.seconds_left(key))
        waits = [wait, seconds_to_next(claimed, owner.spec.min_ready_seconds, now)]
        return Result(min((each for each in waits if each is not None), default=None))

    async def _claim(self, owner: DaemonSet) -> list[Pod]:
        meta = owner.metadata
        claiming: Claiming[Pod] = Claiming(
            self._client, PODS, DAEMON_SETS, meta, selector_of(owner).matches
        )
        return await claiming.claim(
            self._pods.by_index(caches.CONTROLLER, meta.uid),
            self._pods.by_index(caches.ORPHAN, meta.namespace),
        )

    async def _act(
        self,
        owner: DaemonSet,
        fits: Mapping[str, Fit],
        pods: Mapping[str, Sequence[Pod]],
        digest: str,
    ) -> tuple[StatusError | None, float | None]:
        """Place pods, or, once they are in place, go on with an update. Also when to look again at failed ones."""
        now = self._clock.now()
        placement = place(owner, fits, pods, digest, now)
        about = reference(DAEMON_SETS, owner.metadata)
        due, wait = self._failed.due(owner, placement.failed)
        for pod, node in due:
            message = f"Found failed daemon pod {_named(pod)} on node {node}, will try to kill it"
            self._recorder.event(about, "Warning", "FailedDaemonPod", message)
        for pod, node in placement.succeeded:
            message = (
                f"Found succeeded daemon pod {_named(pod)} on node {node}, will try to delete it"
            )
            self._recorder.event(about, "Normal", "SucceededDaemonPod", message)
        doomed = [pod for pod, _ in (*due, *placement.succeeded)] + placement.delete
        if placement.nodes or doomed:
            return await self._sync(owner, placement.nodes, doomed, digest), wait
        if owner.spec.update_strategy.type != "RollingUpdate":
            return None, wait
        step = roll(owner, fits, pods, digest, now)
        return await self._sync(owner, step.nodes, step.delete, digest), wait

    async def _sync(
        self, owner: DaemonSet, nodes: Sequence[str], doomed: Sequence[Pod], digest: str
    ) -> StatusError | None:
        """Make a pod on each node, delete others; the first failure, if there was one."""
        made = deleted = None
        if nodes:
            pod = daemon_pod(owner, digest)
            made = await self._control.create(
                owner.metadata, min(len(nodes), _BURST), lambda number: pinned(pod, nodes[number])
            )
        if doomed:
            deleted = await self._control.delete(owner.metadata, doomed[:_BURST])
        return made or deleted

    # Revisions.

    async def _history(
        self, owner: DaemonSet, pods: Sequence[Pod]
    ) -> tuple[str, list[ControllerRevision]] | None:
        """The hash of the present template, and the revisions of others; None when a name was taken."""
        revisions = await self._histories.claim(owner.metadata, selector_of(owner).matches)
        data = revision_data(owner.spec.template)
        olds = [each for each in revisions if each.data != data]
        equal = [each for each in revisions if each.data == data]
        number = max((each.revision for each in olds), default=0) + 1
        if not equal:
            digest = template_hash(owner.spec.template, owner.status.collision_count)
            labels = (owner.spec.template.get("metadata") or {}).get("labels") or {}
            name = f"{owner.metadata.name}-{digest}"
            made = await self._histories.create(
                owner.metadata, name, {**labels, REVISION_LABEL: digest}, data, number
            )
            if made is None:
                await self._count_collision(owner)
                return None
            return digest, olds
        kept = equal[-1]
        digest = kept.metadata.labels.get(REVISION_LABEL, kept.metadata.name)
        if len(equal) > 1:
            await self._relabel(
                pods, {each.metadata.labels.get(REVISION_LABEL, "") for each in equal[:-1]}, digest
            )
            await self._histories.forget(equal[:-1])
        if kept.revision < number:
            await self._histories.renumber(kept, number)
        return digest, olds

    async def _relabel(self, pods: Sequence[Pod], others: set[str], digest: str) -> None:
        """Pods of revisions that are the same as another belong to that one."""
        for pod in pods:
            if pod.metadata.labels.get(REVISION_LABEL) in others:
                await self._client.patch(
                    PODS,
                    pod.metadata.name,
                    {"metadata": {"labels": {REVISION_LABEL: digest}}},
                    namespace=pod.metadata.namespace,
                )

    async def _count_collision(self, owner: DaemonSet) -> None:
        count = (owner.status.collision_count or 0) + 1
        status = msgspec.structs.replace(owner.status, collision_count=count)
        await write_status(self._client, DAEMON_SETS, owner.metadata, owner.status, status)

    async def _forget_revisions(
        self, owner: DaemonSet, olds: Sequence[ControllerRevision], pods: Sequence[Pod]
    ) -> None:
        limit = owner.spec.revision_history_limit
        if limit is None or len(olds) <= limit:
            return
        live = {pod.metadata.labels.get(REVISION_LABEL) for pod in pods}
        dead = [each for each in olds if each.metadata.labels.get(REVISION_LABEL) not in live]
        await self._histories.forget(dead[: len(olds) - limit])


def _named(pod: Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name}"
