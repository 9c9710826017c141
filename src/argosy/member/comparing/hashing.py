"""The hash by which a member knows whether it has applied this very manifest before.

It covers the cleaned manifest, in Go's JSON with sorted keys, so it equals the one KubeFleet wrote: an agent that takes
over from it does not find every object changed.
"""

from __future__ import annotations

import hashlib

import msgspec

from argosy.api.gojson import go_json
from argosy.base.types import Object
from argosy.member.comparing.cleaning import cleaned


def manifest_hash(manifest: Object) -> str:
    return hashlib.sha256(sorted_json(cleaned(manifest))).hexdigest()


def sorted_json(value: Object) -> bytes:
    """Go's JSON of a map: keys in order at every depth."""
    return go_json(msgspec.Raw(msgspec.json.encode(value, order="sorted")))
