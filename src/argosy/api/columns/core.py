"""The plain kinds: namespaces, configuration, accounts, quotas, events, leases, priority and runtime classes."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import age, name_of, parts, since
from argosy.api.columns.printers import AGE, NAME, Printer, Printers, integer
from argosy.api.kinds import Column
from argosy.base.types import Json, Object


def _namespace(obj: Object, now: datetime) -> list[Json]:
    _, status = parts(obj)
    return [name_of(obj), status.get("phase", ""), age(obj, now)]


def _component_status(obj: Object, now: datetime) -> list[Json]:
    healthy: Object = next(
        (c for c in obj.get("conditions") or () if c.get("type") == "Healthy"), {}
    )
    status = {"True": "Healthy", "False": "Unhealthy"}.get(healthy.get("status", ""), "Unknown")
    return [name_of(obj), status, healthy.get("message", ""), healthy.get("error", "")]


def _config_map(obj: Object, now: datetime) -> list[Json]:
    count = len(obj.get("data") or ()) + len(obj.get("binaryData") or ())
    return [name_of(obj), count, age(obj, now)]


def _secret(obj: Object, now: datetime) -> list[Json]:
    return [name_of(obj), obj.get("type", ""), len(obj.get("data") or ()), age(obj, now)]


def _service_account(obj: Object, now: datetime) -> list[Json]:
    return [name_of(obj), age(obj, now)]


def _resource_quota(obj: Object, now: datetime) -> list[Json]:
    _, status = parts(obj)
    used, hard = status.get("used") or {}, status.get("hard") or {}
    requests: list[str] = []
    limits: list[str] = []
    for resource in sorted(hard):
        text = f"{resource}: {used.get(resource, '0')}/{hard[resource]}"
        (limits if resource.startswith("limits.") else requests).append(text)
    return [name_of(obj), ", ".join(requests), ", ".join(limits), age(obj, now)]


def _event(obj: Object, now: datetime) -> list[Json]:
    regarding, source = obj.get("involvedObject") or {}, obj.get("source") or {}
    first = since(obj.get("firstTimestamp") or obj.get("eventTime"), now)
    last = since(obj["lastTimestamp"], now) if obj.get("lastTimestamp") else first
    count = obj.get("count") or 1
    series = obj.get("series")
    if series is not None:
        last, count = since(series.get("lastObservedTime"), now), series.get("count") or 0
    kind, name = regarding.get("kind", "").lower(), regarding.get("name")
    component = source.get("component") or obj.get("reportingComponent") or ""
    host = source.get("host") or obj.get("reportingInstance") or ""
    return [
        last,
        obj.get("type", ""),
        obj.get("reason", ""),
        f"{kind}/{name}" if name else kind,
        regarding.get("fieldPath", ""),
        f"{component}, {host}" if host else component,
        obj.get("message", "").strip(),
        first,
        count,
        name_of(obj),
    ]


def _lease(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    return [name_of(obj), spec.get("holderIdentity") or "", age(obj, now)]


def _priority_class(obj: Object, now: datetime) -> list[Json]:
    return [
        name_of(obj),
        obj.get("value") or 0,
        bool(obj.get("globalDefault")),
        age(obj, now),
        obj.get("preemptionPolicy") or "",
    ]


def _runtime_class(obj: Object, now: datetime) -> list[Json]:
    return [name_of(obj), obj.get("handler", ""), age(obj, now)]


_EVENT: Final = Printer(
    (
        Column("Last Seen", description="Time since it last happened."),
        Column("Type", description="Normal or Warning."),
        Column("Reason", description="One word for what happened."),
        Column("Object", description="What it happened to."),
        Column("Subobject", priority=1, description="The part of the object that is meant."),
        Column("Source", priority=1, description="Who reported it, and from where."),
        Column("Message", description="What happened."),
        Column("First Seen", priority=1, description="Time since it first happened."),
        Column("Count", priority=1, description="How often it happened."),
        Column("Name", format="name", priority=1, description=NAME.description),
    ),
    _event,
)

PRINTERS: Final[Printers] = {
    ("", "Namespace"): Printer(
        (NAME, Column("Status", description="Active, or Terminating while it empties."), AGE),
        _namespace,
    ),
    ("", "ComponentStatus"): Printer(
        (
            NAME,
            Column("Status", description="Healthy, Unhealthy or Unknown."),
            Column("Message", description="What it said of itself."),
            Column("Error", description="Why it could not be asked."),
        ),
        _component_status,
    ),
    ("", "ConfigMap"): Printer(
        (NAME, Column("Data", description="Number of keys."), AGE), _config_map
    ),
    ("", "Secret"): Printer(
        (
            NAME,
            Column("Type", description="What the secret is for."),
            Column("Data", description="Number of keys."),
            AGE,
        ),
        _secret,
    ),
    ("", "ServiceAccount"): Printer((NAME, AGE), _service_account),
    ("", "ResourceQuota"): Printer(
        (
            NAME,
            Column("Request", description="Used and allowed amounts but for limits."),
            Column("Limit", description="Used and allowed amounts of limits."),
            AGE,
        ),
        _resource_quota,
    ),
    ("", "Event"): _EVENT,
    ("events.k8s.io", "Event"): _EVENT,
    ("coordination.k8s.io", "Lease"): Printer(
        (NAME, Column("Holder", description="Who holds the lease."), AGE), _lease
    ),
    ("scheduling.k8s.io", "PriorityClass"): Printer(
        (
            NAME,
            integer("Value", "Priority of pods of this class; higher goes first."),
            Column("Global-Default", "boolean", description="Whether pods get it unasked."),
            AGE,
            Column("PreemptionPolicy", description="Whether such pods may evict others."),
        ),
        _priority_class,
    ),
    ("node.k8s.io", "RuntimeClass"): Printer(
        (NAME, Column("Handler", description="The runtime's name for it."), AGE), _runtime_class
    ),
}
