"""The ledger of promises: which capacity of which cluster belongs to placements that are on their way.

A promise begins with the decision for a cluster, before anything is written, so the next decision counts with it. It
ends when the binding goes, when its job has finished, or when the cluster's own report contains it: the report is
younger than the moment from which the cluster counts the pods. For a job that is when all of its pods run, however long
it waits in a queue before; what waits in a cluster's queues is promised, and so are the pods that a large job on a busy
cluster gets one by one after its start. For anything else it is when it became available. The report that was there
when the news of a job came does not contain it.

Sums per cluster are kept by deltas: an event costs what it changes. After a restart the ledger is what the objects say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from argosy.api.needs import needs
from argosy.api.objects.fleet.bindings import AVAILABLE, UNSCHEDULED, Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.outcomes import is_partial, latest
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.works import FINISHED, SentWork
from argosy.api.objects.metadata import Quantities, find_condition
from argosy.api.podresources import Amounts, add
from argosy.base.quantities import Quantity
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.placement.scopes import SCOPES
from argosy.placement.views import Views, binding_of, parent_of


class Landing(NamedTuple):
    """How far a promise is: `since` the cluster counts the pods, which are a job's if it `is_running`, and `is_over`
    when it will never again.
    """

    since: datetime | None = None
    is_over: bool = False
    is_running: bool = False


_ON_ITS_WAY: Final = Landing()


@dataclass(slots=True)
class _Promise:
    amounts: Amounts
    landing: Landing = _ON_ITS_WAY
    since: datetime | None = None


class Ledger:
    """Promises of a hub. Implements what the scheduler asks for."""

    def __init__(self, views: Views) -> None:
        self._views = views
        # By cluster and placement.
        self._promises: dict[str, dict[Key, _Promise]] = {}
        self._totals: dict[str, Amounts] = {}
        self._printed: dict[str, Quantities] = {}
        # By the uid of a resource snapshot.
        self._needs: dict[str, Amounts] = {}
        for scope in SCOPES:
            views.all_bindings(scope).add_handler(self._binding_changed)
            views.resources(scope).add_handler(self._resources_changed)
        views.works.add_handler(self._work_changed)
        views.members.add_handler(self._member_changed)

    # What the scheduler asks and tells.

    def reserved(self, placement: Key) -> Mapping[str, Quantities]:
        """By cluster, what is promised to others than this placement."""
        own = [name for name, promises in self._promises.items() if placement in promises]
        if not own:
            return self._printed
        rest = dict(self._printed)
        for cluster in own:
            amounts = dict(self._totals[cluster])
            _subtract(amounts, self._promises[cluster][placement].amounts)
            rest[cluster] = _printed(amounts)
        return rest

    def needs(self, placement: Key) -> Quantities:
        """What the placement's objects ask of each cluster they go to."""
        return _printed(self._needed(placement))

    def promise(self, placement: Key, clusters: Sequence[str]) -> None:
        """The placement was just given these clusters."""
        amounts = self._needed(placement)
        if amounts:
            for cluster in clusters:
                self._put(cluster, placement, _Promise(amounts))

    # What happened.

    def _binding_changed(self, old: Binding | None, new: Binding | None) -> None:
        binding = new or old
        if binding is None:
            return
        placement, cluster = parent_of(binding), binding.spec.target_cluster
        if new is None or new.spec.state == UNSCHEDULED or new.metadata.deletion_timestamp:
            self._drop(cluster, placement)
        elif old is None:
            self._renew(new)
        elif old.status.conditions != new.status.conditions:
            self._look(new, is_news=True)

    def _work_changed(self, old: SentWork | None, new: SentWork | None) -> None:
        binding = self._views.binding(binding_of(new)) if new is not None else None
        if binding is not None:
            self._look(binding, is_news=old is not None)

    def _renew(self, binding: Binding) -> None:
        """Promise what a binding brings along, unless that is done or over: so a ledger is filled after a restart."""
        placement, cluster = parent_of(binding), binding.spec.target_cluster
        if placement not in self._promises.get(cluster, ()):
            self.promise(placement, (cluster,))
        self._look(binding, is_news=False)

    def _look(self, binding: Binding, *, is_news: bool) -> None:
        """`is_news`: what it says has just been heard, and is not what a restart finds."""
        placement, cluster = parent_of(binding), binding.spec.target_cluster
        promise = self._promises.get(cluster, {}).get(placement)
        if promise is None:
            return
        landing = landed(binding, self._views.works_of(Key(*binding.metadata.key)))
        member = self._views.members.get("", cluster)
        if promise.landing != landing:
            promise.landing, promise.since = landing, landing.since
            if landing.is_running and is_news:
                promise.since = latest((landing.since, _observed(member)))
        if landing.is_over or _is_counted(promise, member):
            self._drop(cluster, placement)

    def _member_changed(self, old: MemberCluster | None, new: MemberCluster | None) -> None:
        member = new or old
        if member is None:
            return
        promises = self._promises.get(member.metadata.name, {})
        gone = [key for key, each in promises.items() if new is None or _is_counted(each, new)]
        for placement in gone:
            self._drop(member.metadata.name, placement)

    def _resources_changed(
        self, old: ResourceSnapshot | None, new: ResourceSnapshot | None
    ) -> None:
        if new is None:
            if old is not None:
                self._needs.pop(old.metadata.uid, None)
        elif old is None:
            for binding in self._views.bindings(parent_of(new)):
                if binding.spec.state != UNSCHEDULED and not binding.metadata.deletion_timestamp:
                    self._renew(binding)

    # The sums.

    def _needed(self, placement: Key) -> Amounts:
        """What the placement's objects ask of every cluster, by its latest resources."""
        total: Amounts = {}
        latest = self._views.latest_resources(placement)
        if latest is not None:
            uid = latest.metadata.uid
            if uid not in self._needs:
                self._needs[uid] = _sum(latest)
            add(total, self._needs[uid])
        return total

    def _put(self, cluster: str, placement: Key, promise: _Promise) -> None:
        self._drop(cluster, placement)
        self._promises.setdefault(cluster, {})[placement] = promise
        total = self._totals.setdefault(cluster, {})
        add(total, promise.amounts)
        self._printed[cluster] = _printed(total)

    def _drop(self, cluster: str, placement: Key) -> None:
        promises = self._promises.get(cluster, {})
        promise = promises.pop(placement, None)
        if promise is None:
            return
        if promises:
            _subtract(self._totals[cluster], promise.amounts)
            self._printed[cluster] = _printed(self._totals[cluster])
        else:
            del self._promises[cluster], self._totals[cluster], self._printed[cluster]


