"""The differences between what the hub wants and what the member has, as RFC 6902 would say them.

Keys come in sorted order, so the list is the same every time. Lists are compared place by place: first what the hub
has too many of, each told at the first surplus place with the value that stands there; then the places both have; then
what the member has too many of, at `/-`. Mirrors what upstream makes of wI2L/jsondiff's patches: an added value is
only in the member, a removed one only in the hub, a replaced one in both.

Deterministic, and empty exactly if the cleaned objects are equal as JSON (tests/unit/member/comparing checks both).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from argosy.api.objects.metadata import View
from argosy.base.types import Json, Object
from argosy.member.comparing.cleaning import cleaned
from argosy.member.comparing.printing import in_hub, in_member

MOST: Final = 100
_REDACTED: Final = "(redacted for security reasons)"
_SECRET_PATHS: Final = ("/data", "/stringData")


class Difference(View, frozen=True):
    """Upstream's PatchDetail. An empty value is left out, as is one that is not there."""

    path: str
    value_in_member: str = ""
    value_in_hub: str = ""


# What is told where the member has no such object.
WHOLE_OBJECT: Final = Difference("/", value_in_hub="(the whole object)")


def differences(hub: Object, member: Object) -> tuple[Difference, ...]:
    """The first hundred differences that count."""
    found = tuple(islice(_differences("", cleaned(hub), cleaned(member)), MOST))
    if hub.get("apiVersion") == "v1" and hub.get("kind") == "Secret":
        return tuple(map(_redacted, found))
    return found


def _differences(path: str, hub: Json, member: Json) -> Iterator[Difference]:
    if isinstance(hub, dict) and isinstance(member, dict):
        yield from _of_maps(path, hub, member)
    elif isinstance(hub, list) and isinstance(member, list):
        yield from _of_lists(path, hub, member)
    elif not _is_same(hub, member):
        yield Difference(path, in_member(member), in_hub(hub))


def _of_maps(path: str, hub: Object, member: Object) -> Iterator[Difference]:
    for key in sorted(hub.keys() | member.keys()):
        inner = f"{path}/{_escaped(key)}"
        if key not in member:
            yield Difference(inner, value_in_hub=in_hub(hub[key]))
        elif key not in hub:
            yield Difference(inner, in_member(member[key]))
        else:
            yield from _differences(inner, hub[key], member[key])


def _of_lists(path: str, hub: list[Json], member: list[Json]) -> Iterator[Difference]:
    both = min(len(hub), len(member))
    for _ in hub[both:]:
        yield Difference(f"{path}/{both}", value_in_hub=in_hub(hub[both]))
    for place in range(both):
        yield from _differences(f"{path}/{place}", hub[place], member[place])
    for surplus in member[both:]:
        yield Difference(f"{path}/-", in_member(surplus))


def _is_same(hub: Json, member: Json) -> bool:
    """Equality of JSON scalars, where 1 is 1.0 and neither is true."""
    return hub == member and isinstance(hub, bool) == isinstance(member, bool)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _redacted(found: Difference) -> Difference:
    if not found.path.startswith(_SECRET_PATHS):
        return found
    return Difference(
        found.path,
        _REDACTED if found.value_in_member else "",
        _REDACTED if found.value_in_hub else "",
    )
