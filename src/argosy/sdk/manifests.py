"""Jobs as users hand them over: a dict, YAML or JSON text, or the path of a file; `-` is standard input.

A text of several lines is a manifest and no path. What comes out is one job that names its namespace and has a name or
a beginning of one; anything else is refused with what is wrong and what is taken.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import TypeAlias

import yaml

from argosy.base.types import Json, Object
from argosy.sdk import kinds
from argosy.sdk.errors import BadManifest

Manifest: TypeAlias = Object | str | Path


def read_manifest(given: Manifest, *, namespace: str = "", default: str = "default") -> Object:
    """A job of its own, which the caller may change. `namespace` must be the manifest's own, if that names one."""
    where, job = _loaded(given)
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


def _loaded(given: Manifest) -> tuple[str, Object]:
    if isinstance(given, dict):
        return "manifest", copy.deepcopy(given)
    where, text = _text(given)
    try:
        documents = [each for each in yaml.safe_load_all(text) if each is not None]
    except yaml.YAMLError as error:
        raise BadManifest(f"{where} is no YAML: {error}") from error
    return where, _only(where, documents)


def _text(given: str | Path) -> tuple[str, str]:
    if given == "-":
        return "standard input", sys.stdin.read()
    if isinstance(given, str) and ("\n" in given or given.lstrip().startswith("{")):
        return "manifest", given
    try:
        return str(given), Path(given).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadManifest(f"{given} cannot be read: {error}") from error


def _only(where: str, documents: list[Json]) -> Object:
    if len(documents) != 1:
        number = "nothing" if not documents else f"{len(documents)} documents"
        raise BadManifest(
            f"{where} has {number}: one job at a time is submitted; "
            "what belongs to it (ConfigMaps, Services) is placed by a placement of its own"
        )
    (job,) = documents
    if not isinstance(job, dict):
        raise BadManifest(f"{where} is no object: it must be a mapping with apiVersion and kind")
    return job


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
