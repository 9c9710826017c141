"""What form an answer takes: JSON, YAML, a Table for `kubectl get`, or metadata only.

Of the media ranges in the Accept header the best one that can be produced wins: by quality, exact ones before
wildcards, otherwise in the order given. Accept headers repeat, so the verdict is remembered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from argosy.base.errors import Details, NotAcceptable

TYPES: Final = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_TRANSFORMS: Final = frozenset({"Table", "PartialObjectMetadata", "PartialObjectMetadataList"})
_JSON_RANGES: Final = frozenset({"application/json", "*/*", "application/*"})


@dataclass(slots=True, frozen=True)
class Form:
    """`transform` is "", "Table", "PartialObjectMetadata" or "PartialObjectMetadataList", in `version` of
    meta.k8s.io.
    """

    yaml: bool = False
    transform: str = ""
    version: str = "v1"

    @property
    def api_version(self) -> str:
        return f"meta.k8s.io/{self.version}"


JSON: Final = Form()


@lru_cache(maxsize=512)
def negotiate(accept: str) -> Form:
    if not accept or accept == "application/json":
        return JSON
    for name, parameters in ranges(accept):
        form = _form(name, parameters)
        if form is not None:
            return form
    raise not_acceptable(accept)


def ranges(accept: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The media ranges of an Accept header with their parameters, best first."""
    found = []
    for part in accept.split(","):
        name, *rest = (piece.strip() for piece in part.split(";"))
        parameters = dict(piece.split("=", 1) for piece in rest if "=" in piece)
        found.append((-_quality(parameters.get("q", "1")), name.count("*"), name, parameters))
    found.sort(key=lambda one: one[:2])
    return ((name, parameters) for _, _, name, parameters in found)


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0


def _form(name: str, parameters: dict[str, str]) -> Form | None:
    yaml = name == "application/yaml"
    if not yaml and name not in _JSON_RANGES:
        return None
    wanted = parameters.get("as", "")
    if not wanted:
        return Form(yaml)
    version = parameters.get("v", "")
    known = parameters.get("g") == "meta.k8s.io" and version in {"v1", "v1beta1"}
    return Form(yaml, wanted, version) if known and wanted in _TRANSFORMS else None


def not_acceptable(accept: str) -> NotAcceptable:
    """Two texts: nothing of what is asked for is known here, or only not in the shape that is asked for."""
    if not any(name in TYPES or "*" in name for name, _ in ranges(accept)):
        return NotAcceptable(
            f"406: Not Acceptable\n\nAvailable representations: {', '.join(TYPES)}",
            details=Details(),
        )
    return NotAcceptable(f"only the following media types are accepted: {', '.join(TYPES)}")


def wants_yaml(accept: str) -> bool:
    try:
        return negotiate(accept).yaml
    except NotAcceptable:
        return False
