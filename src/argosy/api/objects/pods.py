"""Pods: what scheduling, running and counting them needs.

Affinity, topology spread, volumes, probes and security contexts stay plain dicts: those who look at them read deeper
than a view should go.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, Quantities, View
from argosy.base.types import Object


class ResourceRequirements(View, frozen=True):
    requests: Quantities = msgspec.field(default_factory=dict)
    limits: Quantities = msgspec.field(default_factory=dict)


class ContainerPort(View, frozen=True):
    container_port: int = 0
    host_port: int = 0
    host_ip: str = msgspec.field(default="", name="hostIP")
    name: str = ""
    protocol: str = "TCP"


class EnvVar(View, frozen=True):
    name: str = ""
    value: str = ""
    value_from: Object | None = None


class Container(View, frozen=True):
    name: str = ""
    image: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    working_dir: str = ""
    env: tuple[EnvVar, ...] = ()
    env_from: tuple[Object, ...] = ()
    ports: tuple[ContainerPort, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    # Always makes an init container a sidecar.
    restart_policy: str = ""
    restart_policy_rules: tuple[Object, ...] = ()
    volume_mounts: tuple[Object, ...] = ()
    liveness_probe: Object | None = None
    readiness_probe: Object | None = None
    startup_probe: Object | None = None
    lifecycle: Object | None = None
    image_pull_policy: str = ""
    security_context: Object | None = None
    termination_message_path: str = "/dev/termination-log"
    termination_message_policy: str = "File"
    stdin: bool = False
    stdin_once: bool = False
    tty: bool = False


class Toleration(View, frozen=True):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class SchedulingGate(View, frozen=True):
    name: str = ""


class PodSpec(View, frozen=True):
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    # Requests and limits for the whole pod.
    resources: ResourceRequirements | None = None
    node_name: str = ""
    node_selector: dict[str, str] = msgspec.field(default_factory=dict)
    affinity: Object | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[Object, ...] = ()
    volumes: tuple[Object, ...] = ()
    restart_policy: str = "Always"
    scheduler_name: str = ""
    scheduling_gates: tuple[SchedulingGate, ...] = ()
    service_account_name: str = ""
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str | None = None
    overhead: Quantities = msgspec.field(default_factory=dict)
    termination_grace_period_seconds: int | None = None
    active_deadline_seconds: int | None = None
    hostname: str = ""
    subdomain: str = ""
    host_network: bool = False
    readiness_gates: tuple[Object, ...] = ()
    security_context: Object | None = None


class ContainerStateRunning(View, frozen=True):
    started_at: datetime | None = None


class ContainerStateTerminated(View, frozen=True):
    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None


class ContainerStateWaiting(View, frozen=True):
    reason: str = ""
    message: str = ""


class ContainerState(View, frozen=True):
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None
    waiting: ContainerStateWaiting | None = None


class ContainerStatus(View, frozen=True):
    name: str = ""
    container_id: str = msgspec.field(default="", name="containerID")
    ready: bool = False
    started: bool | None = None
    restart_count: int = 0
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()


class PodIP(View, frozen=True):
    ip: str = ""


class PodStatus(View, frozen=True):
    phase: str = ""
    observed_generation: int = 0
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ip: str = msgspec.field(default="", name="podIP")
    pod_ips: tuple[PodIP, ...] = msgspec.field(default=(), name="podIPs")
    start_time: datetime | None = None
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    nominated_node_name: str = ""
    qos_class: str = msgspec.field(default="", name="qosClass")


class Pod(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def is_terminal(self) -> bool:
        """Whether none of its containers will ever run again."""
        return self.status.phase in {"Succeeded", "Failed"}
