"""Node pools: machines of one kind that the cluster may have more or fewer of.

A typed view of `argosy.dev/v1alpha1` NodePool. Durations are Go's texts ("90s", "5m"), quantities may be numbers or
strings, as users write them. Defaults here are those of the CRD, which fills them in before anybody reads.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, View
from argosy.api.objects.nodes import Taint
from argosy.base.types import Object

Amount: TypeAlias = int | str


class MachineShape(View, frozen=True):
    cpu: Amount = "1"
    memory: Amount = "1Gi"
    ephemeral_storage: Amount = "100Gi"
    pods: int = 110
    gpus: int = 0
    gpu_type: str = ""
    extended_resources: dict[str, Amount] = msgspec.field(default_factory=dict)
    instance_type: str = ""


class PoolScaling(View, frozen=True):
    """How much and how often the number of machines may change."""

    max_step_up: int = 100
    max_step_down: int = 10
    interval: str = "10s"
    idle_time: str = "5m"
    stabilization_window: str = "5m"
    stock_out_cooldown: str = "5m"
    unready_time: str = "20m"


class NodePoolSpec(View, frozen=True):
    machine: MachineShape = MachineShape()
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    provider: str = "simulated"
    region: str = ""
    zone: str = ""
    spot: bool = False
    notice_seconds: int = 30
    price_per_hour: float = 0.0
    minimum: int = 0
    maximum: int = 10
    over_provision: int = 0
    # How many machines the provider has for this pool in all; None for as many as anybody wants.
    stock: int | None = None
    boot_time: str = "0s"
    runtime: str = "simulated"
    simulation: Object = msgspec.field(default_factory=dict)
    scaling: PoolScaling = PoolScaling()


class Boot(View, frozen=True):
    """Machines that were asked for together and become nodes of these names at `ready_at`."""

    ready_at: datetime
    names: tuple[str, ...] = ()


class NodePoolStatus(View, frozen=True):
    observed_generation: int = 0
    nodes: int = 0
    ready: int = 0
    booting: int = 0
    boots: tuple[Boot, ...] = ()
    pending: int = 0
    outdated: int = 0
    cost_per_hour: float = 0.0
    last_scale_up_time: datetime | None = None
    last_scale_down_time: datetime | None = None
    stock_out_until: datetime | None = None
    conditions: tuple[Condition, ...] = ()


class NodePool(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: NodePoolSpec = NodePoolSpec()
    status: NodePoolStatus = NodePoolStatus()
