"""`argosy queue tree`: cohorts and ClusterQueues as a tree, with quota, usage, weights and shares in columns.

Amounts are quantities as Kueue prints them; `-` is no limit, and for shares that a root has none. On a terminal what
is borrowed is yellow and what lies above every quota red; elsewhere, or with NO_COLOR, nothing is colored.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Final

from argosy.base.types import Object
from argosy.cli import printing
from argosy.cli.connecting import CommandError, Session
from argosy.queueing.explaining.pictures import Picture
from argosy.queueing.explaining.trees import Branch, Line, branches, is_infinite, tree_of
from argosy.queueing.quotas.amounts import printed
from argosy.sdk.gathering import gather

_HEAD: Final = (
    "NAME", "FLAVOR", "RESOURCE", "NOMINAL", "SUBTREE", "USED", "BORROWED", "BORROW LIMIT", "LENDABLE", "FREE",
    "WEIGHT", "SHARE", "PENDING", "RESERVING",
)  # fmt: skip
_BORROWED: Final = _HEAD.index("BORROWED")
_FREE: Final = _HEAD.index("FREE")
_YELLOW, _RED, _PLAIN = "\x1b[33m", "\x1b[31m", "\x1b[0m"


async def tree(session: Session, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output, printing.DOCUMENTS)
    found = branches(Picture(await gather(session, needs_queues=True)))
    if parsed.name:
        found = tree_of(found, parsed.name)
        if not found:
            raise CommandError(f'there is no cohort and no ClusterQueue "{parsed.name}"')
    if parsed.output:
        trees = [_document(branch) for branch in found]
        sys.stdout.write(printing.document({"trees": trees}, parsed.output))
    elif not found:
        printing.print_none(None)
    else:
        _print(found)
    return 0


def _print(found: list[Branch]) -> None:
    rows = [row for branch in found for row in _rows(branch, "", "")]
    text = printing.table([_HEAD, *rows])
    sys.stdout.write(_colored(text, rows) if _is_colorful() else text)
    for branch in _all(found):
        if branch.problem:
            print(f"{branch.kind} {branch.name}: {branch.problem}")


def _rows(branch: Branch, lead: str, below: str) -> Iterator[tuple[str, ...]]:
    """The lines of a node and everything under it; `lead` draws the way to it, `below` the way on."""
    weight = f"{branch.weight:g}"
    head = (weight, _share(branch.share), *_counts(branch))
    name = f"{lead}{branch.name}"
    bar = below + ("│ " if branch.children else "")
    for index, line in enumerate(branch.lines):
        rest = head if index == 0 else ("",) * len(head)
        yield (name if index == 0 else bar.rstrip(), *_amounts(line), *rest)
    if not branch.lines:
        yield (name, *("",) * (_HEAD.index("WEIGHT") - 1), *head)
    for index, child in enumerate(branch.children):
        is_last = index == len(branch.children) - 1
        yield from _rows(
            child, below + ("└─" if is_last else "├─"), below + ("  " if is_last else "│ ")
        )


def _amounts(line: Line) -> tuple[str, ...]:
    def shown(value: int | None) -> str:
        return "-" if value is None else printed(line.resource, value)

    return (
        line.flavor,
        line.resource,
        shown(line.nominal),
        shown(line.subtree),
        shown(line.used),
        shown(line.borrowed),
        shown(line.borrowing_limit),
        shown(line.lendable),
        shown(line.available),
    )


def _counts(branch: Branch) -> tuple[str, str]:
    if branch.kind == "Cohort":
        return "", ""
    return str(branch.pending), str(branch.reserving)


def _share(share: int | None) -> str:
    if share is None:
        return "-"
    return "inf" if is_infinite(share) else str(share)


def _colored(text: str, rows: list[tuple[str, ...]]) -> str:
    lines = text.splitlines(keepends=True)
    for index, row in enumerate(rows, start=1):
        if row[_FREE].startswith("-") and row[_FREE] != "-":
            lines[index] = f"{_RED}{lines[index].rstrip()}{_PLAIN}\n"
        elif row[_BORROWED] not in {"", "0"}:
            lines[index] = f"{_YELLOW}{lines[index].rstrip()}{_PLAIN}\n"
    return "".join(lines)


def _is_colorful() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _all(found: list[Branch]) -> Iterator[Branch]:
    for branch in found:
        yield branch
        yield from _all(list(branch.children))


def _document(branch: Branch) -> Object:
    document: Object = {
        "kind": branch.kind,
        "name": branch.name,
        "weight": branch.weight,
        "quotas": [_line_document(line) for line in branch.lines],
    }
    if branch.share is not None:
        document["weightedShare"] = branch.share
    if branch.dominant:
        document["dominantResource"] = branch.dominant
    if branch.kind == "Cohort":
        document["isImplicit"] = branch.is_implicit
        document["children"] = [_document(child) for child in branch.children]
    else:
        document |= {"pendingWorkloads": branch.pending, "reservingWorkloads": branch.reserving}
    if branch.problem:
        document["problem"] = branch.problem
    return document


def _line_document(line: Line) -> Object:
    amounts = {
        "nominal": line.nominal,
        "subtree": line.subtree,
        "used": line.used,
        "borrowed": line.borrowed,
        "available": line.available,
        "lendable": line.lendable,
        "borrowingLimit": line.borrowing_limit,
        "lendingLimit": line.lending_limit,
    }
    told = {name: printed(line.resource, v) for name, v in amounts.items() if v is not None}
    return {"flavor": line.flavor, "resource": line.resource, **told}
