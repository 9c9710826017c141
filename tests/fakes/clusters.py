"""Clusters in memory for tests: the real server on a store that is kept nowhere.

In virtual time it is as fast as a fake would be, and it says what a real one says. Nobody keeps house unless a
test starts `keep_house`; namespaces have to be made before objects go into them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec

from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.servers import ClusterServer, build
from argosy.apiserver.specials.logs import LogSource
from argosy.apiserver.specials.visibility import PendingSource
from argosy.base.clock import Clock, VirtualClock
from argosy.base.ids import Ids, SeededIds
from argosy.client.local import LocalClient
from argosy.client.resources import NAMESPACES
from argosy.store import Bounds, MemoryStore
from argosy.store.histories import HISTORY


@cache
def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def memory_server(
    clock: Clock | None = None,
    tokens: Mapping[str, User] | None = None,
    history: Bounds = HISTORY,
    ids: Ids | None = None,
    pending: Callable[[Cluster], PendingSource] | None = None,
    logs: Callable[[Cluster], LogSource] | None = None,
) -> ClusterServer:
    """A cluster without any object."""
    clock = clock or VirtualClock()
    return build(
        MemoryStore(history=history),
        clock=clock,
        ids=ids or SeededIds(1),
        signer=Signer(_key(), clock),
        tokens=tokens or {},
        pending=pending,
        logs=logs,
    )


async def memory_client(namespaces: Iterable[str] = ("ns",), user: User = ADMIN) -> LocalClient:
    """A client of a cluster of its own, which has these namespaces."""
    server = memory_server()
    admin = LocalClient(server, ADMIN, agent="test")
    for name in namespaces:
        await admin.create(NAMESPACES, {"metadata": {"name": name}})
    return LocalClient(server, user, agent="test")
