"""What form an answer takes: JSON, YAML, a Table for `kubectl get`, or metadata only.

The first media range of the Accept header that can be produced wins, as in Kubernetes. Accept headers repeat, so
the verdict is remembered.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from argosy.base.errors import Details, NotAcceptable

TYPES: Final = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_TRANSFORMS: Final = frozenset({"Table", "PartialObjectMetadata", "PartialObjectMetadataList"})


@dataclass(slots=True, frozen=True)
class Form:
    """`transform` is "", "Table", "PartialObjectMetadata" or "PartialObjectMetadataList"."""

    yaml: bool = False
    transform: str = ""

    @property
    def plain(self) -> bool:
        return not self.yaml and not self.transform


JSON: Final = Form()


@lru_cache(maxsize=512)
def negotiate(accept: str) -> Form:
    if not accept or accept == "application/json":
        return JSON
    for media_range in accept.split(","):
        form = _form(media_range)
        if form is not None:
            return form
    available = ", ".join(TYPES)
    raise NotAcceptable(
        f"406: Not Acceptable\n\nAvailable representations: {available}", details=Details()
    )


def _form(media_range: str) -> Form | None:
    name, *rest = (part.strip() for part in media_range.split(";"))
    parameters = dict(part.split("=", 1) for part in rest if "=" in part)
    yaml = name == "application/yaml"
    if not yaml and name not in {"application/json", "*/*", "application/*"}:
        return None
    wanted = parameters.get("as", "")
    if not wanted:
        return Form(yaml)
    known = parameters.get("g") == "meta.k8s.io" and parameters.get("v") in {"v1", "v1beta1"}
    return Form(yaml, wanted) if known and wanted in _TRANSFORMS else None


def wants_yaml(accept: str) -> bool:
    try:
        return negotiate(accept).yaml
    except NotAcceptable:
        return False
