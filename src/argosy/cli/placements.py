"""`argosy placement tree NAME` and `argosy why placement/NAME`: a placement with all that came of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Final

from argosy.base.types import Object
from argosy.cli import printing
from argosy.cli.connecting import Session
from argosy.placement.explaining.trees import Branch, tree
from argosy.placement.explaining.whys import told
from argosy.sdk.families import KINDS, gather

__all__ = ["KINDS", "explain", "show_tree"]

_HEAD: Final = ("NAME", "WHAT", "CLUSTER", "STATE", "REASON", "MESSAGE")


async def show_tree(session: Session, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output, printing.DOCUMENTS)
    kind, _, name = parsed.name.rpartition("/")
    branch = tree(await gather(session.client, session.namespace, kind or "placement", name))
    if parsed.output:
        sys.stdout.write(printing.document(_document(branch), parsed.output))
    else:
        sys.stdout.write(printing.table([_HEAD, *_rows(branch, "", "")]))
    return 0


async def explain(session: Session, kind: str, name: str, output: str) -> int:
    family = await gather(session.client, session.namespace, kind, name)
    if output:
        explanation = {"placement": family.title, "explanation": told(family).splitlines()}
        sys.stdout.write(printing.document(explanation, output))
    else:
        sys.stdout.write(told(family))
    return 0


def _rows(branch: Branch, lead: str, below: str) -> Iterator[tuple[str, ...]]:
    yield (
        f"{lead}{branch.name}",
        branch.kind,
        branch.cluster,
        branch.state,
        branch.reason,
        branch.message,
    )
    for index, child in enumerate(branch.children):
        is_last = index == len(branch.children) - 1
        yield from _rows(
            child, below + ("└─" if is_last else "├─"), below + ("  " if is_last else "│ ")
        )


def _document(branch: Branch) -> Object:
    document: Object = {"what": branch.kind, "name": branch.name}
    for field in ("cluster", "state", "reason", "message"):
        if value := getattr(branch, field):
            document[field] = value
    if branch.children:
        document["children"] = [_document(child) for child in branch.children]
    return document
