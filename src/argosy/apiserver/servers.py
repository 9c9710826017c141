"""One cluster put together and served: store, cluster, access, admission, verbs, paths, listener.

`build` wires, and is the one place that knows all the parts; nothing else imports it but the layers above. A server
without a listener is complete too: the local client works on it.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from argosy.apiserver import paths
from argosy.apiserver.access.authenticating import Authentication
from argosy.apiserver.access.identities import User
from argosy.apiserver.access.rbac import Rbac
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.admission import plugins
from argosy.apiserver.admission.escalation import Escalation
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.customs import Customs
from argosy.apiserver.dispatching import Dispatching
from argosy.apiserver.flows import Flows
from argosy.apiserver.handling import Handling
from argosy.apiserver.http.serving import Listener, listen
from argosy.apiserver.observing import Observer
from argosy.apiserver.specials import specials
from argosy.apiserver.specials.logs import LogSource
from argosy.apiserver.specials.metrics import EXTENSIONS as METRICS
from argosy.apiserver.specials.streams import ExecSource, MetricsSource
from argosy.apiserver.specials.visibility import EXTENSIONS as VISIBILITY
from argosy.apiserver.specials.visibility import PendingSource
from argosy.base.clock import Clock
from argosy.base.ids import Ids
from argosy.base.metrics import Registry
from argosy.store import Store


@dataclass(slots=True)
class ClusterServer:
    """A cluster and the chain that answers for it."""

    cluster: Cluster
    rbac: Rbac
    signer: Signer
    customs: Customs
    dispatching: Dispatching
    handling: Handling
    metrics: Registry

    async def listen(self, host: str, port: int, tls: ssl.SSLContext) -> Listener:
        return await listen(self.handling, host, port, tls)


def build(
    store: Store,
    *,
    clock: Clock,
    ids: Ids,
    signer: Signer,
    tokens: Mapping[str, User],
    flows: Flows | None = None,
    logs: Callable[[Cluster], LogSource] | None = None,
    exec: Callable[[Cluster], ExecSource] | None = None,  # noqa: A002  (kubectl's word)
    metrics: Callable[[Cluster], MetricsSource] | None = None,
    pending: Callable[[Cluster], PendingSource] | None = None,
) -> ClusterServer:
    """`tokens` are the bearer tokens known from the start; `logs` says where pods' logs are read, `exec` what runs
    commands in containers, `metrics` who measures nodes and pods (metrics.k8s.io is served where somebody does),
    `pending` who knows what waits in queues (and visibility.kueue.x-k8s.io where somebody knows).
    """
    cluster = Cluster(store, clock=clock, ids=ids, admission=plugins())
    customs = Customs(cluster)
    customs.load()
    rbac = Rbac(cluster)
    cluster.admission = (*cluster.admission, Escalation(rbac))
    registry = Registry()
    authentication = Authentication(cluster, signer, rbac, tokens)
    special = specials(
        rbac,
        signer,
        authentication,
        logs=logs(cluster) if logs is not None else None,
        execs=exec(cluster) if exec is not None else None,
        usage=metrics(cluster) if metrics is not None else None,
        pending=pending(cluster) if pending is not None else None,
    )
    extensions = (
        *(METRICS if metrics is not None else ()),
        *(VISIBILITY if pending is not None else ()),
    )
    dispatching = Dispatching(cluster, special, extensions)
    handling = Handling(
        authenticator=authentication,
        authorizer=rbac,
        flows=flows or Flows(),
        public=paths.public(cluster),
        paths=paths.Paths(cluster, registry, extensions),
        resources=dispatching,
        observer=Observer(registry),
    )
    return ClusterServer(cluster, rbac, signer, customs, dispatching, handling, registry)
