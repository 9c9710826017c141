"""`argosy status`: the processes of a fleet and its clusters, as its directory and its hub know them.

The directory says who runs (run.json, and the lock, which cannot lie); the hub says which members have joined and are
heard of. A fleet that does not run is told from one that has trouble by the exit code, as services do it: 0 all is up,
1 something is not, 3 it does not run.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from argosy.api.objects.fleet.members import JOINED, MemberCluster
from argosy.api.objects.metadata import decoder, is_true
from argosy.base.durations import human_duration
from argosy.base.errors import StatusError
from argosy.base.timestamps import parse_time
from argosy.base.types import Object
from argosy.cli.connecting import CommandError
from argosy.cli.ending import directory_of
from argosy.cli.printing import check_output, document, table
from argosy.client import kubeconfig
from argosy.client.kubeconfig import ConfigError
from argosy.client.remote import RemoteClient
from argosy.client.resources import MEMBER_CLUSTERS
from argosy.client.transport import Limits
from argosy.fleet import runs, states
from argosy.fleet.runs import HUB, ClusterRun, ProcessRun, Run
from argosy.fleet.states import FleetRecord, StateError

NOT_RUNNING: Final = 3
_FORMS: Final = ("json", "yaml", "wide")
_LIMITS: Final = Limits(requests=4, tries=1)
# A member is called silent after so many heartbeats that did not come.
_BEATS: Final = 3
_GOOD: Final = frozenset({"Serving", "Joined"})
_member: Final = decoder(MemberCluster)


def status(parsed: argparse.Namespace) -> int:
    directory = directory_of(parsed)
    try:
        check_output(parsed.output, _FORMS)
        record = states.look(directory)
        is_running = states.holder(directory) is not None
        run = runs.read(directory)
    except (CommandError, StateError, OSError) as error:
        print(f"argosy status: {error}", file=sys.stderr)
        return 1
    if record is None or run is None or not is_running:
        return _not_running(directory, record, run, parsed.output)
    conditions = asyncio.run(_conditions(record, run))
    if parsed.output in {"json", "yaml"}:
        sys.stdout.write(document(_document(directory, record, run, conditions), parsed.output))
    else:
        sys.stdout.write(_told(directory, record, run, conditions, wide=parsed.output == "wide"))
    is_up = run.state == runs.READY and all(each in _GOOD for each in conditions.values())
    return 0 if is_up else 1


def _not_running(directory: Path, record: FleetRecord | None, run: Run | None, form: str) -> int:
    if form in {"json", "yaml"}:
        found: Object = {"state": "NotRunning", "directory": str(directory)}
        if record is not None:
            found |= {"kubeconfig": record.kubeconfig, "processes": [], "clusters": []}
        sys.stdout.write(document(found, form))
    elif record is None:
        print(f"There is no fleet in {directory}: `argosy up` makes one.")
    else:
        how = "" if run is None else ", and was killed the last time"
        print(f"The fleet in {directory} does not run{how}: `argosy up` brings it back.")
    return NOT_RUNNING


async def _conditions(record: FleetRecord, run: Run) -> dict[str, str]:
    """The state of each cluster, by name."""
    down = {name for each in run.processes if each.pid == 0 for name in each.clusters}
    known = {each.name for each in run.clusters}
    try:
        connection = kubeconfig.load(record.kubeconfig, context=HUB)
        async with RemoteClient(connection, limits=_LIMITS) as client:
            listed = await client.list_all(MEMBER_CLUSTERS)
    except (ConfigError, StatusError) as error:
        if run.state == runs.READY:
            print(f"argosy status: the hub does not answer: {error}", file=sys.stderr)
        members, at_hub = {}, "Unreachable" if run.state == runs.READY else "Starting"
    else:
        found = [_member(bytes(raw.body)) for raw in listed.items]
        members, at_hub = {each.metadata.name: each for each in found}, "Serving"
    now = datetime.now(UTC)
    conditions = {HUB: at_hub}
    served = {name for each in run.processes for name in each.clusters}
    for name in (str(shape["name"]) for shape in record.members if shape["name"] in served):
        if name in down:
            conditions[name] = "Down"
        elif name not in known:
            conditions[name] = "Starting"
        elif at_hub != "Serving":
            conditions[name] = "Unknown"
        else:
            conditions[name] = _condition(members.get(name), now)
    return conditions


def _condition(member: MemberCluster | None, now: datetime) -> str:
    if member is None or not is_true(member.status.conditions, JOINED):
        return "NotJoined"
    beats = [each.last_received_heartbeat for each in member.status.agent_status]
    last = max((each for each in beats if each is not None), default=None)
    late = _BEATS * member.spec.heartbeat_period_seconds
    if last is None or (now - last).total_seconds() > late:
        return "Silent"
    return "Joined"


def _document(directory: Path, record: FleetRecord, run: Run, conditions: dict[str, str]) -> Object:
    found: Object = msgspec.to_builtins(run)
    addresses = {each.name: each for each in run.clusters}
    found["directory"] = str(directory)
    found["kubeconfig"] = record.kubeconfig
    found["clusters"] = [
        {
            "name": name,
            "state": condition,
            "address": addresses[name].address if name in addresses else "",
            "process": _process_of(run, name),
        }
        for name, condition in conditions.items()
    ]
    return found


def _told(
    directory: Path, record: FleetRecord, run: Run, conditions: dict[str, str], *, wide: bool
) -> str:
    now = datetime.now(UTC)
    step = f" ({run.step})" if run.step else ""
    lines = (
        f"{directory}: {run.state}{step}, for {_age(run.started, now)}\n"
        f"kubeconfig {record.kubeconfig}\n"
    )
    addresses = {each.name: each for each in run.clusters}
    clusters = [
        ["CLUSTER", "STATE", "ADDRESS", "PROCESS"],
        *(
            [name, condition, _address(addresses.get(name)), _process_of(run, name)]
            for name, condition in conditions.items()
        ),
    ]
    head = ["PROCESS", "PID", "CLUSTERS", "RESTARTS", "AGE", "LAST EXIT"]
    processes = [head, *(_process_row(each, now, wide=wide) for each in run.processes)]
    return f"{lines}\n{table(processes)}\n{table(clusters)}"


def _process_row(process: ProcessRun, now: datetime, *, wide: bool) -> list[str]:
    restarts = str(process.restarts)
    if process.last_exit_time:
        restarts += f" ({_age(process.last_exit_time, now)} ago)"
    clusters = ",".join(process.clusters)
    if not wide and len(process.clusters) > 4:
        clusters = f"{','.join(process.clusters[:3])},+{len(process.clusters) - 3}"
    age = _age(process.started, now) if process.pid else "-"
    pid = str(process.pid) if process.pid else "-"
    return [process.name, pid, clusters, restarts, age, process.last_exit or "-"]


def _process_of(run: Run, cluster: str) -> str:
    return next((each.name for each in run.processes if cluster in each.clusters), "")


def _address(cluster: ClusterRun | None) -> str:
    return "-" if cluster is None else cluster.address


def _age(since: str, now: datetime) -> str:
    return human_duration((now - parse_time(since)).total_seconds()) if since else "-"
