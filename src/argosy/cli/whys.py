"""`argosy why TYPE/NAME`: explain a Workload, the Workloads of a job, or a placement, by what the API shows.

Exits with 0 when it could explain, whatever it had to say, and with 1 when there was nothing to explain. Documents
(`-o json`) have a list of explanations, amounts as quantities.
"""

from __future__ import annotations

import argparse
import sys
from typing import Final

from argosy.api.objects.kueue.workloads import Workload
from argosy.cli import naming, placements, printing
from argosy.cli.connecting import CommandError, Session, view
from argosy.cli.documents import document
from argosy.cli.flags import WORKLOAD
from argosy.client.objects import Raw
from argosy.client.resources import WORKLOADS
from argosy.queueing.explaining.explaining import explain
from argosy.queueing.explaining.pictures import Picture
from argosy.sdk import owned
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
    """`job/x` or `job x`; a name alone is a Workload's."""
    if len(words) > 2:
        raise CommandError("one thing at a time: say TYPE/NAME, such as job/x")
    if len(words) == 2:
        return words[0], words[1]
    if "/" not in words[0]:
        return WORKLOAD[0], words[0]
    return naming.split_name(words[0], "say TYPE/NAME, such as job/x")


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
