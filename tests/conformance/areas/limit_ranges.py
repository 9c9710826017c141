"""LimitRanges: summed up, and held against pods."""

from __future__ import annotations

from typing import Any

from argosy.api.objects.limits import LimitRange, LimitRangeItem
from argosy.queueing.workloads.limitranges import Bounds, summarize, violations
from tests.conformance.areas import runs
from tests.conformance.building import view, views
from tests.conformance.cases import Case
from tests.conformance.comparing import differences

# Where upstream's test puts the pod it validates.
_PATH = "spec.podSets[0].template.spec"


@runs("limit-range", "TestSummarize")
def sums(case: Case) -> list[str]:
    summary = summarize(views(LimitRange, case.input.get("ranges")))
    got = {type_: _shown(bounds) for type_, bounds in summary.items()}
    return differences(case.expected, {"result": got})


@runs("limit-range", "TestValidatePodSpec")
def pod_specs(case: Case) -> list[str]:
    summary = {
        type_: Bounds().tightened(view(LimitRangeItem, item))
        for type_, item in (case.input.get("summary") or {}).items()
    }
    errors = violations(summary, case.input.get("podSpec") or {}, _PATH)
    return differences(case.expected, {"result": [str(error) for error in errors]})


def _shown(bounds: Bounds) -> dict[str, Any]:
    return {
        "max": {name: str(value) for name, value in bounds.max.items()},
        "min": {name: str(value) for name, value in bounds.min.items()},
        "default": bounds.default,
        "defaultRequest": bounds.default_request,
        "maxLimitRequestRatio": {
            name: str(value) for name, value in bounds.max_limit_request_ratio.items()
        },
    }
