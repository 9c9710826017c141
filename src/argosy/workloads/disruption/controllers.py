"""The disruption controller: keeps the status of every PodDisruptionBudget, by which evictions are granted.

Which pods a budget selects is kept up to date by events; a cluster without budgets pays one lookup per pod event. News
of the pods of a large budget are gathered, so that a budget of 10,000 is counted twice a second and not with every pod.
When something cannot be counted, nothing may be evicted: the status then says why.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, Literal

from argosy.api.objects import ObjectMeta, Pod
from argosy.api.objects.policy import PodDisruptionBudget
from argosy.base.errors import NotFound
from argosy.base.selectors.labels import LabelSelector, from_object, nothing
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import POD_DISRUPTION_BUDGETS, PODS, Resource
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.disruption import budgets
from argosy.workloads.disruption.scales import Scales, Unscalable
from argosy.workloads.pods.caches import pod_informer

_UNMANAGED: Final = (
    "to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in "
    'undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an '
    "integer value."
)

# Per pod, of budgets that are not small; about ten times what a look at one pod costs.
_GATHER_SECONDS: Final = 50e-6
_SMALL: Final = 200


class Disruption:
    """One cluster's budgets."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder("controllermanager")
        self._budgets = assembly.informer(POD_DISRUPTION_BUDGETS, PodDisruptionBudget)
        self._pods = pod_informer(assembly)
        self._scales = Scales(assembly)
        # By namespace: each budget's selector; by budget: the pods it selects.
        self._selectors: dict[str, dict[Key, LabelSelector]] = {}
        self._members: dict[Key, set[Key]] = {}
        self._queue = assembly.controller("disruption", self._reconcile)
        self._budgets.add_handler(self._budget_changed)
        self._pods.add_handler(self._pod_changed)

    # Who belongs to whom.

    def _budget_changed(
        self, old: PodDisruptionBudget | None, new: PodDisruptionBudget | None
    ) -> None:
        budget = new or old
        assert budget is not None
        namespace = budget.metadata.namespace
        key = Key(namespace, budget.metadata.name)
        selectors = self._selectors.setdefault(namespace, {})
        if new is None:
            selectors.pop(key, None)
            self._members.pop(key, None)
            return
        selector = from_object(new.spec.selector) if new.spec.selector is not None else nothing()
        if selectors.get(key) != selector:
            selectors[key] = selector
            self._members[key] = {
                pod_key
                for pod_key, pod in self._pods.items()
                if pod_key.namespace == namespace and selector.matches(pod.metadata.labels)
            }
        self._queue.add(key)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        assert pod is not None
        for key, selector in self._selectors.get(pod.metadata.namespace, {}).items():
            members = self._members[key]
            pod_key = Key(*pod.metadata.key)
            was_member = pod_key in members
            if new is not None and selector.matches(new.metadata.labels):
                members.add(pod_key)
                self._wake(key, len(members))
            elif was_member:
                members.discard(pod_key)
                self._wake(key, len(members))

    def _wake(self, key: Key, size: int) -> None:
        """A budget looks at all of its pods, so the more there are, the longer news of them are gathered."""
        if size <= _SMALL:
            self._queue.add(key)
        else:
            self._queue.add_after(key, size * _GATHER_SECONDS)

    # One budget.

    async def _reconcile(self, key: Key) -> Result:
        budget = self._budgets.get(*key)
        if budget is None:
            return DONE
        found = (self._pods.get(*member) for member in sorted(self._members.get(key, ())))
        pods = [pod for pod in found if pod is not None]
        if not pods:
            self._event(POD_DISRUPTION_BUDGETS, budget.metadata, "NoPods", "No matching pods found")
        now = datetime.fromtimestamp(self._clock.time(), UTC)
        try:
            scale = await self._scale(budget, pods) if budgets.needs_scale(budget) else 0
        except Unscalable as error:
            await self._fail(budget, str(error), now)
            return DONE
        awaited, overdue = budgets.still_disrupted(budget, pods, now)
        for pod in overdue:
            # The namespace twice, as upstream has it.
            what = f"Pod was expected by PDB {key.namespace}/{key.namespace} to be deleted but it wasn't"
            self._event(PODS, pod.metadata, "NotDeleted", what, type_="Warning")
        numbers = budgets.counts(budget, len(pods), scale)
        current = budgets.healthy(pods, awaited)
        patch = budgets.status_patch(budget, current, numbers, awaited, now)
        if patch is not None:
            await self._write(budget, patch)
        return Result(requeue_after=budgets.recheck_seconds(awaited, now))

    async def _scale(self, budget: PodDisruptionBudget, pods: list[Pod]) -> int:
        """What the controllers of the pods want together. Raises Unscalable."""
        scale, has_unmanaged = await self._scales.wanted(pods)
        if has_unmanaged:
            chosen = _printed(budget.spec.selector)
            what = f"Pods selected by this PodDisruptionBudget (selector: {chosen}) were found {_UNMANAGED}"
            meta = budget.metadata
            self._event(POD_DISRUPTION_BUDGETS, meta, "UnmanagedPods", what, type_="Warning")
        return scale

    # Writing.

    async def _fail(self, budget: PodDisruptionBudget, why: str, now: datetime) -> None:
        what = f"Failed to calculate the number of expected pods: {why}"
        reason = "CalculateExpectedPodCountFailed"
        self._event(POD_DISRUPTION_BUDGETS, budget.metadata, reason, what, type_="Warning")
        seen = budget.status.observed_generation
        conditions = budgets.conditions(budget, "False", "SyncFailed", why, now, seen)
        if any(c.message == why for c in budget.status.conditions):
            return
        await self._write(budget, {"disruptionsAllowed": 0, "conditions": conditions})

    async def _write(self, budget: PodDisruptionBudget, status: Object) -> None:
        """Evictions write the status, too: a change in between is a Conflict, and the budget is looked at again."""
        meta = budget.metadata
        patch = {"metadata": {"resourceVersion": meta.resource_version}, "status": status}
        try:
            await self._client.patch(
                POD_DISRUPTION_BUDGETS,
                meta.name,
                patch,
                namespace=meta.namespace,
                subresource="status",
            )
        except NotFound:
            return

    def _event(
        self,
        resource: Resource,
        meta: ObjectMeta,
        reason: str,
        message: str,
        *,
        type_: Literal["Normal", "Warning"] = "Normal",
    ) -> None:
        self._recorder.event(reference(resource, meta), type_, reason, message)


def _printed(selector: Object | None) -> str:
    """A selector as Go prints it."""
    if selector is None:
        return "nil"
    labels = "".join(f"{k}: {v}," for k, v in sorted((selector.get("matchLabels") or {}).items()))
    terms = "".join(
        f"LabelSelectorRequirement{{Key:{term['key']},Operator:{term['operator']},"
        f"Values:[{' '.join(term.get('values') or ())}],}},"
        for term in selector.get("matchExpressions") or ()
    )
    matches = f"MatchLabels:map[string]string{{{labels}}}"
    return f"&LabelSelector{{{matches},MatchExpressions:[]LabelSelectorRequirement{{{terms}}},}}"
