"""Field errors that do not print the rejected value: Kubernetes omits objects and arrays in some of them."""

from __future__ import annotations

from argosy.base.fielderrors import FieldError, invalid


class Omitted(FieldError):
    """`spec.x: Invalid value: detail`, whatever the value was."""

    __slots__ = ()

    @property
    def body(self) -> str:
        text = FieldError(self.reason, self.field, 0, "").body.removesuffix(": 0")
        return f"{text}: {self.detail}" if self.detail else text


def omitted(error: FieldError) -> FieldError:
    """The same error without its value."""
    return Omitted(error.reason, error.field, None, error.detail)


def invalid_omitted(path: str, detail: str) -> FieldError:
    return omitted(invalid(path, None, detail))
