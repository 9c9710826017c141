"""One cluster in the foreground: open the store, build the server, listen, write the kubeconfig, have its controllers
run, serve until told to stop.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from argosy.api.builtin import builtin_kinds
from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.access.tokens import Signer, load_key, write_private
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.clusters import describing
from argosy.apiserver.http.serving import server_context
from argosy.apiserver.servers import ClusterServer, build
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.fleet import certificates, kubeconfigs
from argosy.fleet.controllers import Workplace, Works, assemble
from argosy.queueing.configuration import Configuration
from argosy.queueing.visibility import Pending
from argosy.store import MemoryStore, Store, open_store
from argosy.workloads.housekeeping import keep_house, prepare_house
from argosy.workloads.podlogs import PodLogs
from argosy.workloads.runtimes.answering import Answers
from argosy.workloads.runtimes.process import Isolation, Unfit

HOSTS = ("127.0.0.1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


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


async def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` gets the one line that says so."""
    interrupts = Interrupts()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, interrupts)
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
    store = _open(settings)
    try:
        signer = Signer(load_key(directory / "serviceaccounts.key"), RealClock())
        token = _admin_token(directory / "admin.token")
        answers, pending = Answers(), Pending()
        server = _build(settings, directory, store, signer, token, answers, pending)
        await bootstrap(server.cluster)
        files = certificates.prepare(directory / "pki", [*HOSTS, settings.host])
        ca = files.ca.read_text()
        await prepare_house(server.cluster, ca=ca)
        tls = server_context(str(files.certificate), str(files.key))
        listener = await server.listen(settings.host, _port(settings, directory), tls)
        address = f"https://{settings.host}:{listener.port}"
        (directory / "port").write_text(str(listener.port))
        kubeconfigs.write(
            settings.kubeconfig,
            [kubeconfigs.Context(settings.context, address, ca.encode(), token)],
        )
        line = f"argosy: cluster is ready at {address} (kubeconfig {settings.kubeconfig}, context {settings.context})"
        unfit: Unfit | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(keep_house(server.cluster, ca=ca))]
                if not settings.is_bare:
                    workplace = Workplace(
                        directory,
                        (settings.host, listener.port),
                        settings.allows_processes,
                        settings.isolation,
                        # It holds the administrator's token.
                        hidden=(settings.kubeconfig.resolve(),),
                    )
                    works = await assemble(
                        server,
                        answers,
                        workplace,
                        clock=RealClock(),
                        ids=RandomIds(),
                        queueing=settings.queueing,
                        pending=pending,
                    )
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
        finally:
            await listener.stop()
    finally:
        await store.close()


async def _problem(works: Works) -> Unfit | None:
    """Why containers can not be run as asked for."""
    try:
        await works.prepared()
    except Unfit as unfit:
        return unfit
    return None


def _build(
    settings: Settings,
    directory: Path,
    store: Store,
    signer: Signer,
    token: str,
    answers: Answers,
    pending: Pending,
) -> ClusterServer:
    """The server; on a bare cluster logs are read from files that somebody may put there."""
    clock, ids, tokens = RealClock(), RandomIds(), {token: ADMIN}
    if settings.is_bare:
        return build(
            store,
            clock=clock,
            ids=ids,
            signer=signer,
            tokens=tokens,
            logs=lambda cluster: PodLogs(cluster, directory / "logs"),
        )
    return build(
        store,
        clock=clock,
        ids=ids,
        signer=signer,
        tokens=tokens,
        logs=lambda _: answers,
        exec=lambda _: answers,
        metrics=lambda _: answers,
        pending=lambda _: pending,
    )


def _open(settings: Settings) -> Store:
    if settings.state is None:
        return MemoryStore()
    return open_store(settings.state / "store.db", describe=describing(builtin_kinds()))


def _port(settings: Settings, directory: Path) -> int:
    """The port asked for, else the one of the last start, so that a kubeconfig stays good."""
    if settings.port:
        return settings.port
    remembered = directory / "port"
    if remembered.exists():
        import socket

        port = int(remembered.read_text())
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((settings.host, port))
            except OSError:
                return 0
        return port
    return 0


def _admin_token(path: Path) -> str:
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32).encode())
    return path.read_text().strip()
