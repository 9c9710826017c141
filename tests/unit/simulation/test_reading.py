"""Scenario files: what they say, and all that is wrong with them at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.simulation.documents import ScenarioError, parse_span
from argosy.simulation.reading import SHIPPED, find, read

GOOD = """
horizon: 1d12h
fleet:
  defaults:
    nodePools: [{name: general, nodes: 2, machine: {cpu: 4, memory: 16Gi}}]
  members:
  - {name: "eu-{n:02}", count: 2, region: eu, heartbeatPeriodSeconds: 300}
  - {name: us, region: us, pricePerHour: 0.5}
jobs:
- name: train
  namespace: research
  arrivals: {rate: 48/d, diurnal: {swing: 0.5}, bursts: [{every: 1h, size: 3}]}
  duration: {type: lognormal, median: 10m, p90: 1h}
  pods: {values: [1, 2], weights: [3, 1]}
  resources: {cpu: 2, memory: 1Gi}
  reschedule: 10m
outages: [{regions: [eu], from: 1h, until: 2h}]
"""

BAD = """\
horizon: soon
seeed: 4
fleet:
  members:
  - name: eu
    count: 2
    nodePools:
    - {name: general, nodes: 2, machine: {cpu: lots, memory: 1Gi}}
  - name: us
jobs:
- name: train
  arrivals: {rate: 10/year}
  duration: {type: lognormal, median: 1h, p90: 10m}
  resources: {cpu: -2}
  reschedule: 5s
  prefer: luck
- name: train
  trace: nowhere.csv
outages:
- {regions: [mars], from: 2h, until: 1h}
changes:
- at: 1h
  objects: [{kind: ClusterQueue}]
"""

WANT_BAD = [
    "1: horizon:",
    "2: seeed: unknown field; did you mean seed?",
    '5: fleet.members[0].name: Invalid value: "eu": must contain {n}',
    "8: fleet.members[0].nodePools[0].machine.cpu:",
    "9: fleet.members[1].nodePools: Required value: a member needs machines",
    '12: jobs[0].arrivals.rate: "10/year" is no rate',
    "12: jobs[0].arrivals: nobody comes",
    "13: jobs[0].duration: a lognormal distribution needs 0 < median < p90",
    '14: jobs[0].resources.cpu: "-2" is negative',
    "15: jobs[0].reschedule:",
    '16: jobs[0].prefer: "luck" is none of',
    '17: jobs[1].name: "train" is the name of another stream',
    "18: jobs[1].trace:",
    "20: outages[0].until: must be later than from",
    "23: changes[0].objects[0]: an object needs apiVersion, metadata",
]


def written(directory: Path, text: str) -> Path:
    path = directory / "scenario.yaml"
    path.write_text(text)
    return path


def test_a_scenario_says_who_comes_when_to_what(tmp_path: Path) -> None:
    found = read(written(tmp_path, GOOD))
    assert found.horizon == 36 * 3600
    assert [each.name for each in found.members] == ["eu-01", "eu-02", "us"]
    assert [each.heartbeat_seconds for each in found.members] == [300, 300, 15]
    assert found.members[2].pools[0].spec["pricePerHour"] == 0.5
    assert found.members[0].pools[0].spec["minimum"] == 2
    assert found.outages[0].clusters == ("eu-01", "eu-02")
    (stream,) = found.streams
    assert stream.arrivals.per_hour == 2
    assert stream.reschedule == "after=10m"
    assert stream.seconds.values == (600, 3600)


def test_all_mistakes_are_told_with_file_line_and_field(tmp_path: Path) -> None:
    path = written(tmp_path, BAD)
    with pytest.raises(ScenarioError) as caught:
        read(path)
    got = list(caught.value.problems)
    for want in WANT_BAD:
        assert any(each.startswith(f"{path}:{want}") for each in got), (want, got)
    assert len(got) == len(WANT_BAD), got
    lines = [int(each.removeprefix(f"{path}:").partition(":")[0]) for each in got]
    assert lines == sorted(lines)


@pytest.mark.parametrize("text", ["", "- a", "a: [", "horizon: 1h\nhorizon: 2h"])
def test_what_is_no_scenario_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ScenarioError):
        read(written(tmp_path, text))


def test_who_goes_dark_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r'outages\[0\].regions: no member is in region "mars"'):
        read(written(tmp_path, GOOD.replace("[eu]", "[mars]")))


def test_a_trace_is_read_and_its_bad_lines_are_told(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text("at,duration,pods,gpus\n10s,5m,2,4\nlater,5m,2,4\n")
    trace = GOOD.replace("  arrivals:", "  trace: trace.csv\n  arrivals:")
    with pytest.raises(ScenarioError, match=r"trace.csv:3: time: invalid duration"):
        read(written(tmp_path, trace))
    (tmp_path / "trace.csv").write_text("at,duration,pods,gpus\n10s,5m,2,4\n")
    (line,) = read(written(tmp_path, trace)).streams[0].trace
    assert (line.at, line.seconds, line.pods) == (10, 300, 2)
    assert line.resources == {"nvidia.com/gpu": "4"}


def test_shipped_scenarios_are_found_by_name_and_have_no_mistakes() -> None:
    names = {path.stem for path in SHIPPED.glob("*.yaml")}
    assert {"small", "tenants", "bursty-ray-like"} <= names
    for name in names:
        assert read(find(name)).description
    with pytest.raises(ScenarioError, match=r"no scenario of that name: .*tenants"):
        find("nobody")


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("7d", 604_800), ("1d12h", 129_600), ("1.5d", 129_600)]
)
def test_durations_may_have_days(text: str, seconds: float) -> None:
    assert parse_span(text) == seconds
