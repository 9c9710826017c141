"""What a request asks permission for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from argosy.apiserver.access.identities import User
from argosy.base.errors import Details, Forbidden


@dataclass(slots=True, frozen=True)
class Attributes:
    """A resource request, or (`is_resource` False) a verb on a plain path."""

    verb: str
    is_resource: bool = True
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""


class Authorizer(Protocol):
    """Decides; the text says by which rule, or why not (it may be empty)."""

    def allows(self, user: User, asked: Attributes) -> tuple[bool, str]: ...


def refusal(user: User, asked: Attributes, why: str) -> Forbidden:
    """Kubernetes' 403."""
    who = f'User "{user.name}"'
    tail = f": {why}" if why else ""
    if not asked.is_resource:
        return Forbidden(
            f'forbidden: {who} cannot {asked.verb} path "{asked.path}"{tail}', details=Details()
        )
    resource = f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
    where = f'in the namespace "{asked.namespace}"' if asked.namespace else "at the cluster scope"
    what = f"{asked.resource}.{asked.group}" if asked.group else asked.resource
    named = f'{what} "{asked.name}"' if asked.name else what
    return Forbidden(
        f'{named} is forbidden: {who} cannot {asked.verb} resource "{resource}" in API group "{asked.group}" '
        f"{where}{tail}",
        details=Details(name=asked.name, group=asked.group, kind=asked.resource),
    )
