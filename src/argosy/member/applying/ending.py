"""The end of a Work: its AppliedWork goes, and with it all it owned; then the Work may go.

The member's garbage collector deletes the objects first, because the AppliedWork is deleted in the foreground. An
object that has other owners too stays, but would hold up the AppliedWork for ever if one of those is no more; after
five minutes such objects are told not to.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from argosy.api.objects.fleet.works import AppliedWork, Work
from argosy.base.errors import NotFound
from argosy.client.protocol import Client, Propagation
from argosy.client.resources import APPLIED_WORKS
from argosy.member.applying.owners import is_owned, is_same, owner_of, owners
from argosy.member.applying.removing import find, set_owners

_PATIENCE: Final = timedelta(minutes=5)


async def end(client: Client, work: Work, applied: AppliedWork, now: datetime) -> None:
    """A step towards the end of what the Work applied; the AppliedWork is there still."""
    meta = applied.metadata
    if meta.deletion_timestamp is None:
        try:
            await client.delete(
                APPLIED_WORKS, meta.name, propagation=Propagation.FOREGROUND, uid=meta.uid
            )
        except NotFound:
            return
    elif now - meta.deletion_timestamp >= _PATIENCE:
        await _let_go(client, work, applied)


async def _let_go(client: Client, work: Work, applied: AppliedWork) -> None:
    owner = owner_of(applied.metadata.name, applied.metadata.uid)
    for entry in work.status.manifest_conditions:
        obj = await find(client, entry.identifier)
        if obj is None or not is_owned(obj, owner) or len(owners(obj)) == 1:
            continue
        wanted = [
            {**each, "blockOwnerDeletion": False} if is_same(each, owner) else each
            for each in owners(obj)
        ]
        if wanted == owners(obj):
            continue
        try:
            await set_owners(client, entry.identifier, obj, wanted)
        except NotFound:
            continue
