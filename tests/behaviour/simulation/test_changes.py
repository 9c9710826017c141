"""What a scenario changes while it is played takes effect then; what the hub refuses ends the run with a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from argosy.simulation.driving import Refused
from argosy.simulation.plans import Arrivals, Change, Distribution
from argosy.simulation.reading import find, read
from tests.behaviour.simulation.worlds import command, played, small


@pytest.mark.timeout(300)
def test_more_quota_lets_more_run_from_its_moment_on() -> None:
    scenario = small()
    queue = next(
        each
        for each in scenario.objects
        if each["kind"] == "ClusterQueue" and each["metadata"]["name"] == "product"
    )
    alone = {**queue, "spec": {key: v for key, v in queue["spec"].items() if key != "cohortName"}}
    (group,) = alone["spec"]["resourceGroups"]
    (flavor,) = group["flavors"]
    larger = {
        **alone,
        "spec": {
            **alone["spec"],
            "resourceGroups": [
                {
                    **group,
                    "flavors": [
                        {
                            **flavor,
                            "resources": [
                                {"name": "cpu", "nominalQuota": 8},
                                {"name": "memory", "nominalQuota": "64Gi"},
                            ],
                        }
                    ],
                }
            ],
        },
    }
    sweep = replace(
        scenario.streams[1],
        arrivals=Arrivals(at=(60.0,) * 40),
        prefer="",
        seconds=Distribution("constant", (1200.0,)),
    )
    found = played(
        replace(
            scenario,
            objects=tuple(alone if each is queue else each for each in scenario.objects),
            streams=(sweep,),
            outages=(),
            changes=(Change(600.0, (larger,), "more"),),
        ),
        1.0,
    )
    started = [each["t"] for each in found.events("started")]
    # Four cores on each of three clusters, two for a job: six at first, as many again after the change.
    assert len([t for t in started if t < 600]) == 6
    assert len([t for t in started if 600 <= t < 700]) == 6
    assert [each["what"] for each in found.events("change")] == ["more"]


def test_an_object_the_hub_refuses_is_named() -> None:
    broken = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "bad"},
        "spec": {"queueingStrategy": "Whenever"},
    }
    with pytest.raises(Refused, match=r"objects: ClusterQueue bad: .*queueingStrategy"):
        played(replace(small(), objects=(broken,)), 0.1)
    unknown = {"apiVersion": "no.such/v1", "kind": "Thing", "metadata": {"name": "x"}}
    with pytest.raises(Refused, match=r'objects: Thing x: no matches for kind "Thing"'):
        played(replace(small(), objects=(unknown,)), 0.1)


def test_the_command_lists_mistakes_and_plays_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("horizon: never\nfleet: {members: [{name: A_b}]}\njobs: []\n")
    done = command("simulate", str(bad), "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    told = done.stderr.splitlines()
    assert told[0] == "argosy simulate: the scenario cannot be played:"
    assert [each.strip().removeprefix(f"{bad}:").split(" ")[0] for each in told[1:]] == [
        "1:", "2:", "2:", "3:",
    ]  # fmt: skip
    assert not (tmp_path / "out").exists()


def test_jobsets_run_and_end(tmp_path: Path) -> None:
    scenario = small()
    sets = replace(
        scenario.streams[0],
        kind="JobSet",
        arrivals=Arrivals(at=(60.0, 120.0)),
        seconds=Distribution("constant", (300.0,)),
        pods=Distribution("constant", (2.0,)),
        failure_rate=0.0,
    )
    found = played(replace(scenario, streams=(sets,), outages=(), changes=()), 0.5)
    assert found.summary["jobs"]["complete"] == 2
    assert read(find("bursty-ray-like")).streams[2].kind == "JobSet"
