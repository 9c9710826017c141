"""Pod disruption budgets and horizontal pod autoscalers (in the stored version, v2)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import (
    NONE,
    UNKNOWN,
    UNSET,
    age,
    name_of,
    parts,
)
from argosy.api.columns.printers import AGE, NAME, Printer, Printers, integer
from argosy.api.kinds import Column
from argosy.base.types import Json, Object


def _disruption_budget(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    return [
        name_of(obj),
        "N/A" if least is None else str(least),
        "N/A" if most is None else str(most),
        status.get("disruptionsAllowed") or 0,
        age(obj, now),
    ]


def _autoscaler(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    target = spec.get("scaleTargetRef") or {}
    least = spec.get("minReplicas")
    return [
        name_of(obj),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        _metrics_text(spec.get("metrics") or [], status.get("currentMetrics") or []),
        UNSET if least is None else str(least),
        spec.get("maxReplicas") or 0,
        status.get("currentReplicas") or 0,
        age(obj, now),
    ]


# Where a metric of a type keeps its details.
_METRIC_KEYS: Final = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def _metrics_text(specs: list[Object], statuses: list[Object]) -> str:
    if not specs:
        return NONE
    texts = [
        _metric_text(spec, statuses[index] if index < len(statuses) else {})
        for index, spec in enumerate(specs)
    ]
    if len(texts) > 2:
        return f"{', '.join(texts[:2])} + {len(texts) - 2} more..."
    return ", ".join(texts)


def _metric_text(spec: Object, status: Object) -> str:
    """`<now>/<wanted>`, with the resource's name before it or "(avg)" after it, as its type asks."""
    key = _METRIC_KEYS.get(spec.get("type", ""))
    if key is None:
        return "<unknown type>"
    source, current = spec.get(key) or {}, (status.get(key) or {}).get("current") or {}
    target = source.get("target") or {}
    average = target.get("averageValue")
    if key in {"resource", "containerResource"}:
        name = source.get("name", "")
        if average is not None:
            return f"{name}: {current.get('averageValue', UNKNOWN)}/{average}"
        used, wanted = current.get("averageUtilization"), target.get("averageUtilization")
        used_text = UNKNOWN if used is None else f"{used}%"
        return f"{name}: {used_text}/{'<auto>' if wanted is None else f'{wanted}%'}"
    if key == "pods":
        return f"{current.get('averageValue', UNKNOWN)}/{average}"
    if average is not None:
        return f"{current.get('averageValue', UNKNOWN)}/{average} (avg)"
    return f"{current.get('value', UNKNOWN)}/{target.get('value', '0')}"


PRINTERS: Final[Printers] = {
    ("policy", "PodDisruptionBudget"): Printer(
        (
            NAME,
            Column("Min Available", description="Pods that must stay."),
            Column("Max Unavailable", description="Pods that may be away."),
            integer("Allowed Disruptions", "Evictions that would be granted now."),
            AGE,
        ),
        _disruption_budget,
    ),
    ("autoscaling", "HorizontalPodAutoscaler"): Printer(
        (
            NAME,
            Column("Reference", description="What is scaled."),
            Column("Targets", description="Metrics now, and as wanted."),
            Column("MinPods", description="Fewest replicas allowed."),
            Column("MaxPods", description="Most replicas allowed."),
            Column("Replicas", description="Replicas now."),
            AGE,
        ),
        _autoscaler,
    ),
}
