"""Texts that many printers share: ages, labels, selectors, containers, clipped lists."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from argosy.base.durations import human_duration
from argosy.base.selectors import labels as label_selectors
from argosy.base.timestamps import parse_time
from argosy.base.types import Json, Object

NONE: Final = "<none>"
UNSET: Final = "<unset>"
UNKNOWN: Final = "<unknown>"


def name_of(obj: Object) -> str:
    name: str = obj["metadata"].get("name", "")
    return name


def parts(obj: Object) -> tuple[Object, Object]:
    """Spec and status, empty where absent."""
    return obj.get("spec") or {}, obj.get("status") or {}


def age(obj: Object, now: datetime) -> str:
    return since(obj["metadata"].get("creationTimestamp"), now)


def since(timestamp: str | None, now: datetime) -> str:
    """How long ago a timestamp was, as users read it; `<unknown>` without one."""
    if not timestamp:
        return UNKNOWN
    return human_duration((now - parse_time(timestamp)).total_seconds())


def between(start: str, end: str) -> str:
    return human_duration((parse_time(end) - parse_time(start)).total_seconds())


def labels_text(labels: dict[str, str] | None) -> str:
    """`a=b,c=d`, sorted."""
    if not labels:
        return NONE
    return ",".join(f"{key}={labels[key]}" for key in sorted(labels))


def selector_text(selector: Object | None) -> str:
    """A LabelSelector in the form `-l` takes; "" when it selects everything or nothing."""
    return "" if selector is None else str(label_selectors.from_object(selector))


def container_cells(template: Object | None) -> list[Json]:
    """The names and the images of a pod template's containers, one cell each."""
    containers = ((template or {}).get("spec") or {}).get("containers") or []
    return [
        ",".join(container.get("name", "") for container in containers),
        ",".join(container.get("image", "") for container in containers),
    ]


def clipped(items: Sequence[str], limit: int = 3) -> str:
    """The first items, and how many were left out; `<unset>` when there are none."""
    if len(items) > limit:
        return f"{','.join(items[:limit])} + {len(items) - limit} more..."
    return ",".join(items) or UNSET
