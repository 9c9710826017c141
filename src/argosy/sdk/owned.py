"""The Workloads of a job: by the label that Kueue gives them, else by whom they name as their owner."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.objects import ListResult, Raw, decode
from argosy.client.resources import WORKLOADS
from argosy.queueing.workloads.phases import JOB_UID
from argosy.sdk.sessions import Session


async def list_workloads(
    session: Session, namespace: str | None, *, uid: str = "", selector: str = "", fields: str = ""
) -> ListResult:
    """The workloads that selectors choose, of the job with this uid if one is given."""
    if uid:
        labels = ",".join(filter(None, (selector, f"{JOB_UID}={uid}")))
        found = await session.list(
            WORKLOADS, namespace=namespace, label_selector=labels, field_selector=fields
        )
        if found.items:
            return found
    found = await session.list(
        WORKLOADS, namespace=namespace, label_selector=selector, field_selector=fields
    )
    if not uid:
        return found
    return ListResult([raw for raw in found.items if owned_by(raw, uid)], found.revision)


async def of_job(session: Session, job: Object) -> list[Raw]:
    """The workloads of a job, which may have several."""
    meta = job["metadata"]
    return (await list_workloads(session, meta.get("namespace"), uid=meta["uid"])).items


def owned_by(raw: Raw, uid: str) -> bool:
    owners = decode(raw)["metadata"].get("ownerReferences") or ()
    return any(owner.get("uid") == uid for owner in owners)
