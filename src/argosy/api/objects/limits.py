"""What the API server fills into pods: LimitRanges of their namespace, overhead of their RuntimeClass."""

from __future__ import annotations

import msgspec

from argosy.api.objects.metadata import ObjectMeta, Quantities, View


class LimitRangeItem(View, frozen=True):
    """What counts for things of one type: Pod, Container or PersistentVolumeClaim."""

    type: str = ""
    max: Quantities = msgspec.field(default_factory=dict)
    min: Quantities = msgspec.field(default_factory=dict)
    default: Quantities = msgspec.field(default_factory=dict)
    default_request: Quantities = msgspec.field(default_factory=dict)
    max_limit_request_ratio: Quantities = msgspec.field(default_factory=dict)


class LimitRangeSpec(View, frozen=True):
    limits: tuple[LimitRangeItem, ...] = ()


class LimitRange(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: LimitRangeSpec = LimitRangeSpec()


class Overhead(View, frozen=True):
    pod_fixed: Quantities = msgspec.field(default_factory=dict)


class RuntimeClass(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    overhead: Overhead | None = None
