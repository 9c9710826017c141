"""Jobs as users hand them over: a dict, YAML or JSON text, or the path of a file; `-` is standard input.

A text of several lines is a manifest and no path. What comes out is one job that names its namespace and has a name or
a beginning of one; anything else is refused with what is wrong and what is taken.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Final, TypeAlias

import yaml

from argosy.base.types import Json, Object
from argosy.sdk import kinds
from argosy.sdk.errors import BadManifest

Manifest: TypeAlias = Object | str | Path

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_manifest(given: Manifest, *, namespace: str = "", default: str = "default") -> Object:
    """A job of its own, which the caller may change. `namespace` must be the manifest's own, if that names one."""
    where, documents = _loaded(given)
    if len(documents) != 1:
        raise BadManifest(
            f"{where} has {len(documents)} objects: one job at a time is submitted (read_manifests reads several); "
            "what belongs to it (ConfigMaps, Services) is placed by a placement of its own"
        )
    return _checked(where, documents[0], namespace, default)


def read_manifests(
    given: Manifest, *, namespace: str = "", default: str = "default"
) -> list[Object]:
    """All jobs of a file: its documents, and the items of Lists among them. One that is no job refuses them all."""
    where, documents = _loaded(given)
    several = len(documents) > 1
    return [
        _checked(f"{where}: object {number}" if several else where, each, namespace, default)
        for number, each in enumerate(documents, start=1)
    ]


def _checked(where: str, job: Json, namespace: str, default: str) -> Object:
    if not isinstance(job, dict):
        raise BadManifest(f"{where} is no object: it must be a mapping with apiVersion and kind")
    _check_kind(where, job)
    meta = job.setdefault("metadata", {})
    if not isinstance(meta, dict):
        raise BadManifest(f"{where}: metadata: Invalid value: {meta!r}: must be a mapping")
    name = meta.get("name") or meta.get("generateName")
    if not isinstance(name, str) or not name:
        raise BadManifest(
            f"{where}: {job['kind']}: metadata.name or metadata.generateName is required"
        )
    own = meta.get("namespace")
    if own and namespace and own != namespace:
        raise BadManifest(
            f'{where}: the namespace from the provided object "{own}" does not match the namespace '
            f'"{namespace}". You must pass the namespace "{own}" to perform this operation.'
        )
    meta["namespace"] = own or namespace or default
    return job


def _loaded(given: Manifest) -> tuple[str, list[Json]]:
    """Where it comes from, and its objects: at least one."""
    if isinstance(given, dict):
        return "manifest", _items([copy.deepcopy(given)])
    where, text = _text(given)
    try:
        documents = [each for each in yaml.load_all(text, Loader=_LOADER) if each is not None]
    except yaml.YAMLError as error:
        raise BadManifest(f"{where} is no YAML: {' '.join(str(error).split())}") from error
    found = _items(documents)
    if not found:
        raise BadManifest(f"{where} is empty: there is no job in it")
    return where, found


def _items(documents: list[Json]) -> list[Json]:
    """The documents, with Lists (as `kubectl get -o yaml` prints them) taken apart."""
    found: list[Json] = []
    for each in documents:
        is_list = isinstance(each, dict) and (each.get("apiVersion"), each.get("kind")) == (
            "v1",
            "List",
        )
        found += (each.get("items") or []) if is_list else [each]
    return found


def _text(given: str | Path) -> tuple[str, str]:
    if given == "-":
        return "standard input", sys.stdin.read()
    if isinstance(given, str) and ("\n" in given or given.lstrip().startswith("{")):
        return "manifest", given
    try:
        return str(given), Path(given).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadManifest(f"{given} cannot be read: {error}") from error


def _check_kind(where: str, job: Object) -> None:
    version, kind = job.get("apiVersion"), job.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str) or not version or not kind:
        raise BadManifest(f"{where}: apiVersion and kind are required")
    group = version.rpartition("/")[0]
    if kinds.is_job(group, kind):
        return
    if kinds.runs_for_ever(group, kind):
        raise BadManifest(
            f"{where}: a {kind} is no job, it has no end: create it on the hub and place it with a "
            f"ResourcePlacement. What can be submitted: {kinds.names_of_kinds()}"
        )
    raise BadManifest(
        f"{where}: {kind} of {version} is no kind of job. What can be submitted: {kinds.names_of_kinds()}"
    )
