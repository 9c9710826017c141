"""Admission fair sharing: weights, usage, penalties."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import AdmissionScope
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.durations import parse_duration
from argosy.queueing.queues.consuming import (
    AdmissionFairSharing,
    is_penalized,
    local_queue_weight,
    nanos_of,
)
from argosy.queueing.queues.ledgers import Ledger
from tests.conformance.areas import runs
from tests.conformance.building import view
from tests.conformance.cases import Case
from tests.conformance.comparing import differences


def fair_sharing(config: Mapping[str, Any] | None) -> AdmissionFairSharing | None:
    """The configuration of a case."""
    if config is None:
        return None
    return AdmissionFairSharing(
        parse_duration(config.get("usageHalfLifeTime") or "0s"),
        parse_duration(config.get("usageSamplingInterval") or "0s"),
        config.get("resourceWeights") or {},
    )


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
    ledger, now = Ledger(AdmissionFairSharing()), datetime.fromisoformat(case.now).timestamp()
    for step in case.input["operations"]:
        if step["op"] == "push":
            ledger.enter("ns/lq", step["workload"], nanos_of(step["penalty"]), now)
        else:
            ledger.refund(step["workload"])
    account = ledger.account("ns/lq")
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
    config = fair_sharing(case.input.get("admissionFairSharing"))
    if case.gates.get("AdmissionFairSharing") is False:
        config = None
    got = is_penalized(view(Workload, case.input["workload"]), scope, config)
    return differences(case.expected, {"applies": got})
