"""What ClusterQueues, Cohorts and ResourceFlavors are refused for, word for word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from argosy.base.fielderrors import FieldError
from argosy.base.types import Json, Object
from argosy.queueing.validation import (
    Gates,
    validate_cluster_queue,
    validate_cluster_queue_update,
    validate_cohort,
    validate_resource_flavor,
)


@dataclass(slots=True, frozen=True)
class Case:
    spec: Object
    want: tuple[str, ...] = ()


def group(resources: tuple[str, ...] = ("cpu",), *flavors: Object) -> Object:
    return {"coveredResources": list(resources), "flavors": list(flavors)}


def flavor(name: str, *quotas: Object) -> Object:
    return {"name": name, "resources": list(quotas)}


def quota(name: str = "cpu", nominal: Json = "1", **limits: Json) -> Object:
    return {"name": name, "nominalQuota": nominal, **limits}


def single(**limits: Json) -> list[Object]:
    return [group(("cpu",), flavor("f", quota(**limits)))]


def policy(**constraints: str) -> Object:
    return {"migration": {"mode": "TryPreferredFlavors", "constraints": constraints}}


QUOTA = "spec.resourceGroups[0].flavors[0].resources[0]"
CLUSTER_QUEUES = {
    "a queue without a cohort has no limits": Case(
        {"resourceGroups": single(borrowingLimit="1", lendingLimit="1")},
        (
            f'{QUOTA}.borrowingLimit: Invalid value: "1": must be nil when cohort is empty',
            f'{QUOTA}.lendingLimit: Invalid value: "1": must be nil when cohort is empty',
        ),
    ),
    "amounts are not negative": Case(
        {"cohortName": "c", "resourceGroups": single(nominal="-1", borrowingLimit="-500m")},
        (
            f'{QUOTA}.nominalQuota: Invalid value: "-1": must be greater than or equal to 0',
            f'{QUOTA}.borrowingLimit: Invalid value: "-500m": must be greater than or equal to 0',
        ),
    ),
    "nobody lends more than is theirs": Case(
        {"cohortName": "c", "resourceGroups": single(nominal=1, lendingLimit="1001m")},
        (
            f'{QUOTA}.lendingLimit: Invalid value: "1001m": must be less than or equal to the nominalQuota',
        ),
    ),
    "a resource and a flavor are in one group only": Case(
        {
            "resourceGroups": [
                group(("cpu",), flavor("f", quota())),
                group(("cpu",), flavor("f", quota())),
            ]
        },
        (
            'spec.resourceGroups[1].coveredResources[0]: Duplicate value: "cpu"',
            'spec.resourceGroups[1].flavors[0].name: Duplicate value: "f"',
        ),
    ),
    "quotas are in the order of the covered resources": Case(
        {"resourceGroups": [group(("cpu", "memory"), flavor("f", quota("memory"), quota("cpu")))]},
        (
            f'{QUOTA}.name: Invalid value: "memory": must match the name in coveredResources',
            'spec.resourceGroups[0].flavors[0].resources[1].name: Invalid value: "cpu": must match the name in coveredResources',
        ),
    ),
    "a weight is not negative": Case(
        {"fairSharing": {"weight": "-1"}},
        ('spec.fairSharing: Invalid value: "-1": must be greater than or equal to 0',),
    ),
    "a weight that would count as none is refused": Case(
        {"fairSharing": {"weight": "1n"}},
        ('spec.fairSharing: Invalid value: "1n": When not 0, weight must be > 10e-9',),
    ),
    "a weight of zero is fine": Case({"fairSharing": {"weight": 0}}),
    "preference needs both knobs": Case(
        {
            "flavorFungibility": {
                "whenCanBorrow": "TryNextFlavor",
                "whenCanPreempt": "MayStopSearch",
                "preference": "BorrowingOverPreemption",
            }
        },
        (
            (
                'spec.flavorFungibility.preference: Invalid value: "BorrowingOverPreemption": preference '
                '"BorrowingOverPreemption" requires both whenCanBorrow and whenCanPreempt to be TryNextFlavor'
            ),
        ),
    ),
    "who reclaims nothing does not preempt to borrow": Case(
        {
            "preemption": {
                "reclaimWithinCohort": "Never",
                "borrowWithinCohort": {"policy": "LowerPriority"},
            }
        },
        (
            (
                'spec.preemption: Invalid value: {"borrowWithinCohort":{"policy":"LowerPriority"},'
                '"reclaimWithinCohort":"Never"}: reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never'
            ),
        ),
    ),
    "a check speaks of flavors there are": Case(
        {
            "resourceGroups": single(),
            "admissionChecksStrategy": {
                "admissionChecks": [{"name": "c", "onFlavors": ["f", "g"]}]
            },
        },
        (
            (
                "spec.admissionChecksStrategy.admissionChecks[0].onFlavors[1]: Unsupported value: "
                '"g": supported values: "f"'
            ),
        ),
    ),
    "concurrent admission wants few flavors of one group": Case(
        {
            "resourceGroups": [
                group(("cpu",), *(flavor(f"f{number}", quota()) for number in range(17)))
            ],
            "concurrentAdmissionPolicy": policy(),
        },
        (
            (
                "spec.resourceGroups[0].flavors: Invalid value: 17: cannot have more than 16 resource flavors in the "
                "ResourceGroup when ConcurrentAdmissionPolicy is defined"
            ),
        ),
    ),
    "the last acceptable flavor is one of the queue's": Case(
        {
            "resourceGroups": single(),
            "concurrentAdmissionPolicy": policy(lastAcceptableFlavorName="g"),
        },
        (
            (
                'spec.concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName: Invalid value: "g": '
                "must be one of the flavors defined in the ClusterQueue: [f]"
            ),
        ),
    ),
}

COHORTS = {
    "a root has no limits": Case(
        {"resourceGroups": single(borrowingLimit="1")},
        (f'{QUOTA}.borrowingLimit: Invalid value: "1": must be nil when parent is empty',),
    ),
    "a cohort may lend more than its own": Case(
        {"parentName": "p", "resourceGroups": single(lendingLimit="5")}
    ),
    "a weight is not negative": Case(
        {"fairSharing": {"weight": "-1"}},
        ('spec.fairSharing: Invalid value: "-1": must be greater than or equal to 0',),
    ),
}

KEY = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
FLAVORS = {
    "a taint is there once": Case(
        {"nodeTaints": [{"key": "k", "value": "v", "effect": "NoSchedule"}] * 2},
        (
            ('spec.nodeTaints[1]: Duplicate value: {"key":"k","value":"v","effect":"NoSchedule"}: '
            "taints must be unique by key and effect pair"),
        ),
    ),
    "the same key with another effect is another taint": Case(
        {
            "nodeTaints": [
                {"key": "k", "effect": "NoSchedule"},
                {"key": "k", "effect": "NoExecute"},
            ]
        }
    ),
    "keys have a form": Case(
        {
            "nodeTaints": [{"key": "@", "effect": "NoSchedule"}],
            "tolerations": [{"key": "@"}, {"operator": "Exists"}],
        },
        (
            f'spec.nodeTaints[0].key: Invalid value: "@": {KEY}',
            f'spec.tolerations[0].key: Invalid value: "@": {KEY}',
        ),
    ),
    "values have a form": Case(
        {"nodeTaints": [{"key": "k", "value": "a b", "effect": "NoSchedule"}]},
        (
            ('spec.nodeTaints[0].value: Invalid value: "a b": a valid label must be an empty string or consist of '
            "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
            "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
            "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"),
        ),
    ),
}  # fmt: skip

ALL: dict[str, tuple[Callable[[Object], list[FieldError]], Case]] = {
    f"{kind}: {name}": (check, case)
    for kind, check, cases in (
        ("ClusterQueue", validate_cluster_queue, CLUSTER_QUEUES),
        ("Cohort", validate_cohort, COHORTS),
        ("ResourceFlavor", validate_resource_flavor, FLAVORS),
    )
    for name, case in cases.items()
}


@pytest.mark.parametrize(("check", "case"), ALL.values(), ids=ALL.keys())
def test_a_new_object(check: Callable[[Object], list[FieldError]], case: Case) -> None:
    assert tuple(map(str, check({"spec": case.spec}))) == case.want


def test_a_policy_of_concurrent_admission_stays_as_it_was() -> None:
    spec = {"resourceGroups": single()}
    old = {"spec": {**spec, "concurrentAdmissionPolicy": policy()}}
    got = validate_cluster_queue_update({"spec": spec}, old)

    assert list(map(str, got)) == [
        "spec.concurrentAdmissionPolicy: Invalid value: null: field is immutable"
    ]


def test_what_was_wrong_with_a_check_is_forgiven_until_the_gate_is_set() -> None:
    wrong = {
        "spec": {
            "resourceGroups": single(),
            "admissionChecksStrategy": {"admissionChecks": [{"name": "c", "onFlavors": ["g"]}]},
        }
    }

    assert validate_cluster_queue_update(wrong, wrong) == []
    strict = Gates(reject_updates_to_cq_with_invalid_on_flavors=True)
    assert len(validate_cluster_queue_update(wrong, wrong, strict)) == 1
    assert len(validate_cluster_queue(wrong)) == 1
