"""Stories are data: what they name is there, what they wait for is told, and the player says which step failed."""

from __future__ import annotations

import io
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from argosy.cli.demos import bursts, examples, fairness, guide
from argosy.cli.demos.interrupts import Interrupts
from argosy.cli.demos.playing import Player, StepFailed, picked
from argosy.cli.demos.stages import Screen, Shell, Stage
from argosy.cli.demos.steps import Act, Run, Say, Step, Story, Until

ROOT = Path(__file__).parents[4]
STORIES = {
    "guide": guide.STORY,
    "fairness": fairness.STORY,
    "burst": bursts.story(200, 5, by_template=False),
    "burst by template": bursts.story(200, 5, by_template=True),
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_every_file_of_a_story_is_there(story: Story) -> None:
    commands = [
        part.command for step in story.steps for part in step.parts if isinstance(part, Run)
    ]
    named = [name for each in commands for name in re.findall(r"\{examples\}/([\w.-]+)", each)]
    assert named
    for name in named:
        assert (examples.folder(story.name) / name).is_file()


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_what_to_try_next_fits(story: Story) -> None:
    assert all(len(command) <= 48 and len(reason) <= 46 for command, reason in story.next)


def test_a_wheel_has_the_manifests_where_they_are_looked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packed = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    place = examples.PACKED.relative_to(ROOT / "src")
    assert packed == {
        f"examples/fleet/{name}": str(place / name) for name in ("guide", "fairness", "burst")
    }


def test_a_job_of_a_burst_has_a_name_a_length_and_a_placement_of_its_own() -> None:
    job, placement = (
        each for each in yaml.safe_load_all(bursts.manifests(7, by_template=False)) if each
    )
    assert job["metadata"]["name"] == placement["metadata"]["name"] == "trial-7"
    (selector,) = placement["spec"]["resourceSelectors"]
    assert selector["name"] == "trial-7"
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["sleep", str(bursts.seconds_of(7))]
    assert {bursts.seconds_of(number) for number in range(100)} == set(range(2, 10))
    (alone,) = (each for each in yaml.safe_load_all(bursts.manifests(7, by_template=True)) if each)
    assert alone == job


def test_columns_of_a_table_are_picked() -> None:
    lines = ["NAME   FREE CPU   PENDING", "a      1", "└─bb   20         3"]
    assert picked(lines, ("NAME", "PENDING")) == ["NAME   PENDING", "a", "└─bb   3"]
    assert picked(lines, ("NAME", "FREE CPU")) == ["NAME   FREE CPU", "a      1", "└─bb   20"]
    assert picked(lines, ("NAME", "SHARE")) == lines
    assert picked([], ("NAME",)) == []


@dataclass
class Job:
    clusters: tuple[str, ...]


@dataclass
class Fleet:
    """As much of one as the player asks."""

    placed: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def job(self, name: str, namespace: str) -> Job:
        return Job(self.placed.get(name, ()))


def played(fleet: Any, *parts: Run | Until | Say | Act) -> str:
    stream = io.StringIO()
    shell = Shell(Interrupts(), {"PATH": "/usr/bin:/bin"}, has_kubectl=True)
    stage = Stage(Screen(stream), shell, fleet, {"examples": "here"})
    story = Story("s", "S", "ns", (Step("One", "Because.", parts),), ())
    Player(stage, story, lambda: None).play()
    return stream.getvalue()


def test_commands_are_shown_as_they_run() -> None:
    said = played(Fleet({"j": ("cluster-2",)}), Run("echo {examples} {cluster:j}"), Say("So."))
    assert said.splitlines()[2:] == ["Because.", "$ echo here cluster-2", "  here cluster-2", "So."]


def test_a_command_that_fails_is_named() -> None:
    with pytest.raises(
        StepFailed,
        match='step 1 of 1, "One", failed: `echo no; exit 4` ended with exit code 4 and said: no',
    ):
        played(Fleet(), Run("echo no; exit 4"))


def test_a_job_that_is_nowhere_is_named() -> None:
    with pytest.raises(StepFailed, match="job ns/j was not placed on any cluster"):
        played(Fleet(), Run("echo {cluster:j}"))


def test_what_does_not_come_is_told_with_what_is_missing() -> None:
    with pytest.raises(StepFailed, match="still not so, that all are there: one is not"):
        played(Fleet(), Until("all are there", lambda _: "one is not", seconds=0))


def test_what_is_waited_for_comes() -> None:
    missing = ["a", ""]
    said = played(Fleet(), Until("it is there", lambda _: missing.pop(0)))
    assert said.splitlines()[-1] == "  waiting until it is there ..."
