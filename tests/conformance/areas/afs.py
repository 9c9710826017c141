"""Admission fair sharing: weights, usage, penalties."""

from __future__ import annotations

import math

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import AdmissionScope
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.timestamps import parse_time
from argosy.queueing.queues.consuming import (
    AdmissionFairSharing,
    is_penalized,
    local_queue_weight,
    nanos_of,
)
from argosy.queueing.queues.ledgers import Ledger
from tests.conformance.areas import runs
from tests.conformance.building import admission_fair_sharing, view
from tests.conformance.cases import Case
from tests.conformance.comparing import differences

# Upstream's test keeps the books of one LocalQueue, whose name does not matter.
_LOCAL_QUEUE = "ns/lq"


@runs(
    "admission-fair-sharing",
    "TestCalculateUsageWithDRA",
    "TestCalculateUsageWithNonPositiveWeight",
)
def usage(case: Case) -> list[str]:
    config = AdmissionFairSharing(resource_weights=case.input.get("resWeights") or {})
    found = config.usage(
        nanos_of(case.input.get("consumed") or {}),
        nanos_of(case.input.get("penalty") or {}),
        float(case.input.get("lqWeight") or 0),
    )
    return differences(case.expected, {"usage": "+Inf" if math.isinf(found) else found})


@runs("admission-fair-sharing", "TestPenaltyBookkeepingIsIdempotentAndExact")
def bookkeeping(case: Case) -> list[str]:
    ledger, now = Ledger(AdmissionFairSharing()), parse_time(case.now).timestamp()
    for step in case.input.get("operations") or ():
        match step["op"]:
            case "push":
                penalty = nanos_of(step.get("penalty") or {})
                ledger.enter(_LOCAL_QUEUE, step["workload"], penalty, now)
            case "subtract":
                ledger.refund(step["workload"])
            case op:
                return [f"nothing here does {op} with penalties"]
    account = ledger.account(_LOCAL_QUEUE)
    pending = account.pending if account else {}
    got = {
        "hasPendingPenalty": bool(account and account.penalties),
        "pendingPenaltyMilli": {name: nanos // 10**6 for name, nanos in pending.items()},
    }
    return differences(case.expected, got)


@runs("admission-fair-sharing", "TestResolveLQWeight")
def weight(case: Case) -> list[str]:
    given = case.input.get("localQueue")
    found = local_queue_weight(view(LocalQueue, given) if given else None)
    return differences(case.expected, {"weight": found})


@runs("scheduling-afs", "TestShouldApplyEntryPenalty")
def penalized(case: Case) -> list[str]:
    scope = AdmissionScope(case.input.get("admissionMode") or "")
    config = admission_fair_sharing(case, case.input.get("admissionFairSharing"))
    got = is_penalized(view(Workload, case.input["workload"]), scope, config)
    return differences(case.expected, {"applies": got})
