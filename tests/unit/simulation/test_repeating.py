"""What is counted instead of written out: streams, objects, and a scenario on a smaller fleet."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from argosy.fleet.files import read as read_fleet_file
from argosy.simulation.arriving import arrivals
from argosy.simulation.documents import ScenarioError
from argosy.simulation.reading import find, read
from argosy.simulation.repeating import copy, numbered
from argosy.simulation.shrinking import shrunk

ROOT = Path(__file__).parents[3]
SCENARIO = """
name: counted
horizon: 10s
fleet: {{members: [{{name: c, nodePools: [{{name: p, nodes: 1, machine: {{cpu: 4, memory: 8Gi}}}}]}}]}}
jobs:
- name: "stream-{{n}}"
  count: 3
  team: "team-{{n%2}}"
  queue: "queue-{{n}}"
  arrivals: {{bursts: [{{every: 4s, size: 1}}]}}
  {more}
"""


def test_numbers_and_their_remainders() -> None:
    assert numbered("cq-{n} of cohort-{n%5}, {m}", 12) == "cq-12 of cohort-2, {m}"
    assert copy({"a-{n}": ["{n}", 3, {"b": "x{n%2}"}]}, 7) == {"a-7": ["7", 3, {"b": "x1"}]}


def test_a_counted_stream_is_that_many_streams(tmp_path: Path) -> None:
    path = tmp_path / "counted.yaml"
    path.write_text(SCENARIO.format(more=""))
    found = read(path).streams
    assert [(each.name, each.team, each.queue) for each in found] == [
        ("stream-1", "team-1", "queue-1"),
        ("stream-2", "team-0", "queue-2"),
        ("stream-3", "team-1", "queue-3"),
    ]


def test_a_mistake_in_a_counted_stream_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "counted.yaml"
    path.write_text(SCENARIO.format(more="cluster: nowhere"))
    with pytest.raises(ScenarioError) as caught:
        read(path)
    assert caught.value.problems == (f'{path}:11: jobs[0].cluster: "nowhere" is none of c',)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("spread: 1\n  manifest: no.yaml", "jobs[0].manifest: {path}/no.yaml cannot be read"),
        ("cluster: c\n  manifest: job.yaml", "jobs[0].cluster: a job that is created on a cluster"),
        ("manifest: job.yaml", "jobs[0].manifest: its first object must be the Job {{name}} in namespace default"),
    ],
)  # fmt: skip
def test_what_a_manifest_cannot_be(tmp_path: Path, more: str, told: str) -> None:
    (tmp_path / "job.yaml").write_text("{kind: Job, metadata: {name: x}}")
    path = tmp_path / "counted.yaml"
    path.write_text(SCENARIO.format(more=more))
    with pytest.raises(ScenarioError) as caught:
        read(path)
    assert any(told.format(path=tmp_path) in each for each in caught.value.problems)


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("kueue-baseline", {"small": 10_500, "medium": 3_000, "large": 1_500}),
        ("kueue-large", {"small": 35_000, "medium": 10_000, "large": 5_000}),
        ("aks-70k", {"whole": 640, "wide": 60}),
    ],
)
def test_shipped_scenarios_have_as_many_jobs_as_they_say(
    name: str, classes: dict[str, int]
) -> None:
    scenario = read(find(name))
    assert Counter(each.stream.classed for each in arrivals(scenario, 1)) == classes


def test_the_fleet_of_aks_70k_is_that_of_the_example() -> None:
    path = ROOT / "examples" / "fleet" / "eighty.yaml"
    scenario = read(find("aks-70k"))
    assert scenario.members == read_fleet_file(path.read_bytes(), name="eighty.yaml")
    assert sum(pool.spec["minimum"] for each in scenario.members for pool in each.pools) == 70_000
    [outage] = scenario.outages
    assert (len(outage.clusters), outage.until - outage.since) == (14, 600.0)


@pytest.mark.parametrize(
    ("clusters", "nodes", "jobs", "pods"),
    [(80, None, 350, 140_000), (40, None, 175, 70_000), (8, 20, 35, 312), (2, 875, 8, 3_200)],
)
def test_a_smaller_fleet_has_as_much_less_to_do(
    clusters: int, nodes: int | None, jobs: int, pods: int
) -> None:
    scenario = shrunk(read(find("aks-70k")), clusters, nodes)
    assert len(scenario.members) == clusters
    assert len({each.region for each in scenario.members}) == min(6, clusters)
    first = [each for each in arrivals(scenario, 1) if each.at == 0]
    assert (len(first), sum(each.pods for each in first)) == (jobs, pods)
    [outage] = scenario.outages
    assert set(outage.clusters) == {
        each.name for each in scenario.members if each.region == "eastus"
    }
