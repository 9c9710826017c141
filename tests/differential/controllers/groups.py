"""Scenarios that need the same kind of real cluster are played on one, side by side where they may be.

Most need a kube-controller-manager and nobody else, because the player is scheduler and kubelet. A theme that names
others under `peer:` gets a control plane that runs these too; one that is `alone` is played one scenario at a time.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from argosy.base.clock import RealClock, VirtualClock
from argosy.base.loops import run_virtual
from argosy.client.protocol import Client
from peer.running import ControlPlane, control_plane
from tests.differential.controllers import clusters, comparing
from tests.differential.controllers.playing import Record, clean, play
from tests.differential.controllers.scenarios import Scenario, load
from tests.differential.repeating import Differences, Outcome, insist

AT_ONCE = 28


@dataclass(frozen=True, slots=True)
class Group:
    """Scenarios for one control plane."""

    peer: tuple[str, ...]
    is_alone: bool
    scenarios: tuple[Scenario, ...]


def grouped(themes: Iterable[str], only: str = "") -> list[Group]:
    """The groups of these themes' scenarios, those whose name contains `only`."""
    found: dict[tuple[tuple[str, ...], bool], list[Scenario]] = {}
    for theme in themes:
        for scenario in load(theme):
            if only in scenario.name:
                found.setdefault((scenario.peer, scenario.is_alone), []).append(scenario)
    return [Group(*kind, tuple(scenarios)) for kind, scenarios in found.items()]


def plane(group: Group, directory: Path) -> AbstractContextManager[ControlPlane]:
    """A control plane for a group, with its state below `directory`."""
    return control_plane(
        directory / "-".join(("plane", *group.peer)),
        controllers="*",
        scheduler="scheduler" in group.peer,
        limits=False,
    )


async def play_group(path: Path, group: Group) -> dict[str, Record]:
    """Play scenarios on the real cluster of a kubeconfig, each in a new namespace of its own; gives records by title."""
    seats = asyncio.Semaphore(1 if group.is_alone else AT_ONCE)

    async def one(client: Client, scenario: Scenario) -> Record:
        namespace = f"h-{scenario.theme}-{secrets.token_hex(4)}"
        async with seats:
            try:
                return await play(client, scenario, namespace, RealClock())
            finally:
                await clean(client, namespace)

    order = list(group.scenarios)
    if not group.is_alone:
        # Those that take longest first.
        order.sort(key=lambda scenario: -scenario.seconds)
    async with clusters.real(path) as client:
        records = await asyncio.gather(*(one(client, scenario) for scenario in order))
    return {scenario.title: record for scenario, record in zip(order, records, strict=True)}


def play_here(scenario: Scenario) -> Record:
    """Play a scenario on Argosy in virtual time."""

    async def played() -> Record:
        async with clusters.argosy(VirtualClock(), scenario.controllers) as client:
            return await play(client, scenario, "h-played", VirtualClock())

    return run_virtual(played())


def hold(path: Path, group: Group) -> tuple[dict[str, Record], Outcome]:
    """Hold Argosy to what the real cluster of a kubeconfig does; gives its records by title, too.

    What differs is played again on the same control plane, with less beside it.
    """
    scenarios = {scenario.title: scenario for scenario in group.scenarios}
    records: dict[str, Record] = {}

    def play_some(titles: Collection[str]) -> Differences:
        some = tuple(scenarios[title] for title in titles)
        records.update(asyncio.run(play_group(path, replace(group, scenarios=some))))
        return compare(some, records)

    return records, insist(scenarios, play_some)


def compare(scenarios: Iterable[Scenario], records: dict[str, Record]) -> Differences:
    """Hold Argosy to a real cluster's records of these scenarios."""
    found = {
        one.title: comparing.differences(one, records[one.title], play_here(one))
        for one in scenarios
    }
    return {title: texts for title, texts in found.items() if texts}
