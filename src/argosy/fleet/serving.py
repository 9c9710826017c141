"""One bare cluster in the foreground: open the store, build the server, listen, write the kubeconfig, serve until
told to stop.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from argosy.api.builtin import builtin_kinds
from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.access.tokens import Signer, load_key, write_private
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.clusters import describing
from argosy.apiserver.http.serving import server_context
from argosy.apiserver.servers import build
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.fleet import certificates, kubeconfigs
from argosy.store import MemoryStore, Store, open_store
from argosy.workloads.housekeeping import keep_house, prepare_house
from argosy.workloads.podlogs import PodLogs

HOSTS = ("127.0.0.1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


@dataclass(slots=True, frozen=True)
class Settings:
    """What `argosy serve` takes. `state` None: nothing is kept."""

    kubeconfig: Path
    state: Path | None = None
    port: int = 0
    host: str = "127.0.0.1"
    context: str = "cluster"


async def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` gets the one line that says so."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    if settings.state is not None:
        settings.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        await _serve(settings, settings.state, ready, stopping)
        return
    with tempfile.TemporaryDirectory(prefix="argosy-") as scratch:
        await _serve(settings, Path(scratch), ready, stopping)


async def _serve(
    settings: Settings, directory: Path, ready: Callable[[str], None], stopping: asyncio.Event
) -> None:
    store = _open(settings)
    try:
        signer = Signer(load_key(directory / "serviceaccounts.key"), RealClock())
        token = _admin_token(directory / "admin.token")
        server = build(
            store,
            clock=RealClock(),
            ids=RandomIds(),
            signer=signer,
            tokens={token: ADMIN},
            logs=lambda cluster: PodLogs(cluster, directory / "logs"),
        )
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
        ready(
            f"argosy: cluster is ready at {address} (kubeconfig {settings.kubeconfig}, context {settings.context})"
        )
        house = asyncio.create_task(keep_house(server.cluster, ca=ca))
        try:
            await stopping.wait()
        finally:
            house.cancel()
            await listener.stop()
            await asyncio.gather(house, return_exceptions=True)
    finally:
        await store.close()


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
