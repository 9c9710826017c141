"""Alike objects share what is equal in them, so that a pod of a Job of thousands costs what is its own.

Decoding makes every part of an object anew: the pods of one template each get containers, tolerations and volumes of
their own, some 20 KiB that are the same for all. An informer holds each new view against the one it replaces and
against the last one it read, and takes over every part that is equal; the fresh copy is let go at once. Views are
immutable, so nobody can tell, but by the memory.

Cost: a comparison of equal parts is one call into C; only where two parts differ are their fields looked at one by one.
"""

from __future__ import annotations

from typing import Final

import msgspec

# Fields of these are the object's own, or cost nothing: nobody looks for them elsewhere.
_PLAIN: Final = (bool, int, float, type(None))


def share(new: object, known: object) -> None:
    """Have `new` hold the parts of `known` that are equal to its own, if both are views."""
    if not isinstance(new, msgspec.Struct):
        return
    for name in new.__struct_fields__:
        own = getattr(new, name)
        if not own or own.__class__ in _PLAIN:
            continue
        other = getattr(known, name)
        if own is other or other.__class__ is not own.__class__:
            continue
        if own == other:
            msgspec.structs.force_setattr(new, name, other)
        elif isinstance(own, msgspec.Struct):
            share(own, other)
        elif own.__class__ is tuple and len(own) == len(other):
            _share_items(own, other)


def _share_items(own: tuple[object, ...], other: tuple[object, ...]) -> None:
    """Of lists that differ somewhere, what their items have in common."""
    for mine, theirs in zip(own, other, strict=True):
        if isinstance(mine, msgspec.Struct) and mine.__class__ is theirs.__class__:
            share(mine, theirs)
