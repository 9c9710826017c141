"""Services, and the endpoints behind them.

The endpoints of a slice and the subsets of an Endpoints object stay plain dicts: they are compared with what should be
written, and written.
"""

from __future__ import annotations

import msgspec

from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.types import Object


class ServicePort(View, frozen=True):
    name: str = ""
    port: int = 0
    protocol: str = "TCP"
    # A number, or the name of a port of the pod.
    target_port: int | str = 0
    app_protocol: str | None = None


class ServiceSpec(View, frozen=True):
    type: str = "ClusterIP"
    selector: dict[str, str] = msgspec.field(default_factory=dict)
    ports: tuple[ServicePort, ...] = ()
    cluster_ip: str = msgspec.field(default="", name="clusterIP")
    ip_families: tuple[str, ...] = msgspec.field(default=(), name="ipFamilies")
    publish_not_ready_addresses: bool = False


class Service(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()

    @property
    def is_headless(self) -> bool:
        """Whether it has no address of its own."""
        return self.spec.cluster_ip in {"", "None"}


class EndpointPort(View, frozen=True):
    name: str | None = None
    protocol: str | None = None
    port: int | None = None
    app_protocol: str | None = None


class EndpointSlice(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    address_type: str = ""
    endpoints: tuple[Object, ...] | None = None
    ports: tuple[EndpointPort, ...] | None = None


class Endpoints(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    subsets: tuple[Object, ...] = ()
