"""Takes objects from the member that a Work no longer has: deletes its own, lets go of those it shares.

An object that has been deleted and made again by somebody else since is not the Work's, and stays. A failure ends the
pass: the next one looks again, because the Work's status still names what is left over.
"""

from __future__ import annotations

from argosy.api.objects.fleet.works import AppliedResource, WorkResourceIdentifier
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.client.resources import Resource
from argosy.member.applying.objects import OURS
from argosy.member.applying.owners import is_owned, is_same, owners


def resource_of(identifier: WorkResourceIdentifier | AppliedResource) -> Resource:
    return Resource(
        identifier.group,
        identifier.version,
        identifier.resource,
        identifier.kind,
        bool(identifier.namespace),
    )


async def find(client: Client, identifier: WorkResourceIdentifier) -> Object | None:
    """The object on the member; None if it is gone, or its kind is."""
    if not identifier.resource or not identifier.name:
        return None
    try:
        raw = await client.get(
            resource_of(identifier), identifier.name, namespace=identifier.namespace or None
        )
    except NotFound:
        return None
    return decode(raw)


async def remove(client: Client, identifier: WorkResourceIdentifier, owner: Object) -> None:
    """Remove what an AppliedWork owned, if it still does."""
    obj = await find(client, identifier)
    if obj is None or obj["metadata"].get("deletionTimestamp") or not is_owned(obj, owner):
        return
    resource, namespace = resource_of(identifier), identifier.namespace or None
    try:
        if len(owners(obj)) > 1:
            rest = [each for each in owners(obj) if not is_same(each, owner)]
            await set_owners(client, identifier, obj, rest)
        else:
            uid = obj["metadata"]["uid"]
            await client.delete(resource, identifier.name, namespace=namespace, uid=uid)
    except NotFound:
        return


async def set_owners(
    client: Client, identifier: WorkResourceIdentifier, obj: Object, wanted: list[Object]
) -> None:
    """Conflict if somebody else has changed the object since."""
    patch = {
        "metadata": {
            "ownerReferences": wanted,
            "resourceVersion": obj["metadata"]["resourceVersion"],
        }
    }
    await client.patch(
        resource_of(identifier),
        identifier.name,
        patch,
        namespace=identifier.namespace or None,
        field_manager=OURS,
    )
