"""Queueing of one cluster, put together: the engine by its configuration, and the controllers around it."""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.queueing.cache.caches import Cache
from argosy.queueing.configuration import Configuration
from argosy.queueing.controllers.feeding import Feed
from argosy.queueing.controllers.neighborhoods import Neighborhood
from argosy.queueing.controllers.queues import InUse, QueueStatuses
from argosy.queueing.controllers.scheduling import Scheduling
from argosy.queueing.controllers.workloads import Workloads
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.cycles.ordering import Classical, Fair
from argosy.queueing.cycles.scheduling import Scheduler
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.strategies import strategies_of
from argosy.queueing.queues.consuming import AdmissionFairSharing
from argosy.queueing.queues.queues import Queues
from argosy.queueing.workloads.decisions import LifeRules, PodsReadyRules
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.transforming import Transformation


def add_queueing(assembly: Assembly, configuration: Configuration) -> Engine:
    """Have the workloads of a cluster queued, admitted and preempted."""
    wakers = []

    def wake() -> None:
        for one in wakers:
            one()

    def namespace_changed(name: str) -> None:
        feed.namespace_changed(name)

    around = Neighborhood(assembly, namespace_changed)
    engine = build_engine(configuration, around)
    feed = Feed(assembly, engine, wake)
    scheduling = Scheduling(assembly, engine)
    wakers.append(scheduling.wake)
    Workloads(assembly, Facts(engine), life_rules(configuration))
    QueueStatuses(assembly, engine, is_fair=configuration.fair_sharing is not None)
    InUse(assembly)
    return engine
