"""What is written for the proof: the fleet, the queues and the jobs of the scenario `aks-70k`, on as many clusters as
are asked for.

A cluster has 875 machines of two cores, so four jobs of 400 one-core pods fit and 150 cores are left. Whole jobs go
where there is most room. For the rest there are wide jobs: each runs on eight clusters, fifty pods on each, by an
override of its size, and three of them fill a cluster. Eighty clusters take 320 + 30 = 350 jobs, 140,000 pods.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from argosy.base.types import Object
from argosy.simulation.arriving import arrivals
from argosy.simulation.manifests import in_turn, made
from argosy.simulation.plans import Distribution, Scenario
from argosy.simulation.reading import find, read
from argosy.simulation.shrinking import shrunk


@dataclass(slots=True, frozen=True)
class Plan:
    """`jobs`: for each, what is created, in this order."""

    names: list[str]
    namespace: str
    nodes: int
    pods: int
    queues: tuple[Object, ...]
    jobs: list[list[Object]]
    fleet_file: str


def plan(clusters: int, seconds: int) -> Plan:
    """The first shift of the scenario, whose pods run so long."""
    scenario = shrunk(read(find("aks-70k")), clusters)
    duration = Distribution("constant", (float(seconds),))
    streams = tuple(replace(each, seconds=duration) for each in scenario.streams)
    scenario = replace(scenario, streams=streams)
    names = [each.name for each in scenario.members]
    jobs, pods = [], 0
    turns: dict[str, int] = {}
    for each in arrivals(scenario, scenario.seed):
        if each.at > 0:
            break
        stream = each.stream
        turn = turns[stream.name] = turns.get(stream.name, -1) + 1
        there = in_turn(names, stream.spread, turn) if stream.spread > 1 else ()
        jobs.append(made(stream.manifest, each.name, each.pods, each.seconds, there))
        pods += each.pods
    return Plan(
        names,
        scenario.streams[0].namespace,
        sum(int(pool.spec["minimum"]) for each in scenario.members for pool in each.pools),
        pods,
        scenario.objects,
        jobs,
        _fleet_file(scenario),
    )


def _fleet_file(scenario: Scenario) -> str:
    members = [
        {
            "name": each.name,
            "region": each.region,
            "heartbeatPeriodSeconds": each.heartbeat_seconds,
            "nodePools": [{"name": pool.name, **pool.spec} for pool in each.pools],
        }
        for each in scenario.members
    ]
    content: Object = {
        "apiVersion": "argosy.dev/v1alpha1",
        "kind": "Fleet",
        "members": members,
    }
    # JSON is YAML.
    return json.dumps(content, indent=2)
