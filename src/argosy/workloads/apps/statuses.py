"""Statuses as patches: only what changed is sent, and nothing at all when nothing did.

Every write names the revision it was decided on. A controller that looked at an old picture gets a Conflict and looks
again; it never undoes what another has written.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects import ObjectMeta, View
from argosy.base.types import Object
from argosy.client.objects import Raw
from argosy.client.protocol import Client
from argosy.client.resources import Resource


def changes(old: View, new: View) -> Object:
    """The merge patch that turns one status into the other; None becomes a null."""
    patch: Object = {}
    for field, name in zip(new.__struct_fields__, new.__struct_encode_fields__, strict=True):
        value = getattr(new, field)
        if getattr(old, field) != value:
            plain = list(value) if isinstance(value, tuple) else value
            patch[name] = msgspec.to_builtins(plain)
    return patch


async def write_status(
    client: Client, resource: Resource, meta: ObjectMeta, old: View, new: View
) -> Raw | None:
    """Write what differs; None when nothing does."""
    patch = changes(old, new)
    if not patch:
        return None
    return await client.patch(
        resource,
        meta.name,
        {"metadata": {"resourceVersion": meta.resource_version}, "status": patch},
        namespace=meta.namespace,
        subresource="status",
    )


def whole_seconds(now: datetime) -> datetime:
    """As conditions keep times."""
    return now.replace(microsecond=0)
