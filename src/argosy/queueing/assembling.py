"""Queueing of one cluster, put together: the engine by its configuration, and the controllers around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from argosy.control.assemblies import Assembly
from argosy.queueing.cache.caches import Cache
from argosy.queueing.configuration import Configuration, gates
from argosy.queueing.controllers.consuming import Consumptions
from argosy.queueing.controllers.feeding import Feed
from argosy.queueing.controllers.measuring import measure
from argosy.queueing.controllers.neighborhoods import Neighborhood
from argosy.queueing.controllers.priorityclasses import PriorityClasses
from argosy.queueing.controllers.queues import InUse, QueueStatuses
from argosy.queueing.controllers.scheduling import Scheduling
from argosy.queueing.controllers.workloads import Workloads
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.cycles.entries import Entry
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.cycles.ordering import (
    Classical,
    Fair,
    Order,
    by_age,
    by_priority,
    by_share_alone,
)
from argosy.queueing.cycles.scheduling import Scheduler
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.jobs import add_jobs
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.strategies import strategies_of
from argosy.queueing.queues.consuming import AdmissionFairSharing
from argosy.queueing.queues.queues import Queues
from argosy.queueing.quotas.shares import is_borrowing_on
from argosy.queueing.workloads.decisions import LifeRules, PodsReadyRules
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.transforming import Transformation


def add_queueing(assembly: Assembly, configuration: Configuration) -> Engine:
    """Have the jobs of a cluster queued, admitted, preempted. What is known of them is in the engine."""
    around = Neighborhood(assembly)
    engine = build_engine(configuration, around)
    metrics = measure(assembly, engine, configuration)
    scheduling = Scheduling(assembly, engine, metrics)
    around.tell(Feed(assembly, engine, scheduling.wake).namespace_changed)
    Workloads(assembly, Facts(engine), life_rules(configuration), around=around, metrics=metrics)
    PriorityClasses(assembly)
    sharing = admission_fair_sharing(configuration)
    consumptions = None if sharing is None else Consumptions(assembly, engine, sharing)
    is_fair = configuration.fair_sharing is not None
    QueueStatuses(assembly, engine, is_fair=is_fair, consumptions=consumptions)
    InUse(assembly)
    add_jobs(assembly, configuration)
    return engine


def build_engine(configuration: Configuration, around: Neighborhood) -> Engine:
    """The heart, as the configuration wants it."""
    fair = configuration.fair_sharing
    sharing = admission_fair_sharing(configuration)
    cache = Cache()
    queues = Queues(cache.forest, around.labels, sharing)
    resources = configuration.resources
    assigner = Assigner(
        is_fair_sharing=fair is not None, quota_check_strategy=resources.quota_check_strategy
    )
    preemptor = Preemptor(
        None if fair is None else FairSharing(strategies_of(list(fair.preemption_strategies))),
        None if sharing is None else queues.ledger.usage,
    )
    nominator = Nominator(
        assigner,
        preemptor,
        Surroundings(around.namespace, around.limits),
        allows_fewer=_is_on(configuration, gates.PARTIAL_ADMISSION),
    )
    waiting = configuration.wait_for_pods_ready
    scheduler = Scheduler(
        nominator,
        order(configuration),
        one_at_a_time=waiting is not None and waiting.block_admission,
        looks_again=_is_on(configuration, gates.RECOMPUTING),
    )
    return Engine(cache, queues, scheduler, infos(configuration), around.adjust)


def order(configuration: Configuration) -> Callable[[Iterable[Entry]], Order]:
    seniority = by_priority if _is_on(configuration, gates.PRIORITY_SORTING) else by_age
    if configuration.fair_sharing is None:
        return partial(Classical, seniority=seniority)
    is_on = _is_on(configuration, gates.NON_BORROWING_FIRST)
    borrowing = is_borrowing_on if is_on else by_share_alone
    return partial(Fair, seniority=seniority, borrowing=borrowing)


def infos(configuration: Configuration) -> Infos:
    resources, waiting = configuration.resources, configuration.wait_for_pods_ready
    kept = {
        rule.input: Transformation(dict(rule.outputs), rule.strategy, rule.multiply_by)
        for rule in resources.transformations
    }
    return Infos(
        resources.exclude_resource_prefixes,
        kept,
        waiting.requeuing_strategy.timestamp if waiting is not None else "Eviction",
        boosts=_is_on(configuration, gates.PRIORITY_BOOST),
        reclaims=_is_on(configuration, gates.RECLAIMABLE_PODS),
        by_priority=_is_on(configuration, gates.PRIORITY_SORTING),
        compares=_is_on(configuration, gates.EQUIVALENCE_HASHING),
    )


def _is_on(configuration: Configuration, gate: str) -> bool:
    return configuration.feature_gates.get(gate, gates.GATES[gate])


def admission_fair_sharing(configuration: Configuration) -> AdmissionFairSharing | None:
    given = configuration.admission_fair_sharing
    if given is None:
        return None
    return AdmissionFairSharing(
        given.usage_half_life_time, given.usage_sampling_interval, given.resource_weights
    )


def life_rules(configuration: Configuration) -> LifeRules:
    waiting = configuration.wait_for_pods_ready
    pods_ready = None
    if waiting is not None:
        requeuing = waiting.requeuing_strategy
        pods_ready = PodsReadyRules(
            waiting.timeout,
            waiting.recovery_timeout,
            requeuing.backoff_limit_count,
            requeuing.backoff_base_seconds,
            requeuing.backoff_max_seconds,
        )
    retention = configuration.object_retention_policies.workloads
    return LifeRules(pods_ready, retention.after_finished)


@dataclass(slots=True, frozen=True)
class Facts:
    """What the Workload controller asks of the engine."""

    engine: Engine

    def is_active(self, cluster_queue: str) -> bool:
        return self.engine.cache.readiness(cluster_queue).is_active

    def parked_reason(self, workload: str) -> str:
        return self.engine.queues.bypass_reason(workload)
