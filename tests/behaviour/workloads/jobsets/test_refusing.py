"""What the API says to JobSets that are wrong: the schema, its rules, and the words of upstream's webhook."""

from __future__ import annotations

import pytest

from argosy.base.errors import Forbidden, Invalid, StatusError
from argosy.base.types import Json, Object
from argosy.client.objects import decode
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, RESOURCE_QUOTAS
from argosy.workloads.jobsets import definitions
from argosy.workloads.jobsets.names import JOB_SETS
from tests.behaviour.workloads.jobsets.worlds import Fleet, replicated, sailing

DENIED = 'admission webhook "vjobset.kb.io" denied the request: '


async def refused(fleet: Fleet, *jobs: Object, **spec: Json) -> StatusError:
    with pytest.raises(StatusError) as caught:
        await fleet.jobset(*jobs, **spec)
    return caught.value


def test_problems_are_told_line_by_line() -> None:
    async def story(fleet: Fleet) -> None:
        error = await refused(
            fleet,
            replicated("a", dependsOn=[{"name": "b", "status": "Ready"}]),
            coordinator={"replicatedJob": "z"},
        )
        assert isinstance(error, Forbidden)
        assert error.message == (
            f"{DENIED}DependsOn can't be set for the first ReplicatedJob\n"
            "replicatedJob: a cannot depend on replicatedJob: b\n"
            "coordinator replicatedJob z does not exist"
        )

    sailing(story)


def test_rules_of_the_schema() -> None:
    async def story(fleet: Fleet) -> None:
        error = await refused(
            fleet,
            replicated("a"),
            replicated("b", dependsOn=[{"name": "a", "status": "Ready"}]),
            startupPolicy={"startupPolicyOrder": "InOrder"},
        )
        assert isinstance(error, Invalid)
        assert "StartupPolicy and DependsOn APIs are mutually exclusive" in error.message
        error = await refused(fleet, replicated("a"), successPolicy={"operator": "Most"})
        assert 'supported values: "All", "Any"' in error.message
        broken = replicated("a")
        broken["template"]["spec"]["template"]["spec"]["containers"][0]["image"] = 7
        error = await refused(fleet, broken)
        field = "spec.replicatedJobs[0].template.spec.template.spec.containers[0].image"
        assert f"{field} in body must be of type string" in error.message

    sailing(story)


def test_what_stays_as_it_was_created() -> None:
    async def story(fleet: Fleet) -> None:
        made = await fleet.jobset(replicated("a"))
        changes: list[tuple[Object, str]] = [
            ({"successPolicy": {"operator": "Any"}}, "spec.successPolicy: Invalid value"),
            ({"network": {"subdomain": "x"}}, "Value is immutable"),
            ({"managedBy": "acme.io/foo"}, f"{DENIED}spec.managedBy: Invalid value"),
            ({"replicatedJobs": []}, f"{DENIED}spec.replicatedJobs: Invalid value"),
        ]
        for change, want in changes:
            with pytest.raises(StatusError) as caught:
                await fleet.change(change)
            assert want in caught.value.message
        found = await fleet.get(JOB_SETS, "js")
        assert found is not None
        assert found["spec"] == made["spec"]

    sailing(story)


def test_the_same_manifest_again_changes_nothing() -> None:
    async def story(fleet: Fleet) -> None:
        jobs = [replicated("a"), replicated("b")]
        policy = {"maxRestarts": 1, "rules": [{"action": "FailJobSet"}]}
        made = await fleet.jobset(*jobs, failurePolicy=policy)
        await fleet.change({"replicatedJobs": jobs, "failurePolicy": policy})
        found = await fleet.get(JOB_SETS, "js")
        assert found is not None
        assert found["spec"] == made["spec"]

    sailing(story)


def test_a_refused_jobset_uses_no_quota() -> None:
    async def story(fleet: Fleet) -> None:
        hard = {"count/jobsets.jobset.x-k8s.io": "1"}
        await fleet.create(RESOURCE_QUOTAS, {"metadata": {"name": "q"}, "spec": {"hard": hard}})
        await fleet.pass_time(5)
        await refused(fleet, replicated("a"), coordinator={"replicatedJob": "z"})
        await fleet.jobset(replicated("a"))
        error = await refused(fleet, replicated("a"), name="more")
        assert "exceeded quota: q" in error.message

    sailing(story)


def test_the_definition_is_small_and_applies_again_without_a_change() -> None:
    async def story(fleet: Fleet) -> None:
        (definition,) = definitions()
        name = definition["metadata"]["name"]
        first, second = [
            await fleet.client.apply(
                CUSTOM_RESOURCE_DEFINITIONS, name, definition, field_manager="argosy", force=True
            )
            for _ in range(2)
        ]
        assert first.revision == second.revision
        assert len(second.raw) < 20_000
        (version,) = decode(second)["spec"]["versions"]
        titles = [column["name"] for column in version["additionalPrinterColumns"]]
        assert titles == ["TerminalState", "Restarts", "Completed", "Suspended", "Age"]

    sailing(story)
