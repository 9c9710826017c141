"""Plays kubectl where there is none: as much of it as the stories use.

    apply -f FILE|-   get KIND[,KIND] [NAME ...] [-o name|wide|custom-columns=...]   describe KIND NAME ...
    wait KIND/NAME ... --for=condition=TYPE[=STATUS]   logs [-f] job/NAME   delete KIND -l LABELS
    config get-contexts -o name

Requests are kubectl's (tables are printed as the server makes them); what it prints is close to it, no more. Flags are
--context, -n and --timeout.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
import yaml

from argosy.base.durations import parse_duration
from argosy.base.errors import NotFound, StatusError
from argosy.base.types import Json, Object
from argosy.cli.connecting import CommandError, Session
from argosy.cli.demos.writing import Applier, documents
from argosy.cli.naming import find_resource, split_name
from argosy.client import kubeconfig
from argosy.client.objects import decode
from argosy.client.remote import RemoteClient
from argosy.client.resources import PODS, Resource
from argosy.sdk.tables import table

_TABLE: Final = "application/json;as=Table;g=meta.k8s.io;v=v1"
_LOOK_SECONDS: Final = 0.2


def main() -> int:
    parsed = _parser().parse_args()
    if parsed.verb == "config":
        config = yaml.safe_load(Path(_config()).read_text())
        print("\n".join(sorted(each["name"] for each in config["contexts"])))
        return 0
    try:
        return asyncio.run(_run(parsed))
    except StatusError as error:
        print(f"Error from server ({error.reason}): {error.message}", file=sys.stderr)
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kubectl")
    parser.add_argument("--context", default="")
    parser.add_argument("verb", choices=sorted((*_VERBS, "config")))
    parser.add_argument("words", nargs="*")
    parser.add_argument("-n", "--namespace", default="")
    parser.add_argument("-f", dest="files", action="append", nargs="?", default=[])
    parser.add_argument("-o", "--output", default="")
    parser.add_argument("-l", "--selector", default="")
    parser.add_argument("--for", dest="condition", default="")
    parser.add_argument("--timeout", default="30s")
    return parser


def _config() -> str:
    return os.environ["KUBECONFIG"]


async def _run(parsed: argparse.Namespace) -> int:
    connection = kubeconfig.load(_config(), context=parsed.context)
    async with RemoteClient(connection) as client:
        namespace = parsed.namespace or connection.namespace
        await _VERBS[parsed.verb](Session(client, namespace, datetime.now(UTC)), parsed)
    return 0


async def _apply(session: Session, parsed: argparse.Namespace) -> None:
    applier = Applier(session)
    for name in parsed.files:
        for path in _files(name):
            text = sys.stdin.read() if path is None else path.read_text()
            for obj in documents(text):
                resource = await applier.apply(obj)
                kind = _told(resource)
                print(f"{kind}/{obj['metadata']['name']} applied", flush=True)


def _files(name: str) -> list[Path | None]:
    if name == "-":
        return [None]
    path = Path(name)
    return [*sorted(path.glob("*.yaml"))] if path.is_dir() else [path]


async def _get(session: Session, parsed: argparse.Namespace) -> None:
    kinds, *names = parsed.words
    several = "," in kinds
    for place, kind in enumerate(kinds.split(",")):
        resource = await find_resource(session, kind)
        if parsed.output.startswith("custom-columns="):
            await _get_columns(session, resource, parsed.output.partition("=")[2])
            continue
        rows = await _rows(session, resource, names, wide=parsed.output == "wide")
        if len(rows) == 1:
            if not several:
                print(f"No resources found in {session.namespace} namespace.", file=sys.stderr)
            continue
        if several:
            title = _told(resource)
            rows = [rows[0], *((f"{title}/{row[0]}", *row[1:]) for row in rows[1:])]
            print("\n" if place else "", end="")
        sys.stdout.write(table(rows))


async def _rows(
    session: Session, resource: Resource, names: list[str], *, wide: bool
) -> list[tuple[str, ...]]:
    """A table as the server makes it, its head first."""
    path = f"/apis/{resource.group}/" if resource.group else "/api/"
    path += resource.version
    if resource.namespaced:
        path += f"/namespaces/{session.namespace}"
    path += f"/{resource.plural}"
    head: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    for each in [f"{path}/{name}" for name in names] or [path]:
        answer = msgspec.json.decode(await session.client.fetch(each, accept=_TABLE))
        columns = [
            n for n, one in enumerate(answer["columnDefinitions"]) if wide or not one["priority"]
        ]
        head = tuple(answer["columnDefinitions"][n]["name"].upper() for n in columns)
        rows += [
            tuple("" if row["cells"][n] is None else str(row["cells"][n]) for n in columns)
            for row in answer["rows"] or ()
        ]
    return [head, *rows]


async def _get_columns(session: Session, resource: Resource, columns: str) -> None:
    heads, paths = zip(*(each.split(":.", 1) for each in columns.split(",")), strict=True)
    found = await session.client.list_all(resource, namespace=session.namespace)
    rows = [tuple(_at(decode(raw), path) for path in paths) for raw in found.items]
    sys.stdout.write(table([heads, *rows]))


def _at(obj: Json, path: str) -> str:
    for step in path.split("."):
        obj = obj.get(step, "<none>") if isinstance(obj, dict) else "<none>"
    return str(obj).lower() if isinstance(obj, bool) else str(obj)


async def _describe(session: Session, parsed: argparse.Namespace) -> None:
    kind, *names = parsed.words
    resource = await find_resource(session, kind)
    for name in names:
        obj = decode(await session.client.get(resource, name, namespace=session.namespace))
        metadata = obj.pop("metadata")
        print(f"Name:         {metadata['name']}\nNamespace:    {metadata.get('namespace', '')}")
        for line in described({"spec": obj.get("spec"), "status": obj.get("status")}):
            print(line)
        await _describe_events(session, metadata)


async def _describe_events(session: Session, metadata: Object) -> None:
    resource = await find_resource(session, "events")
    found = await session.client.list_all(
        resource, field_selector=f"involvedObject.uid={metadata['uid']}"
    )
    rows = [
        (
            each["type"],
            each["reason"],
            str(each.get("source", {}).get("component") or each.get("reportingComponent", "")),
            each["message"],
        )
        for each in map(decode, found.items)
    ]
    print("Events:")
    for line in table([("Type", "Reason", "From", "Message"), *rows]).splitlines():
        print(f"  {line}")


def described(value: Json, indent: str = "") -> Iterator[str]:
    """An object as `kubectl describe` shows one it does not know: names in words, items without a sign of their own."""
    if isinstance(value, list):
        for item in value:
            yield from (
                described(item, indent) if isinstance(item, dict | list) else (f"{indent}{item}",)
            )
        return
    assert isinstance(value, dict)
    width = max((len(_words(key)) for key in value), default=0) + 3
    for key, item in sorted(value.items()):
        if isinstance(item, dict | list):
            yield f"{indent}{_words(key)}:"
            yield from described(item, indent + "  ")
        elif item is not None:
            said = str(item).lower() if isinstance(item, bool) else item
            yield f"{indent}{_words(key) + ':':{width}}{said}"


def _words(name: str) -> str:
    """`observedGeneration` is "Observed Generation"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name[:1].upper() + name[1:])


