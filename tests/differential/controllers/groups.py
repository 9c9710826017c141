"""Scenarios that need the same kind of real cluster are played on one, side by side where they may be.

Most need a kube-controller-manager and nobody else, because the player is scheduler and kubelet. A theme that names
others under `peer:` gets a control plane that runs these too; one that is `alone` is played one scenario at a time.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
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

AT_ONCE = 28
SECOND_LOOKS = 3


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


async def play_group(path: Path, group: Group) -> dict[str, list[Record]]:
    """Play scenarios on the real cluster of a kubeconfig, each in a namespace of its own; gives records by theme."""
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
    made = {(s.theme, s.name): record for s, record in zip(order, records, strict=True)}
    found: dict[str, list[Record]] = {}
    for scenario in group.scenarios:
        found.setdefault(scenario.theme, []).append(made[scenario.theme, scenario.name])
    return found


def play_here(scenario: Scenario) -> Record:
    """Play a scenario on Argosy in virtual time."""

    async def played() -> Record:
        async with clusters.argosy(VirtualClock(), scenario.controllers) as client:
            return await play(client, scenario, "h-played", VirtualClock())

    return run_virtual(played())


def hold(path: Path, group: Group) -> tuple[dict[str, list[Record]], list[str]]:
    """Hold Argosy to what the real cluster of a kubeconfig does: its records by theme, a text for each that differs.

    Which of two events a real controller sees first is chance, more so under load. A scenario that differs is
    therefore played there again, with less and less beside it, and only what differs every time is told.
    """
    records = asyncio.run(play_group(path, group))
    texts = compare(records)
    for _ in range(SECOND_LOOKS):
        if not texts:
            break
        doubtful = tuple(s for s in group.scenarios if (s.theme, s.name) in texts)
        again = asyncio.run(play_group(path, replace(group, scenarios=doubtful)))
        texts = compare(again)
        newer = {(theme, one.scenario): one for theme, some in again.items() for one in some}
        for theme, some in records.items():
            records[theme] = [newer.get((theme, one.scenario), one) for one in some]
    return records, list(texts.values())


def compare(records: dict[str, list[Record]]) -> dict[tuple[str, str], str]:
    """Hold Argosy to records of a real cluster; gives a text for each theme and scenario that differs."""
    texts = {}
    for theme, some in records.items():
        scenarios = {scenario.name: scenario for scenario in load(theme)}
        for want in some:
            scenario = scenarios[want.scenario]
            if found := comparing.differences(scenario, want, play_here(scenario)):
                title = f"{theme}: {scenario.name}:"
                texts[theme, scenario.name] = "\n  ".join([title, *found])
    return texts
