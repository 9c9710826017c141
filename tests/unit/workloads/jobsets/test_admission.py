"""What a JobSet is filled in with, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest

from argosy.base.types import Json, Object
from argosy.workloads.jobsets.defaulting import default_jobset
from argosy.workloads.jobsets.validating import validate_create, validate_update
from tests.unit.workloads.jobsets.builders import replicated

LONG = "x" * 64
LABEL = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def given(*jobs: Object, name: str = "js", **spec: Json) -> Object:
    """A JobSet that the schema has defaulted."""
    jobs = tuple({"groupName": "default", **job} for job in jobs)
    return {"metadata": {"name": name}, "spec": {"replicatedJobs": list(jobs), **spec}}


def indexed(name: str, completions: int | None = 1, replicas: int = 1) -> Object:
    job = replicated(name, replicas)
    job["template"]["spec"] |= {"completionMode": "Indexed"}
    if completions is not None:
        job["template"]["spec"]["completions"] = completions
    return job


def test_what_is_filled_in() -> None:
    got = given(replicated("a"), failurePolicy={"rules": [{}, {"name": "mine"}]})
    default_jobset(got)
    want = given(replicated("a"))
    template = want["spec"]["replicatedJobs"][0]["template"]["spec"]
    template["completionMode"] = "Indexed"
    template["template"]["spec"]["restartPolicy"] = "OnFailure"
    want["spec"] |= {
        "successPolicy": {"operator": "All"},
        "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
        "failurePolicy": {"rules": [{"name": "failurePolicyRule0"}, {"name": "mine"}]},
    }
    assert got == want


def test_what_is_said_is_kept() -> None:
    job = replicated("a")
    job["template"]["spec"]["completionMode"] = "NonIndexed"
    job["template"]["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    said = given(
        job,
        successPolicy={"operator": "Any"},
        startupPolicy={"startupPolicyOrder": "InOrder"},
        network={"enableDNSHostnames": False, "publishNotReadyAddresses": False},
    )
    got = deepcopy(said)
    default_jobset(got)
    assert got == said


def test_null_counts_as_missing() -> None:
    job = replicated("a") | {"dependsOn": None}
    job["template"]["spec"] |= {"completionMode": None, "parallelism": None}
    got = given(job, network={"subdomain": None}, failurePolicy=None, successPolicy=None)
    default_jobset(got)
    want = given(replicated("a"))
    default_jobset(want)
    assert got == want


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"spec": 1},
        {"spec": {"replicatedJobs": 1, "network": 1, "failurePolicy": 1}},
        {"spec": {"replicatedJobs": [1, {}, {"template": 1}, {"template": {"spec": 1}}]}},
        {"spec": {"replicatedJobs": [{"template": {"spec": {"template": {"spec": 1}}}}]}},
    ],
)
def test_what_has_the_wrong_type_is_left_to_the_schema(broken: Object) -> None:
    default_jobset(broken)
    assert isinstance(broken["spec"], int | dict)


DEPENDS: Object = {"dependsOn": [{"name": "a", "status": "Ready"}]}

CREATE: dict[str, tuple[Object, list[str]]] = {
    "nothing is wrong": (
        given(
            indexed("a"),
            indexed("b") | DEPENDS,
            network={"subdomain": "net"},
            managedBy="acme.io/foo",
            successPolicy={"operator": "All", "targetReplicatedJobs": ["b"]},
            coordinator={"replicatedJob": "a"},
        ),
        [],
    ),
    "a number that is no integer to controllers": (
        given(replicated("a") | {"replicas": 2.0}),
        ["Expected `int`, got `float` - at `$.spec.replicatedJobs[0].replicas`"],
    ),
    "the first has nothing to depend on": (
        given(replicated("a") | {"dependsOn": []}),
        ["DependsOn can't be set for the first ReplicatedJob"],
    ),
    "a dependency comes later": (
        given(replicated("b"), replicated("c") | DEPENDS, replicated("a")),
        ["replicatedJob: c cannot depend on replicatedJob: a"],
    ),
    "a subdomain that is none": (
        given(network={"subdomain": "A"}),
        [
            (
                'spec.network.subdomain: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case '
                "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
                "'example.com', regex used for validation is "
                "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            ),
            f'spec.network.subdomain: Invalid value: "A": {LABEL}',
        ],
    ),
    "a subdomain that is too long": (
        given(network={"subdomain": LONG}),
        [
            (
                f'spec.network.subdomain: Invalid value: "{LONG}": .spec.network.subdomain is too long, must be less than '
                "63 characters"
            )
        ],
    ),
    "a manager without a domain": (
        given(managedBy="foo"),
        [
            'spec.managedBy: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")'
        ],
    ),
    "a manager that is too long": (
        given(managedBy=f"acme.io/{LONG}"),
        ["spec.managedBy: Too long: may not be more than 63 bytes"],
    ),
    "more pods than can be counted": (
        given({**replicated("a", 2**16), "template": {"spec": {"parallelism": 2**16}}}),
        [
            "the product of replicas and parallelism must not exceed 2147483647 for replicatedJob 'a'"
        ],
    ),
    "a group name that is too long": (
        given(replicated("a") | {"groupName": LONG}),
        [
            (
                f'spec.replicatedJobs[0].groupName: Invalid value: "{LONG}": .spec.replicatedJob[].groupName is too long, '
                "must be less than 63 characters"
            )
        ],
    ),
    "a job name that is too long": (
        given(replicated("a"), name="j" * 60),
        [
            (
                f'spec.replicatedJobs[0].name: Invalid value: "{"j" * 60}-a-0": JobSet name is too long, job names '
                "generated for this JobSet will exceed 63 characters"
            )
        ],
    ),
    "a pod name that is too long": (
        given(indexed("a"), name="j" * 55),
        [
            (
                f'spec.replicatedJobs[0].name: Invalid value: "{"j" * 55}-a-0": JobSet name is too long, pod names '
                "generated for this JobSet will exceed 63 characters"
            )
        ],
    ),
    "a job name that starts with a digit": (
        given(replicated("a"), name="1"),
        [f'spec.replicatedJobs[0].name: Invalid value: "1-a-0": {LABEL}'],
    ),
    "a target of success that is not there": (
        given(
            replicated("a"), successPolicy={"operator": "All", "targetReplicatedJobs": ["b", "a"]}
        ),
        ["invalid replicatedJob name 'b' does not appear in .spec.ReplicatedJobs"],
    ),
    "rules with wrong names, targets and reasons": (
        given(
            replicated("a"),
            failurePolicy={
                "rules": [
                    {"name": "", "action": "FailJobSet"},
                    {"name": "ok", "action": "FailJobSet", "targetReplicatedJobs": ["b"]},
                    {"name": "ok", "action": "FailJobSet", "onJobFailureReasons": ["Bored"]},
                ]
            },
        ),
        [
            (
                "invalid failure policy rule name of length 0, the rule name must be at least 1 characters long and at "
                "most 128 characters long"
            ),
            (
                "invalid failure policy rule name '', a failure policy rule name must start with an alphabetic character, "
                "optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric "
                "character or '_'"
            ),
            "invalid replicatedJob name 'b' in failure policy does not appear in .spec.ReplicatedJobs",
            "invalid job failure reason 'Bored' in failure policy is not a recognized job failure reason",
            "rule names are not unique, rules with indices [1 2] all have the same name 'ok'",
        ],
    ),
    "a coordinator of no replicated job": (
        given(replicated("a"), coordinator={"replicatedJob": "b"}),
        ["coordinator replicatedJob b does not exist"],
    ),
    "a coordinator of no job": (
        given(indexed("a"), coordinator={"replicatedJob": "a", "jobIndex": 1}),
        ["coordinator job index 1 is invalid for replicatedJob a"],
    ),
    "a coordinator of a job without completions": (
        given(indexed("a", None), coordinator={"replicatedJob": "a"}),
        [
            "job for coordinator pod must be indexed completion mode, and completions number must be set"
        ],
    ),
    "a coordinator of no pod": (
        given(indexed("a"), coordinator={"replicatedJob": "a", "podIndex": 1}),
        ["coordinator pod index 1 is invalid for replicatedJob a job index 0"],
    ),
}


@pytest.mark.parametrize(("jobset", "want"), CREATE.values(), ids=CREATE.keys())
def test_problems_of_a_new_jobset(jobset: Object, want: list[str]) -> None:
    assert validate_create(jobset) == want


def _select(jobset: Object) -> None:
    pod = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pod["metadata"] = {"labels": {"a": "b"}, "annotations": {"a": "b"}}
    pod["spec"] |= {
        "nodeSelector": {"a": "b"},
        "tolerations": [{"key": "a"}],
        "schedulingGates": [{"name": "a"}],
    }


def _suspend(jobset: Object) -> None:
    jobset["spec"]["suspend"] = True
    _select(jobset)


def _image(jobset: Object) -> None:
    jobset["spec"]["suspend"] = True
    pod = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pod["spec"]["containers"][0]["image"] = "y"


def _more(jobset: Object) -> None:
    jobset["spec"]["suspend"] = True
    jobset["spec"]["replicatedJobs"].append(replicated("b"))


def _manager(jobset: Object) -> None:
    jobset["spec"]["managedBy"] = "acme.io/foo"


def _empty(jobset: Object) -> None:
    pod = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pod["metadata"] = {"labels": {}}


UPDATE: dict[str, tuple[Callable[[Object], None], list[str]]] = {
    "nothing changes": (lambda _: None, []),
    "an empty field is no change": (_empty, []),
    "selectors of a running jobset": (_select, ["spec.replicatedJobs"]),
    "selectors of a jobset that is suspended": (_suspend, []),
    "an image, even of a suspended one": (_image, ["spec.replicatedJobs"]),
    "another replicated job, even of a suspended one": (_more, ["spec.replicatedJobs"]),
    "the manager": (_manager, ["spec.managedBy"]),
}


@pytest.mark.parametrize(("change", "want"), UPDATE.values(), ids=UPDATE.keys())
def test_what_may_not_change(change: Callable[[Object], None], want: list[str]) -> None:
    old = given(replicated("a"))
    new = deepcopy(old)
    change(new)
    got = validate_update(new, old)
    assert [problem.partition(":")[0] for problem in got] == want
    assert all(problem.endswith(": field is immutable") for problem in got)
