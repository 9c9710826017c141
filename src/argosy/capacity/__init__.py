"""Node pools, the autoscaler, and the answers to ProvisioningRequests.

`definitions` are the CRDs, to be applied before the assembly runs. Then, from pure to writing: `machines` knows what a
node of a pool looks like, `snapshots`, `packing`, `neighbors`, `settling`, `growing`, `shrinking` and `deciding`
decide, `explaining` has the words, `statuses` what pools say; `occupancy`, `demands`, `daemons`, `surveying`, `crowds`
and `pools` keep what is seen; `provisioning`, `removing`, `reclaiming` and `draining` do what was decided;
`autoscaling` holds it together.
"""

from __future__ import annotations

from argosy.capacity.autoscaling import Autoscaler
from argosy.capacity.definitions import definitions
from argosy.capacity.resources import PROVISIONING_REQUESTS
from argosy.client.resources import NODE_POOLS
from argosy.control.assemblies import Assembly

__all__ = ["NODE_POOLS", "PROVISIONING_REQUESTS", "add_capacity", "definitions"]


def add_capacity(assembly: Assembly, *, allow_processes: bool = False) -> None:
    """Have the assembly keep node pools. Pools whose runtime runs code on this host need `allow_processes`."""
    Autoscaler(assembly, allow_processes=allow_processes)
