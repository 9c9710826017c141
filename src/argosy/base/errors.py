"""One error tree; every member maps to exactly one Kubernetes Status.

    StatusError                     any other code
    ├── BadRequest             400  the request cannot be understood
    ├── Unauthorized           401  nobody is known by these credentials
    ├── Forbidden              403  the user may not, or admission says no
    ├── NotFound               404  no such object, resource or path
    ├── MethodNotAllowed       405  the resource has no such verb
    ├── NotAcceptable          406  none of the offered media types can be produced
    ├── AlreadyExists          409  the name is taken
    ├── Conflict               409  the object has changed, or another manager owns the field
    ├── Expired                410  the revision has left the history
    ├── TooLarge               413  the body or the object is over its limit
    ├── UnsupportedMediaType   415  the body's content type is not taken here
    ├── Invalid                422  the object breaks rules; each broken rule is a cause
    ├── TooManyRequests        429  overload; come back after `retry_after_seconds`
    ├── InternalError          500  a defect of ours
    ├── ServiceUnavailable     503  not ready, or shutting down
    └── Timeout                504  the server gave up waiting

The messages copy Kubernetes' wording, because users search for it. `resource` in messages is the qualified resource
(`jobs.batch`), `kind` in details is the resource or kind as Kubernetes puts it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from argosy.base.fielderrors import FieldError
from argosy.base.types import Object


class Cause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of `details.causes`."""

    reason: str = ""
    message: str = ""
    field: str = ""


class Details(msgspec.Struct, frozen=True, omit_defaults=True):
    """The `details` of a Status: which object, which causes, when to retry."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[Cause, ...] = ()
    retryAfterSeconds: int = 0  # noqa: N815  (the wire's name)


class StatusError(Exception):
    """An error that a Kubernetes client understands."""

    code: int = 500
    reason: str = "InternalError"

    def __init__(self, message: str, *, details: Details | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        # What was to be said about the request before it failed: Warning headers of the answer.
        self.warnings: list[str] = []

    def to_status(self) -> Object:
        """The metav1.Status a server sends for this error."""
        status: Object = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            status["details"] = msgspec.to_builtins(self.details)
        status["code"] = self.code
        return status


def from_status(status: Object) -> StatusError:
    """The error a remote server's Status stands for (the inverse of `to_status`)."""
    code = int(status.get("code") or 500)
    reason = str(status.get("reason") or "")
    raw = status.get("details")
    details = msgspec.convert(raw, Details, strict=False) if isinstance(raw, dict) else None
    cls = _BY_REASON.get(reason) or _BY_CODE.get(code) or StatusError
    error = cls.__new__(cls)
    StatusError.__init__(error, str(status.get("message") or reason or code), details=details)
    error.code, error.reason = code, reason
    return error


class BadRequest(StatusError):
    code, reason = 400, "BadRequest"


class Unauthorized(StatusError):
    code, reason = 401, "Unauthorized"

    def __init__(self, message: str = "Unauthorized", *, details: Details | None = None) -> None:
        super().__init__(message, details=details)


class Forbidden(StatusError):
    code, reason = 403, "Forbidden"


class NotFound(StatusError):
    code, reason = 404, "NotFound"


class MethodNotAllowed(StatusError):
    code, reason = 405, "MethodNotAllowed"


class NotAcceptable(StatusError):
    code, reason = 406, "NotAcceptable"


class AlreadyExists(StatusError):
    code, reason = 409, "AlreadyExists"


class Conflict(StatusError):
    code, reason = 409, "Conflict"


class Expired(StatusError):
    code, reason = 410, "Expired"


class TooLarge(StatusError):
    code, reason = 413, "RequestEntityTooLarge"


class UnsupportedMediaType(StatusError):
    code, reason = 415, "UnsupportedMediaType"


class Invalid(StatusError):
    """The object breaks validation rules; `errors` holds each of them."""

    code, reason = 422, "Invalid"
    errors: Sequence[FieldError]

    def __init__(
        self, kind: str, name: str, errors: Sequence[FieldError], *, group: str = ""
    ) -> None:
        texts = [str(error) for error in dict.fromkeys(errors)]
        what = f"{kind}.{group}" if group else kind
        body = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
        causes = tuple(Cause(e.reason, e.body, e.field) for e in errors)
        details = Details(name=name, group=group, kind=kind, causes=causes)
        super().__init__(f'{what} "{name}" is invalid: {body}', details=details)
        self.errors = tuple(errors)


class TooManyRequests(StatusError):
    code, reason = 429, "TooManyRequests"
    default_text: ClassVar[str] = "too many requests, please try again later"

    def __init__(self, message: str = default_text, *, retry_after_seconds: int = 1) -> None:
        super().__init__(message, details=Details(retryAfterSeconds=retry_after_seconds))
        self.retry_after_seconds = retry_after_seconds


class InternalError(StatusError):
    code, reason = 500, "InternalError"


class ServiceUnavailable(StatusError):
    code, reason = 503, "ServiceUnavailable"


class Timeout(StatusError):
    code, reason = 504, "Timeout"


_ALL: tuple[type[StatusError], ...] = (
    BadRequest, Unauthorized, Forbidden, NotFound, MethodNotAllowed, NotAcceptable, AlreadyExists, Conflict,
    Expired, TooLarge,
    UnsupportedMediaType, Invalid, TooManyRequests, InternalError, ServiceUnavailable, Timeout,
)  # fmt: skip
_BY_REASON = {cls.reason: cls for cls in _ALL}
_BY_CODE = {cls.code: cls for cls in reversed(_ALL)}


def _qualified(group: str, resource: str) -> str:
    return f"{resource}.{group}" if group else resource


def not_found(group: str, resource: str, name: str) -> NotFound:
    """`pods "x" not found`, as `kubectl get` prints it."""
    return NotFound(
        f'{_qualified(group, resource)} "{name}" not found',
        details=Details(name=name, group=group, kind=resource),
    )


def already_exists(group: str, resource: str, name: str) -> AlreadyExists:
    return AlreadyExists(
        f'{_qualified(group, resource)} "{name}" already exists',
        details=Details(name=name, group=group, kind=resource),
    )


def conflict(group: str, resource: str, name: str, why: str) -> Conflict:
    return Conflict(
        f'Operation cannot be fulfilled on {_qualified(group, resource)} "{name}": {why}',
        details=Details(name=name, group=group, kind=resource),
    )


def stale(group: str, resource: str, name: str) -> Conflict:
    """The conflict of optimistic concurrency: somebody else wrote first."""
    return conflict(
        group, resource, name,
        "the object has been modified; please apply your changes to the latest version and try again",
    )  # fmt: skip


def forbidden(group: str, resource: str, name: str, why: str) -> Forbidden:
    what = f'{_qualified(group, resource)} "{name}"' if name else _qualified(group, resource)
    return Forbidden(
        f"{what} is forbidden: {why}", details=Details(name=name, group=group, kind=resource)
    )


def expired(message: str) -> Expired:
    return Expired(message)
