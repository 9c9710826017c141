"""What commands print: tables as kubectl aligns them, objects as JSON or YAML, names, and that nothing was found.

JSON is indented by four with sorted keys and YAML has two-blank steps and unindented lists, as kubectl writes
both.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import yaml

from argosy.base.types import Json, Object
from argosy.cli.connecting import CommandError
from argosy.client.resources import Resource
from argosy.sdk import tables

DOCUMENTS: Final = ("json", "yaml")
FORMATS: Final = (*DOCUMENTS, "name")
table = tables.table


def check_output(form: str, allowed: Sequence[str] = FORMATS) -> None:
    if form and form not in allowed:
        raise CommandError(
            f'unable to match a printer suitable for the output format "{form}", '
            f"allowed formats are: {','.join(sorted(allowed))}"
        )


def check_dry_run(strategy: str) -> None:
    if strategy not in {"none", "server", "client"}:
        raise CommandError(
            f'invalid dry-run value ({strategy}). Must be "none", "server", or "client"'
        )


def document(obj: Json, form: str) -> str:
    if form == "json":
        return json.dumps(obj, indent=4, sort_keys=True, ensure_ascii=False) + "\n"
    return yaml.dump(obj, Dumper=_Dumper, allow_unicode=True, width=1 << 20)


class _Dumper(yaml.SafeDumper):
    """Go's YAML: no aliases; strings that would be read as something else in double quotes, others that need some in
    single ones; several lines as they are.
    """

    def ignore_aliases(self, data: object) -> bool:
        return True

    def choose_scalar_style(self) -> str:
        style = super().choose_scalar_style()
        is_other = isinstance(self.event, yaml.ScalarEvent) and not self.event.implicit[0]
        return '"' if style == "'" and is_other else style


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def shown(obj: Object, *, managed_fields: bool) -> Object:
    """An object as documents show it."""
    if managed_fields or "managedFields" not in obj.get("metadata", {}):
        return obj
    meta = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return {**obj, "metadata": meta}


def list_document(resource: Resource, objects: Iterable[Object], revision: str) -> Object:
    return {
        "apiVersion": resource.api_version,
        "kind": f"{resource.kind}List",
        "metadata": {"resourceVersion": revision},
        "items": list(objects),
    }


def full_name(resource: Resource, name: str) -> str:
    """`clusterqueue.kueue.x-k8s.io/x`."""
    kind = resource.kind.lower()
    return f"{kind}.{resource.group}/{name}" if resource.group else f"{kind}/{name}"


def print_written(
    resource: Resource, obj: Object, operation: str, *, output: str, dry_run: str, managed: bool
) -> None:
    """What became of an object that was to be written."""
    if output in DOCUMENTS:
        sys.stdout.write(document(shown(obj, managed_fields=managed), output))
        return
    words = [full_name(resource, obj["metadata"]["name"])]
    if output != "name":
        words += [operation] if operation else []
        words += [f"({dry_run} dry run)"] if dry_run != "none" else []
    print(*words)


def print_none(namespace: str | None) -> None:
    """That nothing was found, in a namespace or at all."""
    where = f" in {namespace} namespace." if namespace else ""
    print(f"No resources found{where}", file=sys.stderr)


def pairs(flag: str, given: Iterable[str]) -> Mapping[str, str]:
    """`a=b,c=d` of a flag that may be repeated."""
    found: dict[str, str] = {}
    for text in split(given):
        key, separator, value = text.partition("=")
        if not separator:
            raise CommandError(
                f'invalid argument "{text}" for "{flag}" flag: {text} must be formatted as key=value'
            )
        found[key] = value
    return found


def split(given: Iterable[str]) -> list[str]:
    """The values of a flag that may be repeated and may hold several, parted by commas."""
    return [part for text in given for part in text.split(",") if part]
