"""EndpointSlices and Endpoints: the addresses behind services."""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.workloads.endpoints.backends import Backends
from argosy.workloads.endpoints.legacy import EndpointsObjects
from argosy.workloads.endpoints.slices import EndpointSlices

__all__ = ["add_endpoints"]


def add_endpoints(assembly: Assembly) -> None:
    """Add the endpointslice and the endpoints controllers."""
    backends = Backends(assembly)
    EndpointSlices(assembly, backends)
    EndpointsObjects(assembly, backends)
