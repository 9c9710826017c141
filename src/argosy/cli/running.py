"""`argosy up`, `argosy hub` and `argosy member`: what runs until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Coroutine
from pathlib import Path

import msgspec

from argosy.base import logs
from argosy.base.clock import RealClock
from argosy.base.errors import StatusError
from argosy.base.ids import RandomIds
from argosy.cli.detaching import STARTING
from argosy.cli.failing import problem
from argosy.cli.progress import Progress
from argosy.cli.screens.foregrounds import foreground
from argosy.cli.serving import announce, queueing_of
from argosy.client import kubeconfig
from argosy.client.kubeconfig import ConfigError
from argosy.control.assemblies import Assembly
from argosy.dispatch.assembling import HistorySettings, add_history
from argosy.fleet import states
from argosy.fleet.agents import assemble_agent
from argosy.fleet.clusters import PortInUse
from argosy.fleet.files import FileError
from argosy.fleet.files import read as read_file
from argosy.fleet.fleets import FleetSettings
from argosy.fleet.founding import Founding
from argosy.fleet.hubs import HubSettings, own_kinds
from argosy.fleet.installing import install
from argosy.fleet.kubeconfigs import KubeconfigError
from argosy.fleet.loops import loop_factory
from argosy.fleet.processes import ChildFailed
from argosy.fleet.running import up as run_fleet
from argosy.fleet.serving import Interrupts
from argosy.fleet.shapes import MemberShape, default_shapes
from argosy.fleet.states import StateError
from argosy.fleet.stopping import INTERRUPTED, Interrupted
from argosy.member.assembling import MemberSettings
from argosy.placement.assembling import PlacementSettings, add_placement
from argosy.placement.snapshotting.resources import Delays
from argosy.placement.statuses.wordings import HEAD, RELEASES
from argosy.queueing.configuration import Configuration
from argosy.store import StoreError

_HUB_AGENT = "hub-agent"
_MEMBER_AGENT = "member-agent"
_DEFAULT_MEMBERS = 3


def up(parsed: argparse.Namespace) -> int:
    queueing = queueing_of(parsed.queueing_config, "up")
    if queueing is None:
        return 2
    if parsed.memory:
        with tempfile.TemporaryDirectory(prefix="argosy-") as scratch:
            return _up(parsed, Path(scratch), queueing)
    return _up(
        parsed, (parsed.state or states.default_directory()).expanduser().absolute(), queueing
    )


def hub(parsed: argparse.Namespace) -> int:
    logs.configure(parsed.log_format)
    return _run("hub", _hub(parsed))


def member(parsed: argparse.Namespace) -> int:
    logs.configure(parsed.log_format)
    return _run("member", _member(parsed))


def _up(parsed: argparse.Namespace, directory: Path, queueing: Configuration) -> int:
    given: tuple[MemberShape, ...] | None = None
    if parsed.fleet is not None and (given := _given(parsed.fleet)) is None:
        return 2
    try:
        settings = _settings(parsed, directory, queueing, given)
    except (StateError, OSError) as error:
        print(f"argosy up: {error}", file=sys.stderr)
        return 1
    logs.configure(parsed.log_format)
    screen = foreground(parsed, settings)
    tell = Progress(STARTING) if screen is None else screen.progress(STARTING)

    def ready(line: str) -> None:
        tell.clear()
        announce(line)
        if parsed.background:
            # Whoever started it has read the line and goes away.
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        elif screen is None:
            tell.tell(hint(settings))

    work = run_fleet(settings, ready, tell=tell, beside=screen)
    return _run("up", work if screen is None else screen.around(work), tell)


def hint(settings: FleetSettings) -> str:
    """What to try next."""
    given = (
        "" if settings.directory == states.default_directory() else f" --state {settings.directory}"
    )
    return (
        f"argosy: try  kubectl --kubeconfig {settings.kubeconfig} get memberclusters\n"
        f"argosy: or   argosy status{given}   (Ctrl-C ends the fleet; `argosy up` brings it back)"
    )


def _given(path: Path) -> tuple[MemberShape, ...] | None:
    """The members of a fleet file; None if it has mistakes, which are told."""
    try:
        return read_file(path.read_bytes(), name=str(path))
    except OSError as error:
        problems: tuple[str, ...] = (error.strerror or str(error),)
    except FileError as error:
        problems = error.problems
    print(f"argosy up: nothing was started: --fleet {path}:", file=sys.stderr)
    for each in problems:
        print(f"  {each}", file=sys.stderr)
    return None


def _settings(
    parsed: argparse.Namespace,
    directory: Path,
    queueing: Configuration,
    given: tuple[MemberShape, ...] | None,
) -> FleetSettings:
    record = states.look(directory)
    shapes = given or _shapes(parsed, record)
    merged = record.merged if record is not None else ""
    if parsed.merge_kubeconfig:
        merged = "~/.kube/config"
    most = len(shapes) + 1
    if parsed.processes > most:
        print(
            f"argosy up: --processes {parsed.processes} is more than a hub and {len(shapes)} members can use: "
            f"there will be {most}",
            file=sys.stderr,
        )
    return FleetSettings(
        (parsed.kubeconfig or directory / states.KUBECONFIG).expanduser(),
        directory,
        shapes,
        keeps=not parsed.memory,
        hub=HubSettings(_placement(parsed)),
        queueing=queueing,
        port=parsed.port,
        merged=Path(merged).expanduser() if merged else None,
        processes=min(parsed.processes, most),
        log_format=parsed.log_format,
        founding=_founding(record, is_declared=given is not None),
    )


def _founding(record: states.FleetRecord | None, *, is_declared: bool) -> Founding:
    """A fleet file holds over what there is; so does one whose start was cut short."""
    if record is None:
        return Founding(is_declared)
    running = {each["name"] for each in record.members}
    if not is_declared and not any(each["name"] in running for each in record.before):
        return Founding(before={})
    before: dict[str, tuple[MemberShape, ...]] = {}
    for shape in msgspec.convert((*record.before, *record.members), tuple[MemberShape, ...]):
        if shape not in before.get(shape.name, ()):
            before[shape.name] = (*before.get(shape.name, ()), shape)
    return Founding(is_declared=True, before=before)


def _shapes(
    parsed: argparse.Namespace, record: states.FleetRecord | None
) -> tuple[MemberShape, ...]:
    """As many as asked for, else those of the last start."""
    if parsed.members is not None or record is None or not record.members:
        return default_shapes(parsed.members or _DEFAULT_MEMBERS)
    return msgspec.convert(record.members, tuple[MemberShape, ...])


def _placement(parsed: argparse.Namespace) -> PlacementSettings:
    delays = Delays(
        parsed.resource_changes_collection_duration,
        parsed.resource_snapshot_creation_minimum_interval,
    )
    return PlacementSettings(HEAD if parsed.wording == "head" else RELEASES, delays)


async def _hub(parsed: argparse.Namespace) -> None:
    from argosy.client.remote import RemoteClient  # HTTP is not loaded by a fleet in one process

    connection = kubeconfig.load(parsed.kubeconfig, context=parsed.context)
    async with RemoteClient(connection, user_agent=_HUB_AGENT) as client:
        # What else is placed is the hub's own matter: it may have Kueue's kinds of another version.
        await install(client, own_kinds())
        assembly = Assembly(client, clock=RealClock(), ids=RandomIds())
        add_placement(assembly, _placement(parsed))
        add_history(assembly, HistorySettings())
        await _until_stopped(
            assembly.run(), f"argosy: the hub's controllers run on {connection.server}"
        )


async def _member(parsed: argparse.Namespace) -> None:
    from argosy.client.remote import RemoteClient

    at_hub = kubeconfig.load(parsed.hub_kubeconfig, context=parsed.hub_context)
    at_home = kubeconfig.load(parsed.kubeconfig, context=parsed.context)
    async with (
        RemoteClient(at_hub, user_agent=_MEMBER_AGENT) as hub_client,
        RemoteClient(at_home, user_agent=_MEMBER_AGENT) as client,
    ):
        agent = await assemble_agent(
            parsed.name,
            hub=hub_client,
            cluster=client,
            clock=RealClock(),
            ids=RandomIds(),
            settings=MemberSettings(holds_jobs=parsed.hold_jobs),
        )
        line = f"argosy: the agent of member {parsed.name} runs, hub {at_hub.server}, cluster {at_home.server}"
        await _until_stopped(agent.run(), line)


async def _until_stopped(work: Coroutine[None, None, None], line: str) -> None:
    interrupts = Interrupts()
    interrupts.listen()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(work)
        announce(line)
        await interrupts.wanted.wait()
        running.cancel()


def _run(verb: str, work: Coroutine[None, None, None], progress: Progress | None = None) -> int:
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(work)
    except Interrupted:
        return _failed(verb, "ended before it was ready, as told", progress, INTERRUPTED)
    except (StateError, KubeconfigError, PortInUse, ChildFailed) as error:
        return _failed(verb, str(error), progress)
    except (StoreError, ConfigError, StatusError, OSError, BaseExceptionGroup) as error:
        if (message := problem(error)) is None:
            raise
        return _failed(verb, message, progress)
    return 0


def _failed(verb: str, message: str, progress: Progress | None, code: int = 1) -> int:
    if progress is not None:
        progress.clear()
    print(f"argosy {verb}: {message}", file=sys.stderr)
    return code
