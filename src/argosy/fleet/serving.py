"""One cluster in the foreground: serve it, write the kubeconfig, have its controllers run until told to stop."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.fleet import kubeconfigs
from argosy.fleet.clusters import Listening, Place, listening
from argosy.fleet.controllers import Workplace, Works, assemble
from argosy.queueing.configuration import Configuration
from argosy.workloads.runtimes.process import Isolation, Unfit


@dataclass(slots=True, frozen=True)
class Settings:
    """What `argosy serve` takes. `state` None: nothing is kept."""

    kubeconfig: Path
    state: Path | None = None
    port: int = 0
    host: str = "127.0.0.1"
    context: str = "cluster"
    # The API alone: nobody makes pods, nodes do not run any.
    is_bare: bool = False
    # Nodes may run containers' commands as processes of this machine.
    allows_processes: bool = False
    # How these are kept apart; None is the strongest way this machine allows.
    isolation: Isolation | None = None
    # How jobs are queued.
    queueing: Configuration = field(default_factory=Configuration)


class Interrupts:
    """The first signal asks to stop, every further one to hurry."""

    def __init__(self) -> None:
        self.wanted = asyncio.Event()
        self.hurry: Callable[[], None] = lambda: None

    def __call__(self) -> None:
        if self.wanted.is_set():
            self.hurry()
        self.wanted.set()

    def listen(self) -> None:
        """Be called by SIGTERM and SIGINT."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self)


async def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` gets the one line that says so."""
    interrupts = Interrupts()
    interrupts.listen()
    if settings.state is not None:
        settings.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Containers have a root of their own, where a relative path means another place.
        await _serve(settings, settings.state.resolve(), ready, interrupts)
        return
    with tempfile.TemporaryDirectory(prefix="argosy-") as scratch:
        await _serve(settings, Path(scratch), ready, interrupts)


async def _serve(
    settings: Settings, directory: Path, ready: Callable[[str], None], interrupts: Interrupts
) -> None:
    async with listening(_place(settings, directory)) as cluster:
        kubeconfigs.write(settings.kubeconfig, [cluster.context()])
        line = (
            f"argosy: cluster is ready at {cluster.address} "
            f"(kubeconfig {settings.kubeconfig}, context {settings.context})"
        )
        unfit: Unfit | None = None
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(cluster.keep_house())]
            if not settings.is_bare:
                works = await _works(settings, cluster)
                interrupts.hurry = works.hurry
                running.append(tasks.create_task(works.assembly.run()))
                await works.assembly.started()
                unfit = await _problem(works)
            if unfit is None:
                ready(line)
                await interrupts.wanted.wait()
            for task in running:
                task.cancel()
        if unfit is not None:
            raise unfit


def _place(settings: Settings, directory: Path) -> Place:
    return Place(
        settings.context,
        directory,
        keeps=settings.state is not None,
        has_nodes=not settings.is_bare,
        host=settings.host,
        port=settings.port,
    )


async def _works(settings: Settings, cluster: Listening) -> Works:
    workplace = Workplace(
        cluster.place.directory,
        (settings.host, cluster.port),
        settings.allows_processes,
        settings.isolation,
        # It holds the administrator's token.
        hidden=(settings.kubeconfig.resolve(),),
    )
    return await assemble(
        cluster.server,
        cluster.answers,
        workplace,
        clock=RealClock(),
        ids=RandomIds(),
        queueing=settings.queueing,
        pending=cluster.pending,
    )


async def _problem(works: Works) -> Unfit | None:
    """Why containers can not be run as asked for."""
    try:
        await works.prepared()
    except Unfit as unfit:
        return unfit
    return None
