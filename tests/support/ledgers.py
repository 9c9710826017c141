"""What ran on the members of a fleet, read from the history of their stores.

A watch that begins at a revision from before a crash sees every change since, crash or not, to the last one. So nothing
that ran is missed, and no status has to be believed: which pods of which Jobs were started, and which succeeded.
"""

from __future__ import annotations

import http.client
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from argosy.base.quantities import Quantity
from tests.support.bursts import SPACE
from tests.support.connections import Connection

JOBS = f"/apis/batch/v1/namespaces/{SPACE}/jobs"
PODS = f"/api/v1/namespaces/{SPACE}/pods"
WORKLOADS = f"/apis/kueue.x-k8s.io/v1beta1/namespaces/{SPACE}/workloads"
# How long a watch waits for more after the last thing that happened.
_LAST_SECONDS = 1


@dataclass(slots=True)
class Ran:
    """One job, over all members: uids of its Jobs, and pods by their completion index ("" where there is none)."""

    jobs: set[str] = field(default_factory=set)
    started: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    succeeded: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def counts(self) -> tuple[int, dict[str, int], dict[str, int]]:
        return (
            len(self.jobs),
            {index: len(uids) for index, uids in self.started.items()},
            {index: len(uids) for index, uids in self.succeeded.items()},
        )


def revisions(members: dict[str, Connection]) -> dict[str, str]:
    """Where the members' stores stand now."""
    return {
        name: str(connection.get(f"{JOBS}?limit=1")["metadata"]["resourceVersion"])
        for name, connection in members.items()
    }


def read(members: dict[str, Connection], since: dict[str, str]) -> dict[str, Ran]:
    """What ran since then, by the name of the job."""
    found: dict[str, Ran] = defaultdict(Ran)
    asked = [(members[name], path, since[name]) for name in members for path in (JOBS, PODS)]
    with ThreadPoolExecutor(len(asked)) as pool:
        for events in pool.map(lambda each: list(history(*each)), asked):
            for event in events:
                _note(found, event["object"])
    return found


def _note(found: dict[str, Ran], obj: dict[str, Any]) -> None:
    meta = obj["metadata"]
    if obj["kind"] == "Job":
        found[meta["name"]].jobs.add(meta["uid"])
        return
    labels = meta["labels"]
    job = found[labels["batch.kubernetes.io/job-name"]]
    index = labels.get("batch.kubernetes.io/job-completion-index", "")
    match obj.get("status", {}).get("phase"):
        case "Running":
            job.started[index].add(meta["uid"])
        case "Succeeded":
            job.started[index].add(meta["uid"])
            job.succeeded[index].add(meta["uid"])


def history(connection: Connection, path: str, since: str) -> Iterator[dict[str, Any]]:
    """Every change since a revision until nothing comes any more."""
    address = connection.address
    stream = http.client.HTTPSConnection(
        address.host, address.port, context=address.tls, timeout=60
    )
    try:
        query = f"{path}?watch=1&resourceVersion={since}&timeoutSeconds={_LAST_SECONDS}"
        stream.request("GET", query, headers={"Authorization": f"Bearer {address.token}"})
        response = stream.getresponse()
        assert response.status == 200, response.read()
        for line in response:
            event = json.loads(line)
            assert event["type"] in {"ADDED", "MODIFIED", "DELETED"}, event
            yield event
    finally:
        stream.close()


def holds(workload: dict[str, Any]) -> bool:
    """Whether a Workload holds quota."""
    said = {
        each["type"]: each["status"] for each in workload.get("status", {}).get("conditions", ())
    }
    return said.get("QuotaReserved") == "True" and said.get("Finished") != "True"


def cores(workload: dict[str, Any]) -> float:
    """What it holds: pods that have ended have given back theirs."""
    status = workload["status"]
    back = {each["name"]: each["count"] for each in status.get("reclaimablePods", ())}
    return sum(
        Quantity.parse(each["resourceUsage"]["cpu"]).nanos
        / 1e9
        * (1 - back.get(each["name"], 0) / each["count"])
        for each in status["admission"]["podSetAssignments"]
    )


def most_held(events: Iterable[dict[str, Any]]) -> float:
    """The most cores that Workloads held together at any moment."""
    held: dict[str, float] = {}
    most = 0.0
    for event in events:
        obj = event["object"]
        held.pop(obj["metadata"]["uid"], None)
        if event["type"] != "DELETED" and holds(obj):
            held[obj["metadata"]["uid"]] = cores(obj)
        most = max(most, sum(held.values()))
    return most
