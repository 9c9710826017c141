"""What all pods of the process runtime share: the keeper, folders, addresses, and where news go."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from pathlib import Path

from argosy.base.clock import Clock
from argosy.client.protocol import Client
from argosy.workloads.runtimes.process.keeper.orders import Isolation
from argosy.workloads.runtimes.process.keeping import Keeping
from argosy.workloads.runtimes.protocol import Reporter


@dataclass(slots=True)
class Host:
    """This machine as a node runs pods on it."""

    client: Client
    clock: Clock
    reporter: Reporter
    keeping: Keeping
    state: Path
    logs: Path
    # Host and port of the API server, for clients in pods.
    api: tuple[str, int] | None
    isolation: Isolation = "none"
    # The pause before the second restart of a container.
    first_pause_seconds: float = 10.0
    # Folders and files of this machine that no container may see: other pods' secrets, the cluster's own.
    hidden: tuple[Path, ...] = ()
    # Processors with a container bound to them, once for each container.
    bound_cpus: list[int] = field(default_factory=list)

    def pod_folder(self, uid: str) -> Path:
        return self.state / "pods" / uid


def own_address() -> str:
    """The address other machines would see; nothing is sent. Empty where there is no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        address: str = probe.getsockname()[0]
        return "" if address.startswith("127.") else address