async def _wait(session: Session, parsed: argparse.Namespace) -> None:
    _, _, wanted = parsed.condition.partition("=")
    name, _, status = wanted.partition("=")
    want = (status or "true").lower()
    for word in parsed.words:
        kind, object_name = split_name(word, f"{word} is no TYPE/NAME")
        resource = await find_resource(session, kind)
        try:
            async with asyncio.timeout(parse_duration(parsed.timeout)):
                # Looking again and again is enough for a demo; kubectl watches.
                while await _status(session, resource, object_name, name) != want:  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            told = f"{resource.plural}/{object_name}"
            raise CommandError(f"timed out waiting for the condition on {told}") from None
        print(f"{_told(resource)}/{object_name} condition met", flush=True)


async def _status(session: Session, resource: Resource, name: str, condition: str) -> str:
    try:
        obj = decode(await session.client.get(resource, name, namespace=session.namespace))
    except NotFound:
        return ""
    for each in obj.get("status", {}).get("conditions", ()):
        if each["type"].lower() == condition.lower():
            return str(each["status"]).lower()
    return ""


async def _logs(session: Session, parsed: argparse.Namespace) -> None:
    """Of the job's first pod."""
    # With -f before it, the parser takes the job for a file.
    words: list[str] = [*parsed.words, *filter(None, parsed.files)]
    job = words[0].partition("/")[2]
    found = await session.client.list_all(
        PODS, namespace=session.namespace, label_selector=f"job-name={job}"
    )
    if not found.items:
        raise CommandError(f"there is no pod of job {session.namespace}/{job}")
    pod = decode(found.items[0])["metadata"]["name"]
    query = {"follow": "true"} if parsed.files else {}
    async for piece in session.client.stream(
        PODS, pod, subresource="log", namespace=session.namespace, query=query
    ):
        sys.stdout.write(piece.decode(errors="replace"))
        sys.stdout.flush()


async def _delete(session: Session, parsed: argparse.Namespace) -> None:
    resource = await find_resource(session, parsed.words[0])
    found = await session.client.list_all(
        resource, namespace=session.namespace, label_selector=parsed.selector
    )
    for raw in found.items:
        name = decode(raw)["metadata"]["name"]
        await session.client.delete(resource, name, namespace=session.namespace)
        print(f'{_told(resource)} "{name}" deleted', flush=True)


def _told(resource: Resource) -> str:
    name = resource.kind.lower()
    return f"{name}.{resource.group}" if resource.group else name


_VERBS: Final = {
    "apply": _apply,
    "get": _get,
    "describe": _describe,
    "wait": _wait,
    "logs": _logs,
    "delete": _delete,
}

if __name__ == "__main__":
    sys.exit(main())
