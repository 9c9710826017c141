"""One request to one resource by one user, after routing and authorization.

A `Call` is what the verbs take, no matter whether it came over HTTPS or from a controller in this process, so both
pass the same checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from argosy.api.kinds import Kind, Version
from argosy.apiserver.access.identities import User
from argosy.apiserver.options import DEFAULTS, Options
from argosy.apiserver.remembering import Content
from argosy.base import errors
from argosy.base.types import Object
from argosy.store import Key


@dataclass(slots=True)
class Call:
    """`verb` is Kubernetes' request verb: get, list, watch, create, update, patch, delete, deletecollection."""

    user: User
    verb: str
    kind: Kind
    version: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    options: Options = DEFAULTS
    agent: str = ""
    # Texts that go out as Warning headers.
    warnings: list[str] = field(default_factory=list)
    # What is remembered of the content this call creates.
    content: Content | None = None
    # What the body said, in the version of the call; None where that is how objects are stored.
    given: Object | None = None

    @property
    def served(self) -> Version:
        return self.kind.versions[self.version]

    @property
    def key(self) -> Key:
        return Key(self.kind.stored_resource, self.namespace, self.name)

    @property
    def api_version(self) -> str:
        return self.kind.api_version(self.version)

    @property
    def manager(self) -> str:
        """Who owns the fields this call writes: the given manager or the client program's name."""
        given = self.options.field_manager
        return given or self.agent.partition("/")[0][:128] or "unknown"

    def not_found(self) -> errors.NotFound:
        return errors.not_found(self.kind.group, self.kind.plural, self.name)

    def forbidden(self, why: str) -> errors.Forbidden:
        return errors.forbidden(self.kind.group, self.kind.plural, self.name, why)

    def conflict(self, why: str) -> errors.Conflict:
        return errors.conflict(self.kind.group, self.kind.plural, self.name, why)

    def warn(self, text: str) -> None:
        self.warnings.append(text)
