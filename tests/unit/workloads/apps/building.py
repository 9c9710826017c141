"""Pods, ReplicaSets and Deployments for tests, by what matters of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from argosy.api.objects import Condition, ObjectMeta, Pod, PodSpec, PodStatus
from argosy.api.objects.apps import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    DeploymentStrategy,
    IntOrPercent,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    RollingUpdateDeployment,
)
from argosy.base.types import Object

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def template(image: str = "x") -> Object:
    return {
        "metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }


def pod(
    name: str,
    *,
    phase: str = "Running",
    ready: bool = True,
    ready_for: float = 60.0,
    age: float = 100.0,
    node: str = "n",
    leaving: bool = False,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
) -> Pod:
    status = "True" if ready and phase == "Running" else "False"
    condition = Condition(type="Ready", status=status, last_transition_time=ago(ready_for))
    meta = ObjectMeta(
        name=name,
        namespace="ns",
        uid=f"uid-{name}",
        creation_timestamp=ago(age),
        deletion_timestamp=NOW if leaving else None,
        labels=labels or {},
        annotations=annotations or {},
    )
    return Pod(meta, PodSpec(node_name=node), PodStatus(phase=phase, conditions=(condition,)))


def replica_set(
    name: str,
    replicas: int,
    *,
    available: int | None = None,
    age: float = 0.0,
    annotations: dict[str, str] | None = None,
    image: str = "x",
) -> ReplicaSet:
    """A set whose pods are all there, and available unless said."""
    there = replicas if available is None else available
    return ReplicaSet(
        ObjectMeta(
            name=name,
            namespace="ns",
            uid=f"uid-{name}",
            creation_timestamp=ago(age),
            annotations=annotations or {},
        ),
        ReplicaSetSpec(replicas=replicas, template=template(image)),
        ReplicaSetStatus(
            replicas=replicas,
            ready_replicas=there,
            available_replicas=there,
            terminating_replicas=0,
            observed_generation=1,
        ),
    )


def deployment(
    replicas: int,
    *,
    surge: IntOrPercent = "25%",
    unavailable: IntOrPercent = "25%",
    strategy: str = "RollingUpdate",
    status: DeploymentStatus | None = None,
    annotations: dict[str, str] | None = None,
    generation: int = 1,
    **spec: object,
) -> Deployment:
    rolling = RollingUpdateDeployment(surge, unavailable) if strategy == "RollingUpdate" else None
    return Deployment(
        ObjectMeta(
            name="web",
            namespace="ns",
            uid="uid-web",
            generation=generation,
            annotations=annotations or {},
        ),
        DeploymentSpec(
            replicas=replicas,
            selector={"matchLabels": {"app": "a"}},
            template=template(),
            strategy=DeploymentStrategy(strategy, rolling),
            **spec,  # type: ignore[arg-type]  # tests name fields
        ),
        status or DeploymentStatus(),
    )
