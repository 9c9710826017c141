"""The quota tree: available amounts, lendable amounts, shares."""

from __future__ import annotations

import math
from typing import Any

from argosy.queueing.quotas.amounts import amounts
from argosy.queueing.quotas.shares import is_borrowing_on, share_of, weigh
from tests.conformance.areas import runs
from tests.conformance.building import forest, nested, usage
from tests.conformance.cases import Case
from tests.conformance.comparing import differences


@runs("available-quota", "TestAvailable")
def available(case: Case) -> list[str]:
    trees = forest(case)
    for queue, used in (case.input.get("usage") or {}).items():
        trees.add(queue, usage(used))
    got: dict[str, dict[str, Any]] = {"available": {}, "potentiallyAvailable": {}}
    for queue, flavors in case.expected["available"].items():
        node = trees.cluster_queue(queue)
        assert node is not None
        wanted = usage(flavors)
        got["available"][queue] = nested({fr: node.available(fr) for fr in wanted})
        potential = {fr: node.potentially_available(fr) for fr in wanted}
        got["potentiallyAvailable"][queue] = nested(potential)
    return differences(case.expected, got)


@runs("dominant-resource-share", "TestDominantResourceShare")
def shares(case: Case) -> list[str]:
    trees = forest(case)
    for queue, used in (case.input.get("usage") or {}).items():
        trees.add(queue, usage(used))
    if case.input.get("additionalRequest"):
        trees.add("cq", usage(case.input["additionalRequest"]))
    want, got = {}, {}
    for share in case.expected["shares"]:
        key = f"{share['kind']} {share['name']}"
        is_queue = share["kind"] == "ClusterQueue"
        node = trees.cluster_queue(share["name"]) if is_queue else trees.cohort(share["name"])
        assert node is not None
        found = share_of(node)
        want[key] = {name: value for name, value in share.items() if name not in ("kind", "name")}
        got[key] = {
            "borrowing": found.is_borrowing,
            "dominantResource": found.dominant,
            "weightedShare": found.rounded(),
        }
    return differences(want, got)


@runs("available-quota", "TestCohortLendable")
def lendable(case: Case) -> list[str]:
    node = forest(case).cohort(case.input["cohort"])
    assert node is not None
    got = next(node.leaves()).lendable
    return differences(amounts(case.expected["lendable"]), got)


@runs("dominant-resource-share", "TestPreciseWeightedShareSerialized")
def weighing(case: Case) -> list[str]:
    drs = case.input["drs"]
    got = weigh(drs.get("unweightedRatio", 0.0), drs.get("fairWeight", 0.0))
    text = "+Inf" if math.isinf(got) else f"{got:g}"
    return differences(case.expected, {"serialized": text})


@runs("dominant-resource-share", "TestIsBorrowingOn")
def borrowing(case: Case) -> list[str]:
    trees = forest(case)
    name = case.objects["clusterQueues"][0]["metadata"]["name"]
    trees.add(name, usage(case.input["usage"]))
    node = trees.cluster_queue(name)
    assert node is not None
    requested = usage(case.input.get("requestedFlavorResources"))
    got = {
        "borrowing": share_of(node).is_borrowing,
        "borrowingOnRequested": is_borrowing_on(node, requested),
    }
    return differences(case.expected, got)