def landed(binding: Binding, works: Sequence[SentWork]) -> Landing:
    """From when on a cluster counts what a binding brought there. Pure."""
    outcomes = [
        outcome
        for work in works
        for manifest in work.status.manifest_conditions
        if (outcome := find_condition(manifest.conditions, FINISHED)) is not None
    ]
    if outcomes:
        if all(outcome.status == "True" for outcome in outcomes):
            return Landing(is_over=True)
        if any(is_partial(each) for each in outcomes if each.status != "True"):
            return Landing()
        since = latest(each.last_transition_time for each in outcomes)
        return Landing(since, is_running=True)
    has_job = any(
        manifest.identifier.kind.endswith("Job")
        for work in works
        for manifest in work.status.manifest_conditions
    )
    available = find_condition(binding.status.conditions, AVAILABLE)
    if has_job or available is None or available.status != "True":
        return Landing()
    return Landing(available.last_transition_time)


def _observed(member: MemberCluster | None) -> datetime | None:
    """When the cluster's last report was made."""
    return member.status.resource_usage.observation_time if member is not None else None


def _is_counted(promise: _Promise, member: MemberCluster | None) -> bool:
    """Whether the cluster's report is younger than its pods."""
    observed = _observed(member)
    return promise.since is not None and observed is not None and observed > promise.since


def _sum(snapshot: ResourceSnapshot) -> Amounts:
    total: Amounts = {}
    for raw in snapshot.spec.selected_resources:
        manifest: Object = msgspec.json.decode(raw)
        add(total, needs(manifest))
    return total


def _subtract(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = Quantity(total[name].nanos - amount.nanos, total[name].format)


def _printed(amounts: Amounts) -> Quantities:
    return {name: str(amount) for name, amount in amounts.items() if amount.nanos}
