"""Namespaces, configuration, service accounts and events."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, ObjectReference, View


class NamespaceSpec(View, frozen=True):
    finalizers: tuple[str, ...] = ()


class NamespaceStatus(View, frozen=True):
    phase: str = ""
    conditions: tuple[Condition, ...] = ()


class Namespace(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: NamespaceSpec = NamespaceSpec()
    status: NamespaceStatus = NamespaceStatus()


class ConfigMap(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    data: dict[str, str] = msgspec.field(default_factory=dict)
    binary_data: dict[str, bytes] = msgspec.field(default_factory=dict)
    immutable: bool = False


class Secret(View, frozen=True):
    """The values are decoded from base64."""

    metadata: ObjectMeta = ObjectMeta()
    type: str = ""
    data: dict[str, bytes] = msgspec.field(default_factory=dict)
    immutable: bool = False


class LocalObjectReference(View, frozen=True):
    name: str = ""


class ServiceAccount(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    secrets: tuple[ObjectReference, ...] = ()
    image_pull_secrets: tuple[LocalObjectReference, ...] = ()
    automount_service_account_token: bool | None = None


class EventSource(View, frozen=True):
    component: str = ""
    host: str = ""


class EventSeries(View, frozen=True):
    count: int = 0
    last_observed_time: datetime | None = None


class Event(View, frozen=True):
    """An event in its core form."""

    metadata: ObjectMeta = ObjectMeta()
    involved_object: ObjectReference = ObjectReference()
    reason: str = ""
    message: str = ""
    type: str = ""
    source: EventSource = EventSource()
    count: int = 0
    first_timestamp: datetime | None = None
    last_timestamp: datetime | None = None
    event_time: datetime | None = None
    series: EventSeries | None = None
    action: str = ""
    reporting_component: str = ""
    reporting_instance: str = ""
