"""The quota tree: available amounts, lendable amounts, shares."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from argosy.queueing.quotas.amounts import quantities
from argosy.queueing.quotas.shares import is_borrowing_on, share_of, weigh
from tests.conformance.areas import runs
from tests.conformance.building import forest, nested, usage
from tests.conformance.cases import Case
from tests.conformance.comparing import asserted, differences

# The ClusterQueue that asks for more, by the format of the cases.
_ASKS = "cq"


@runs("available-quota", "TestAvailable")
def available(case: Case) -> list[str]:
    trees = forest(case)
    for queue, used in (case.input.get("usage") or {}).items():
        trees.add(queue, usage(used))
    got: dict[str, dict[str, Any]] = {"available": {}, "potentiallyAvailable": {}}
    for name, found in got.items():
        for queue, flavors in (case.expected.get(name) or {}).items():
            node = trees.cluster_queue(queue)
            assert node is not None, f"ClusterQueue {queue} is in no tree"
            look = node.available if name == "available" else node.potentially_available
            found[queue] = nested({fr: look(fr) for fr in usage(flavors)})
    return differences(case.expected, got)


@runs("dominant-resource-share", "TestDominantResourceShare")
def shares(case: Case) -> list[str]:
    trees = forest(case)
    for queue, used in (case.input.get("usage") or {}).items():
        trees.add(queue, usage(used))
    if case.input.get("additionalRequest"):
        trees.add(_ASKS, usage(case.input["additionalRequest"]))
    want, got, precise = {}, {}, {}
    for share in case.expected.get("shares") or ():
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
        precise[f"{share['kind']}/{share['name']}"] = _precise(found.weighted)
    observed = case.observed.get("preciseWeightedShares")
    return asserted(
        case.expected | {"shares": want} | ({"precise": observed} if observed else {}),
        {"shares": got, "precise": precise},
    )


@runs("available-quota", "TestCohortLendable")
def lendable(case: Case) -> list[str]:
    node = forest(case).cohort(case.input["cohort"])
    assert node is not None
    got = next(node.leaves()).lendable
    return differences(case.expected, {"lendable": quantities(got)})


@runs("dominant-resource-share", "TestPreciseWeightedShareSerialized")
def weighing(case: Case) -> list[str]:
    drs = case.input["drs"]
    got = weigh(drs.get("unweightedRatio", 0.0), drs.get("fairWeight", 0.0))
    return differences(case.expected, {"serialized": _precise(got)})


def _precise(value: float) -> str:
    """All digits, without an exponent."""
    if math.isinf(value):
        return "+Inf"
    text = f"{Decimal(repr(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@runs("dominant-resource-share", "TestIsBorrowingOn")
def borrowing(case: Case) -> list[str]:
    trees = forest(case)
    trees.add(_ASKS, usage(case.input.get("usage")))
    node = trees.cluster_queue(_ASKS)
    assert node is not None
    requested = usage(case.input.get("requestedFlavorResources"))
    got = {
        "borrowing": share_of(node).is_borrowing,
        "borrowingOnRequested": is_borrowing_on(node, requested),
    }
    return differences(case.expected, got)
