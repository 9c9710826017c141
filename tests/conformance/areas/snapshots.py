"""What a scheduling cycle looks at: ClusterQueues and cohorts with their quotas, and what is left when workloads go."""

from __future__ import annotations

from typing import Any

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cache.caches import Cache
from argosy.queueing.quotas.nodes import Node
from tests.conformance import showing
from tests.conformance.areas import runs
from tests.conformance.areas.caches import cache as filled
from tests.conformance.building import infos, key_of, nested, view
from tests.conformance.cases import Case
from tests.conformance.comparing import asserted, differences


@runs("snapshot", "TestSnapshot")
def pictures(case: Case) -> list[str]:
    return _differences(case, filled(case))


@runs(
    "snapshot",
    "TestSnapshotAddRemoveWorkload",
    "TestSnapshotAddRemoveWorkloadWithLendingLimit",
)
def trials(case: Case) -> list[str]:
    """Workloads are taken out of the live trees and put back, as a cycle does to see what would be left."""
    cache = filled(case)
    snapshot = cache.snapshot()
    workloads = {key_of(one): view(Workload, one) for one in case.objects.get("workloads") or ()}
    maker = infos(case)
    for key in case.input.get("removeWorkloads") or ():
        snapshot.remove(maker.make(workloads[key]))
    for key in case.input.get("addWorkloads") or ():
        snapshot.add(maker.make(workloads[key]))
    return _differences(case, cache)


def _differences(case: Case, cache: Cache) -> list[str]:
    """All that is asserted, and what was observed beside it."""
    available = _available(cache)
    found = asserted(case.expected | {"snapshot": None}, {"available": available})
    if "available" in case.observed:
        observed = case.observed["available"] or {}
        want = {queue: showing.amounts(amounts) for queue, amounts in observed.items()}
        found += differences(want, available, "available")
    for given in (case.expected.get("snapshot"), case.observed.get("snapshot")):
        found += _picture(given or {}, cache)
    return found


def _available(cache: Cache) -> dict[str, Any]:
    queues = cache.snapshot().queues
    return {name: showing.amounts(_room(queue.node)) for name, queue in queues.items()}


def _room(node: Node) -> dict[str, dict[str, str]]:
    return nested({where: node.available(where) for where in node.quotas})


def _picture(want: dict[str, Any], cache: Cache) -> list[str]:
    snapshot = cache.snapshot()
    cohorts = {name: showing.cohort(cache, name) for name in cache.forest.cohorts()}
    got = {
        "clusterQueues": sorted(snapshot.queues),
        "cohorts": sorted(name for name, cohort in cohorts.items() if cohort),
        "inactiveClusterQueues": sorted(snapshot.inactive),
        "resourceFlavors": sorted(snapshot.flavors),
    }
    found = asserted({key: sorted(value or ()) for key, value in want.items()}, got)
    for name, queue in (want.get("clusterQueues") or {}).items():
        if name in snapshot.queues:
            shown = showing.cluster_queue(cache, name)
            problems = asserted(showing.comparable(queue), shown, but=showing.NOT_SHOWN)
            found += [f"{name}.{one}" for one in problems]
    for name, cohort in (want.get("cohorts") or {}).items():
        if cohorts.get(name):
            problems = asserted(showing.comparable(cohort), cohorts[name])
            found += [f"{name}.{one}" for one in problems]
    return found
