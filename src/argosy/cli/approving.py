"""`argosy approve`: the word of a person that a staged update run waits for.

Approving what is approved already is fine. An approval counts for the request as it is, so it names its generation.
"""

from __future__ import annotations

import argparse
from collections.abc import Awaitable

from argosy.api.objects.conditions import condition_documents, is_current, with_condition
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.updateruns import ApprovalRequest
from argosy.api.objects.metadata import Condition, decoder, find_condition
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.cli.connecting import FIELD_MANAGER, Session
from argosy.cli.patience import absent, insisting, within
from argosy.client.resources import APPROVAL_REQUESTS, CLUSTER_APPROVAL_REQUESTS, Resource

_APPROVED = "Approved"


async def cluster_request(session: Session, parsed: argparse.Namespace) -> int:
    return await _approve(session, parsed, CLUSTER_APPROVAL_REQUESTS)


async def request(session: Session, parsed: argparse.Namespace) -> int:
    return await _approve(session, parsed, APPROVAL_REQUESTS)


async def _approve(session: Session, parsed: argparse.Namespace, resource: Resource) -> int:
    kind = resource.kind.lower()
    where = f" -n {session.namespace}" if resource.namespaced else ""
    late = (
        f'{kind} "{parsed.name}" could not be approved within {parsed.timeout}: '
        f"see whether it is with `kubectl get {kind} {parsed.name}{where}`, and try again"
    )

    def work() -> Awaitable[tuple[ApprovalRequest, bool]]:
        return insisting(lambda: _once(session, resource, parsed.name))

    try:
        found, is_new = await within(parsed.timeout, work, late)
    except NotFound as error:
        hint = f"`kubectl get {kind}s{where}` lists those that wait"
        raise absent(error, resource.group, kind, hint) from None
    done = "approved" if is_new else "was approved already"
    print(f"{kind}.{resource.group}/{parsed.name} {done}")
    is_before = found.metadata.labels.get(names.TASK_TYPE) == "beforeStage"
    print(
        f'update run "{found.spec.parent_stage_rollout}" may {"begin" if is_before else "leave"} '
        f'stage "{found.spec.target_stage}"'
    )
    return 0


async def _once(session: Session, resource: Resource, name: str) -> tuple[ApprovalRequest, bool]:
    """The request, and whether it was this that approved it."""
    namespace = session.namespace if resource.namespaced else None
    raw = await session.client.get(resource, name, namespace=namespace)
    found: ApprovalRequest = decoder(ApprovalRequest)(bytes(raw.body))
    meta, said = found.metadata, found.status.conditions
    if is_current(find_condition(said, _APPROVED), meta.generation, "True"):
        return found, False
    reason, message = f"{resource.kind}Approved", f"{resource.kind} has been approved"
    new = Condition(_APPROVED, "True", reason, message, meta.generation)
    conditions = condition_documents(with_condition(said, new, session.now))
    patch: Object = {
        "metadata": {"resourceVersion": meta.resource_version},
        "status": {"conditions": conditions},
    }
    await session.client.patch(
        resource,
        name,
        patch,
        namespace=namespace,
        subresource="status",
        field_manager=FIELD_MANAGER,
    )
    return found, True
