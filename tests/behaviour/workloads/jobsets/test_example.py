"""The example in the documentation runs as it says."""

from __future__ import annotations

from pathlib import Path

import yaml

from argosy.client.resources import JOBS, PODS
from argosy.workloads.jobsets.names import JOB_SETS
from tests.behaviour.workloads.jobsets.worlds import Fleet, sailing

EXAMPLE = Path(__file__).parents[4] / "examples" / "jobset.yaml"


def test_the_example_trains_and_goes_when_its_hour_is_over() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.create(JOB_SETS, yaml.safe_load(EXAMPLE.read_text()))
        await fleet.pass_time(30)
        assert set(await fleet.jobs()) == {
            "train-coordinator-0",
            "train-workers-0",
            "train-workers-1",
        }
        assert len(await fleet.list(PODS)) == 9
        await fleet.pass_time(120)
        assert await fleet.conditions("train") == [
            "Completed=True AllJobsCompleted: jobset completed successfully"
        ]
        assert set(await fleet.jobs()) == {"train-workers-0", "train-workers-1"}
        await fleet.pass_time(3600)
        assert [await fleet.list(resource) for resource in (JOB_SETS, JOBS, PODS)] == [[], [], []]

    sailing(story)
