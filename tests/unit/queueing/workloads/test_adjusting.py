"""Pods as they will be: overhead, defaults of the namespace, limits for requests; and bounds they must keep."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.api.objects.kueue.workloads import PodSet
from argosy.api.objects.limits import (
    LimitRange,
    LimitRangeItem,
    LimitRangeSpec,
    Overhead,
    RuntimeClass,
)
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Object
from argosy.queueing.workloads.adjusting import adjusted
from argosy.queueing.workloads.admissibility import outside_ranges, over_limits
from argosy.queueing.workloads.limitranges import summarize
from tests.unit.queueing.workloads.builders import container, pods, workload

KATA = RuntimeClass(ObjectMeta(name="kata"), Overhead({"cpu": "250m"}))


def limits(**item: Object | str) -> LimitRange:
    return LimitRange(spec=LimitRangeSpec((LimitRangeItem(**item),)))  # type: ignore[arg-type]  # by name


@dataclass
class Adjusting:
    pods: PodSet
    want: Object
    ranges: list[LimitRange] = field(default_factory=list)


ADJUSTING = {
    "a pod that says everything is left alone": Adjusting(
        pods(container({"cpu": "1"}, {"cpu": "2"})),
        {"containers": [container({"cpu": "1"}, {"cpu": "2"})]},
    ),
    "limits stand for requests that are missing": Adjusting(
        pods(container({}, {"cpu": "2"})),
        {"containers": [container({"cpu": "2"}, {"cpu": "2"})]},
    ),
    "defaults come before that": Adjusting(
        pods(container()),
        {"containers": [container({"cpu": "1"}, {"cpu": "2"})]},
        [limits(type="Container", default={"cpu": "2"}, default_request={"cpu": "1"})],
    ),
    "the first range's default counts": Adjusting(
        pods(container()),
        {"containers": [container({"cpu": "1"}, {"cpu": "1"})]},
        [
            limits(type="Container", default={"cpu": "1"}),
            limits(type="Container", default={"cpu": "2"}),
        ],
    ),
    "the runtime adds its overhead": Adjusting(
        pods(container({"cpu": "1"}), runtimeClassName="kata"),
        {
            "containers": [container({"cpu": "1"})],
            "runtimeClassName": "kata",
            "overhead": {"cpu": "250m"},
        },
    ),
    "unless the pod names one": Adjusting(
        pods(container({"cpu": "1"}), runtimeClassName="kata", overhead={"cpu": "1"}),
        {
            "containers": [container({"cpu": "1"})],
            "runtimeClassName": "kata",
            "overhead": {"cpu": "1"},
        },
    ),
    "resources of the whole pod get defaults for pods": Adjusting(
        pods(container(), resources={"limits": {"memory": "2Gi"}}),
        {
            "containers": [container()],
            "resources": {
                "limits": {"memory": "2Gi", "cpu": "4"},
                "requests": {"memory": "2Gi", "cpu": "4"},
            },
        },
        [limits(type="Pod", default={"cpu": "4"})],
    ),
}


@pytest.mark.parametrize("case", ADJUSTING.values(), ids=ADJUSTING.keys())
def test_pods_as_they_will_be(case: Adjusting) -> None:
    given = workload(spec={"pod_sets": (case.pods,)})
    before = repr(case.pods)
    got = adjusted(given, summarize(case.ranges), {"kata": KATA})
    assert got.spec.pod_sets[0].template["spec"] == case.want
    assert repr(case.pods) == before, "templates are shared and must not change"
    assert adjusted(got, summarize(case.ranges), {"kata": KATA}) is got


@dataclass
class Bounds:
    pods: PodSet
    ranges: list[LimitRange]
    want: list[str]


PATH = "spec.podSets[0].template.spec"
BOUNDS = {
    "a container above the most": Bounds(
        pods(container({"cpu": "3"})),
        [limits(type="Container", max={"cpu": "2"})],
        [
            f'{PATH}.containers[0]: Invalid value: ["cpu"]: requests must not be above the limitRange max'
        ],
    ),
    "its limit counts too": Bounds(
        pods(container({"cpu": "1"}, {"cpu": "3"})),
        [limits(type="Container", max={"cpu": "2"})],
        [
            f'{PATH}.containers[0]: Invalid value: ["cpu"]: requests must not be above the limitRange max'
        ],
    ),
    "the tightest of several ranges counts": Bounds(
        pods(container({"cpu": "1"})),
        [limits(type="Container", min={"cpu": "500m"}), limits(type="Container", min={"cpu": "2"})],
        [
            f'{PATH}.containers[0]: Invalid value: ["cpu"]: requests must not be below the limitRange min'
        ],
    ),
    "all containers of a pod together, and its overhead": Bounds(
        pods(container({"cpu": "1"}), container({"cpu": "1"}), overhead={"cpu": "1"}),
        [limits(type="Pod", max={"cpu": "2"})],
        [f'{PATH}: Invalid value: ["cpu"]: requests must not be above the limitRange max'],
    ),
    "what is not named is not held against bounds": Bounds(
        pods(container({"cpu": "1"})), [limits(type="Container", min={"memory": "1Gi"})], []
    ),
    "no ranges bound nothing": Bounds(pods(container({"cpu": "999"})), [], []),
}


@pytest.mark.parametrize("case", BOUNDS.values(), ids=BOUNDS.keys())
def test_bounds_of_the_namespace(case: Bounds) -> None:
    got = outside_ranges((case.pods,), summarize(case.ranges))
    assert [str(error) for error in got] == case.want


def test_requests_above_limits_are_told_where_they_stand() -> None:
    over = container({"cpu": "2", "memory": "2Gi"}, {"cpu": "1", "memory": "1Gi"})
    pod_sets = (
        pods(container({"cpu": "1"}), initContainers=[over]),
        pods(container(), resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}),
    )
    assert [str(error) for error in over_limits(pod_sets)] == [
        (
            'spec.podSets[0].template.spec.initContainers[0]: Invalid value: ["cpu","memory"]: '
            "requests must not exceed its limits"
        ),
        (
            'spec.podSets[1].template.spec.resources: Invalid value: ["cpu"]: '
            "requests must not exceed its limits"
        ),
    ]
