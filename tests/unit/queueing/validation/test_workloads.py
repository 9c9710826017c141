"""What Workloads are refused for, word for word: beyond upstream's own cases, and their messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from argosy.base.types import Json, Object
from argosy.queueing.validation import Gates, validate_workload, validate_workload_update
from argosy.queueing.validation.equality import is_same

RESERVED = {
    "type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}  # fmt: skip


def pod_set(name: str = "main", count: int = 1, requests: Json = None, **more: Any) -> Object:
    container = {"name": "c", "resources": {"requests": requests or {}}}
    return {"name": name, "count": count, "template": {"spec": {"containers": [container]}}, **more}


def workload(*pod_sets: Object, status: Object | None = None, **annotations: str) -> Object:
    names = {f"kueue.x-k8s.io/{name.replace('_', '-')}": text for name, text in annotations.items()}
    return {
        "metadata": {"name": "w", "annotations": names},
        "spec": {"podSets": list(pod_sets) or [pod_set()]},
        "status": status or {},
    }


def reserved(*pod_sets: Object, assignments: list[Object] | None = None, **status: Any) -> Object:
    sets = pod_sets or (pod_set(),)
    given = assignments if assignments is not None else [{"name": each["name"]} for each in sets]
    admission = {"clusterQueue": "cq", "podSetAssignments": given}
    return workload(*sets, status={"conditions": [RESERVED], "admission": admission, **status})


@dataclass(slots=True, frozen=True)
class New:
    workload: Object
    want: tuple[str, ...] = ()
    gates: Gates = Gates()  # noqa: RUF009 (immutable)


NEW = {
    "two pod sets may not both have a least count": New(
        workload(pod_set("a", 3, minCount=1), pod_set("b", 3, minCount=1)),
        ("spec.podSets: Invalid value: 2: at most one podSet can use minCount",),
    ),
    "an elastic job has no least count": New(
        workload(pod_set(minCount=1), elastic_job="true"),
        ("spec.podSets: Invalid value: 1: partial admission cannot be used with elastic jobs",),
    ),
    "pods are counted by Kueue itself": New(
        workload(pod_set(requests={"pods": "1"})),
        (
            ("spec.podSets[0].template.spec.containers[0].resources.requests[pods]: Invalid value: "
            '"pods": the key is reserved for internal kueue use'),
        ),
    ),
    "requests are not negative": New(
        workload(pod_set(requests={"memory": "-1Gi"})),
        (
            ("spec.podSets[0].template.spec.containers[0].resources.requests[memory]: Invalid value: "
            '"-1Gi": must be greater than or equal to 0'),
        ),
    ),
    "unless the gate is off": New(
        workload(pod_set(requests={"cpu": "-1"})),
        gates=Gates(workload_validate_resources_are_non_negative=False),
    ),
    "usage is shared evenly by the pods": New(
        reserved(
            pod_set(count=3),
            assignments=[{"name": "main", "count": 3, "resourceUsage": {"cpu": "1", "gpu": 3}}],
        ),
        (
            ('status.admission.podSetAssignments[0].resourceUsage[cpu]: Invalid value: "1": '
            "is not a multiple of 3"),
        ),
    ),
    "an assignment is for a pod set there is": New(
        reserved(assignments=[{"name": "other"}]),
        ('status.admission.podSetAssignments[0].name: Not found: "other"',),
    ),
    "reclaimable pods are of a pod set there is, and no more than it has": New(
        workload(
            pod_set("a", 2),
            status={"reclaimablePods": [{"name": "a", "count": 3}, {"name": "b", "count": 1}]},
        ),
        (
            "status.reclaimablePods[a].count: Invalid value: 3: should be less or equal to 2",
            'status.reclaimablePods[b].name: Unsupported value: "b": supported values: "a"',
        ),
    ),
    "a check speaks of pod sets there are": New(
        workload(status={"admissionChecks": [{"name": "c", "podSetUpdates": [{"name": "x"}]}]}),
        (
            'status.admissionChecks[0].podSetUpdates[0].name: Unsupported value: "x": supported values: "main"',
        ),
    ),
    "a boost is a number": New(
        workload(priority_boost="2147483648"),
        (
            ('metadata.annotations[kueue.x-k8s.io/priority-boost]: Invalid value: "2147483648": '
            "must be a valid signed integer"),
        ),
        Gates(priority_boost=True),
    ),
    "an empty boost is no zero": New(
        workload(priority_boost=""),
        (
            ('metadata.annotations[kueue.x-k8s.io/priority-boost]: Invalid value: "": must be a valid signed '
            'integer; use "0" explicitly, empty string is not allowed'),
        ),
        Gates(priority_boost=True),
    ),
    "a gate is there once and has a name": New(
        workload(admission_gated_by="a.b/c, a.b/c,"),
        (
            ('metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Invalid value: "a.b/c, a.b/c,": '
            "duplicate gate name: a.b/c"),
            ('metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Invalid value: "a.b/c, a.b/c,": '
            "cannot contain empty gate names"),
        ),
    ),
    "a gate's name is short": New(
        workload(admission_gated_by=f"a.b/{'c' * 60}"),
        (
            "metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Too long: may not be more than 63 bytes",
        ),
    ),
    "a condition has a reason and a time": New(
        workload(status={"conditions": [{"type": "@", "status": "Yes"}]}),
        (
            ('status.conditions[0].type: Invalid value: "@": name part must consist of alphanumeric characters, '
            "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
            "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"),
            'status.conditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
            "status.conditions[0].lastTransitionTime: Required value: must be set",
            "status.conditions[0].reason: Required value: must be set",
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NEW.values(), ids=NEW.keys())
def test_a_new_workload(case: New) -> None:
    assert tuple(map(str, validate_workload(case.workload, case.gates))) == case.want


@dataclass(slots=True, frozen=True)
class Change:
    old: Object
    new: Object
    want: tuple[str, ...] = ()
    gates: Gates = Gates()  # noqa: RUF009 (immutable)


PLACED = [{"name": "main", "topologyAssignment": {"levels": ["l"], "slices": []}}]
CHANGES = {
    "pod sets stay while quota is reserved": Change(
        reserved(pod_set(count=1)),
        reserved(pod_set(count=2)),
        (
            ('spec.podSets.0: Invalid value: {"count":2,"name":"main","template":{"spec":{"containers":'
            '[{"name":"c","resources":{"requests":{}}}]}}}: field is immutable'),
        ),
    ),
    "an amount may be written another way": Change(
        reserved(pod_set(requests={"cpu": "1"})), reserved(pod_set(requests={"cpu": "1000m"}))
    ),
    "before there is a reservation they may change": Change(
        workload(pod_set(count=1)), workload(pod_set(count=2))
    ),
    "places may be found later": Change(reserved(), reserved(assignments=PLACED)),
    "an admission may go": Change(reserved(), workload()),
    "an admission does not move": Change(
        reserved(),
        reserved() | {"status": {**reserved()["status"], "admission": {"clusterQueue": "other"}}},
        (
            'status.admission: Invalid value: {"clusterQueue":"other"}: field is immutable',
        ),
    ),
    "reclaimable pods become no fewer": Change(
        reserved(pod_set(count=3), reclaimablePods=[{"name": "main", "count": 2}]),
        reserved(pod_set(count=3), reclaimablePods=[{"name": "main", "count": 1}]),
        ("status.reclaimablePods[main].count: Invalid value: 1: cannot be less then 2",),
    ),
    "reclaimable pods are not forgotten": Change(
        reserved(pod_set(count=3), reclaimablePods=[{"name": "main", "count": 2}]),
        reserved(pod_set(count=3)),
        ("status.reclaimablePods[main]: Required value: cannot be removed",),
    ),
    "a workload goes to a cluster it was nominated for": Change(
        workload(status={"nominatedClusterNames": ["a"]}),
        workload(status={"clusterName": "b"}),
        (
            ('status.clusterName: Invalid value: "b": when setting clusterName it must be one of the '
            "nominatedClusterNames"),
        ),
    ),
    "unless it is offered to all at once": Change(
        workload(),
        workload(status={"clusterName": "b"}),
        gates=Gates(nominated_clusters_only=False),
    ),
    "gates are given at the beginning": Change(
        workload(),
        workload(admission_gated_by="a.b/c"),
        (
            ("metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Forbidden: cannot add admission gate after "
            "creation"),
        ),
    ),
    "gates may only go": Change(
        workload(admission_gated_by="a.b/c"),
        workload(admission_gated_by="a.b/d"),
        (
            ("metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Forbidden: can only remove gates, not add "
            "new ones"),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_of_a_workload(case: Change) -> None:
    assert tuple(map(str, validate_workload_update(case.new, case.old, case.gates))) == case.want


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"requests": {"cpu": "1"}}, {"requests": {"cpu": 1}}, True),
        ({"requests": {"cpu": "1"}}, {"requests": {"cpu": "2"}}, False),
        ({"requests": {"cpu": "one"}}, {"requests": {"cpu": "one"}}, True),
        ({"a": []}, {}, True),
        ({"a": None}, {"a": ""}, True),
        ({"a": 0}, {}, False),
        ({"a": False}, {}, False),
        ([{"a": 1}], [{"a": 1, "b": {}}], True),
        ({"a": "1"}, {"a": "1000m"}, False),
    ],
)
def test_what_counts_as_the_same(one: Json, other: Json, same: bool) -> None:
    assert is_same(one, other) is same
