"""`argosy why TYPE/NAME`: explain a Workload, the Workloads of a job, or a placement, by what the API shows.

On a hub a job is explained across the fleet: where it was placed and why, and what the queues of its clusters say; a
name alone is a job's there, and a Workload's elsewhere.

Exits with 0 when it could explain, whatever it had to say, and with 1 when there was nothing to explain. Documents
(`-o json`) have a list of explanations, amounts as quantities.
"""

from __future__ import annotations

import argparse
import sys
from typing import Final

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.errors import Forbidden, NotFound
from argosy.base.types import Object
from argosy.cli import naming, placements, printing
from argosy.cli.connecting import CommandError, Session, kubeconfig_of, view
from argosy.cli.documents import document
from argosy.cli.flags import WORKLOAD
from argosy.cli.jobs import job_document
from argosy.client.objects import Raw
from argosy.client.resources import MEMBER_CLUSTERS, RESOURCE_PLACEMENTS, WORKLOADS
from argosy.queueing.explaining.explaining import explain
from argosy.queueing.explaining.pictures import Picture
from argosy.sdk import kinds, owned
from argosy.sdk.connections import member_opener
from argosy.sdk.fleets import AsyncFleet
from argosy.sdk.gathering import gather
from argosy.sdk.positions import position_of
from argosy.sdk.telling import told

_WORKLOAD_TYPES: Final = frozenset(
    (*WORKLOAD, "workload.kueue.x-k8s.io", "workloads.kueue.x-k8s.io")
)


async def why(session: Session, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output, printing.DOCUMENTS)
    kind, name = _asked(parsed.what)
    if kind.lower().partition(".")[0] in placements.KINDS:
        return await placements.explain(session, kind, name, parsed.output)
    if kinds.matching(kind) and await _is_hub(session):
        return await _explain_job(session, parsed, f"{kind}/{name}" if kind else name)
    kind = kind or WORKLOAD[0]
    found = [view(Workload, raw) for raw in await _workloads(session, kind, name)]
    picture = Picture(await gather(session, namespace=session.namespace))
    explanations = []
    for workload in found:
        position = await position_of(session, workload, picture)
        explanations.append(explain(workload, picture, now=session.now, position=position))
    if parsed.output:
        answer = {"explanations": [document(one) for one in explanations]}
        sys.stdout.write(printing.document(answer, parsed.output))
    else:
        sys.stdout.write("\n".join(told(one, session.now) for one in explanations))
    return 0


def _asked(words: list[str]) -> tuple[str, str]:
    """`job/x` or `job x`, or a name alone."""
    if len(words) > 2:
        raise CommandError("one thing at a time: say TYPE/NAME, such as job/x")
    if len(words) == 2:
        return words[0], words[1]
    if "/" not in words[0]:
        return "", words[0]
    return naming.split_name(words[0], "say TYPE/NAME, such as job/x")


async def _is_hub(session: Session) -> bool:
    """Whether it has members; for whoever may not see them, whether it has placements of the namespace."""
    for resource, namespace in ((MEMBER_CLUSTERS, None), (RESOURCE_PLACEMENTS, session.namespace)):
        try:
            return bool((await session.client.list(resource, namespace=namespace, limit=1)).items)
        except NotFound:
            return False
        except Forbidden:
            continue
    return False


async def _explain_job(session: Session, parsed: argparse.Namespace, name: str) -> int:
    members = member_opener(kubeconfig_of(parsed), session.namespace)
    async with AsyncFleet(session.client, members, namespace=session.namespace) as fleet:
        if parsed.output:
            job = await fleet.job(name)
            told_of: Object = {**job_document(job, session.now), "text": await fleet.why(name)}
            sys.stdout.write(printing.document({"explanations": [told_of]}, parsed.output))
        else:
            sys.stdout.write(await fleet.why(name))
    return 0


async def _workloads(session: Session, kind: str, name: str) -> list[Raw]:
    """The Workload of that name, or those of a job, which may have several."""
    if kind.lower() in _WORKLOAD_TYPES:
        return [await session.get(WORKLOADS, name)]
    resource, owner = await naming.find_object(session, kind, name)
    if owner is None:
        raise CommandError(f'{resource.qualified} "{name}" not found')
    found = await owned.of_job(session, owner)
    if not found:
        raise CommandError(
            f"{resource.qualified} {name} has no Workload, so it is not queued; "
            "has it the label kueue.x-k8s.io/queue-name?"
        )
    return found
