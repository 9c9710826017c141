"""`argosy up`, `argosy hub` and `argosy member`: what runs until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from collections.abc import Coroutine
from pathlib import Path

from argosy.base.clock import RealClock
from argosy.base.errors import StatusError
from argosy.base.ids import RandomIds
from argosy.cli.serving import announce, loop_factory
from argosy.client import kubeconfig
from argosy.client.kubeconfig import ConfigError
from argosy.client.remote import RemoteClient
from argosy.control.assemblies import Assembly
from argosy.fleet.agents import assemble_agent
from argosy.fleet.fleets import FleetSettings
from argosy.fleet.fleets import up as run_fleet
from argosy.fleet.hubs import HubSettings, install
from argosy.fleet.serving import Interrupts
from argosy.fleet.shapes import default_shapes
from argosy.member.assembling import MemberSettings
from argosy.placement.assembling import PlacementSettings, add_placement
from argosy.placement.definitions import definitions
from argosy.placement.snapshotting.resources import Delays
from argosy.placement.statuses.wordings import HEAD, RELEASES
from argosy.store import DamagedStore, NewerStore, StoreInUse

_HUB_AGENT = "hub-agent"
_MEMBER_AGENT = "member-agent"


def up(parsed: argparse.Namespace) -> int:
    if parsed.state is None and not parsed.memory:
        print(
            "argosy up: say where the fleet is kept: --state DIR, or --memory for one that is gone at the end",
            file=sys.stderr,
        )
        return 2
    if parsed.memory:
        with tempfile.TemporaryDirectory(prefix="argosy-") as scratch:
            return _run("up", run_fleet(_settings(parsed, Path(scratch)), announce))
    parsed.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    return _run("up", run_fleet(_settings(parsed, parsed.state.resolve()), announce))


def hub(parsed: argparse.Namespace) -> int:
    return _run("hub", _hub(parsed))


def member(parsed: argparse.Namespace) -> int:
    return _run("member", _member(parsed))


def _settings(parsed: argparse.Namespace, directory: Path) -> FleetSettings:
    return FleetSettings(
        parsed.kubeconfig,
        directory,
        default_shapes(parsed.members),
        keeps=not parsed.memory,
        hub=HubSettings(_placement(parsed)),
    )


def _placement(parsed: argparse.Namespace) -> PlacementSettings:
    delays = Delays(
        parsed.resource_changes_collection_duration,
        parsed.resource_snapshot_creation_minimum_interval,
    )
    return PlacementSettings(HEAD if parsed.wording == "head" else RELEASES, delays)


async def _hub(parsed: argparse.Namespace) -> None:
    connection = kubeconfig.load(parsed.kubeconfig, context=parsed.context)
    async with RemoteClient(connection, user_agent=_HUB_AGENT) as client:
        # What else is placed is the hub's own matter: it may have Kueue's kinds of another version.
        await install(client, definitions())
        assembly = Assembly(client, clock=RealClock(), ids=RandomIds())
        add_placement(assembly, _placement(parsed))
        await _until_stopped(
            assembly.run(), f"argosy: the hub's controllers run on {connection.server}"
        )


async def _member(parsed: argparse.Namespace) -> None:
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
            settings=MemberSettings(),
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


def _run(verb: str, work: Coroutine[None, None, None]) -> int:
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(work)
    except (StoreInUse, DamagedStore, NewerStore, ConfigError) as error:
        print(f"argosy {verb}: {error}", file=sys.stderr)
        return 1
    except StatusError as error:
        print(f"argosy {verb}: {error.message}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"argosy {verb}: {error}", file=sys.stderr)
        return 1
    return 0
