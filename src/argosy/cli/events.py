"""`argosy events`: what happened in the whole fleet, by time. With -f it goes on with what happens."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Final

from argosy.base.durations import human_duration
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.cli import columns, printing
from argosy.cli.connecting import CommandError
from argosy.cli.sailing import tell_problems
from argosy.sdk.fleets import AsyncFleet
from argosy.sdk.lines import FleetEvent

_FORMS: Final = ("json", "yaml", "wide")
_TYPES: Final = {"normal": "Normal", "warning": "Warning"}
_HEAD: Final = ("LAST SEEN", "CLUSTER", "TYPE", "REASON", "OBJECT", "MESSAGE")
_WIDE: Final = (*_HEAD[:-1], "SOURCE", "COUNT", "MESSAGE")
# Of lines that come one by one nobody knows the widest.
_WIDTHS: Final = {
    "NAMESPACE": 14, "LAST SEEN": 12, "CLUSTER": 12, "TYPE": 10, "REASON": 22, "OBJECT": 40, "SOURCE": 26, "COUNT": 8,
}  # fmt: skip


async def events(fleet: AsyncFleet, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output, _FORMS)
    namespace = None if parsed.all_namespaces else fleet.namespace
    found = fleet.events(
        namespace,
        follow=parsed.follow,
        types=_types(printing.split(parsed.types)),
        about=parsed.about,
    )
    async with aclosing(found) as stream:
        if parsed.follow:
            await _follow(fleet, stream, parsed)
            return 0
        seen = [each async for each in stream if parsed.cluster in {"", each.cluster}]
    if parsed.output in printing.DOCUMENTS:
        document: Object = {"events": [event_document(each) for each in seen]}
        sys.stdout.write(printing.document(document, parsed.output))
    elif seen:
        now = datetime.now(UTC)
        rows = [_row(each, parsed, now) for each in seen]
        lines = printing.table([_head(parsed), *rows]).splitlines(keepends=True)
        lines = [lines[0], *(_colored(*each) for each in zip(lines[1:], seen, strict=True))]
        sys.stdout.writelines(lines[1:] if parsed.no_headers else lines)
    else:
        printing.print_none(namespace)
    return 0


async def _follow(
    fleet: AsyncFleet, stream: AsyncGenerator[FleetEvent, None], parsed: argparse.Namespace
) -> None:
    head = _head(parsed)
    is_table = parsed.output not in printing.DOCUMENTS
    if is_table and not parsed.no_headers:
        print(_padded(head, head), flush=True)
    told = False
    async for each in stream:
        if not told:
            tell_problems(fleet)
            told = True
        if parsed.cluster not in {"", each.cluster}:
            continue
        if is_table:
            row = _row(each, parsed, datetime.now(UTC))
            print(_colored(_padded(head, row), each), flush=True)
        else:
            lead = "---\n" if parsed.output == "yaml" else ""
            sys.stdout.write(lead + printing.document(event_document(each), parsed.output))
            sys.stdout.flush()


def _types(given: Sequence[str]) -> tuple[str, ...]:
    wrong = [each for each in given if each.lower() not in _TYPES]
    if wrong:
        raise CommandError(f'--types "{wrong[0]}" is no type of event: valid are Normal, Warning')
    return tuple(_TYPES[each.lower()] for each in given)


def _head(parsed: argparse.Namespace) -> tuple[str, ...]:
    head = _WIDE if parsed.output == "wide" else _HEAD
    return ("NAMESPACE", *head) if parsed.all_namespaces else head


def _row(event: FleetEvent, parsed: argparse.Namespace, now: datetime) -> tuple[str, ...]:
    age = human_duration((now - event.time).total_seconds()) if event.time else "<unknown>"
    if event.count > 1:
        age += f" (x{event.count})"
    cells = [age, event.cluster, event.type, event.reason, event.object]
    if parsed.output == "wide":
        cells += [event.source or columns.NONE, str(event.count)]
    cells.append(" ".join(event.message.split()))
    return (event.namespace, *cells) if parsed.all_namespaces else tuple(cells)


def _padded(head: Sequence[str], cells: Sequence[str]) -> str:
    padded = [
        cell.ljust(_WIDTHS[name] - 1) + " "
        for name, cell in zip(head[:-1], cells[:-1], strict=True)
    ]
    return "".join((*padded, cells[-1]))


def _colored(line: str, event: FleetEvent) -> str:
    if event.type != "Warning" or not columns.is_colorful():
        return line
    end = "\n" if line.endswith("\n") else ""
    return columns.colored(line.rstrip("\n"), "yellow") + end


def event_document(event: FleetEvent) -> Object:
    return {
        "cluster": event.cluster,
        "namespace": event.namespace,
        "name": event.name,
        "type": event.type,
        "reason": event.reason,
        "object": event.object,
        "message": event.message,
        "lastSeen": None if event.time is None else format_time(event.time),
        "count": event.count,
        "source": event.source,
    }
