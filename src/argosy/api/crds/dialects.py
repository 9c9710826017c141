"""What the versions of a custom kind differ in beyond their names, as functions of this process.

Upstream a CRD names a webhook that converts its objects. Here whoever brings a kind along brings its conversion too:
`Dialects` hold functions from version to version, and old spellings that are still understood. A kind that has none
keeps sharing one form among its versions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from argosy.api.kinds import Kind, Respell, Version
from argosy.base.types import Object


@dataclass(slots=True, frozen=True)
class Dialects:
    """Functions on whole objects; they return new ones and leave what they are given alone.

    `convert` is from which version to which. `respell` puts the names of today for names of yesterday, with a warning
    for each, before a body is held against its schema.
    """

    convert: Mapping[tuple[str, str], Callable[[Object], Object]]
    respell: Respell | None = None


def speaking(kind: Kind, dialects: Dialects) -> Kind:
    """The kind, its versions converted and respelled."""
    return replace(
        kind,
        versions={
            name: _speaking(version, kind.storage_version, dialects)
            for name, version in kind.versions.items()
        },
    )


def _speaking(version: Version, storage: str, dialects: Dialects) -> Version:
    return replace(
        version,
        respell=dialects.respell,
        to_storage=dialects.convert.get((version.name, storage)),
        from_storage=dialects.convert.get((storage, version.name)),
    )
