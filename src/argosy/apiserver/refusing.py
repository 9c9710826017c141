"""Refusals of a whole path or method, which more than one part of the server gives.

kube-apiserver tells two kinds of "not there" apart, and clients see it: a path of a group it serves itself is answered
with a Status, any other path (of a custom group too) with a plain page.
"""

from __future__ import annotations

from functools import cache

from argosy.api.builtin import builtin_kinds
from argosy.base.errors import Details, MethodNotAllowed, NotFound


class NoSuchPath(NotFound):
    """A path that belongs to no group served here; answered with the plain page."""


@cache
def _own_groups() -> frozenset[str]:
    return frozenset(kind.group for kind in builtin_kinds())


def no_such_resource(group: str) -> NotFound:
    text = "the server could not find the requested resource"
    kind = NotFound if group in _own_groups() else NoSuchPath
    return kind(text, details=Details())


def no_such_method() -> MethodNotAllowed:
    return MethodNotAllowed(
        "the server does not allow this method on the requested resource", details=Details()
    )
