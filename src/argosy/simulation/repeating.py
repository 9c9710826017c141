"""Things of a scenario that there are many of, written once: `count: 30`, and `{n}` wherever they differ.

`{n}` counts from 1, or from `first`; `{n%5}` is its remainder, so that thirty queues can share five cohorts. Names of
members are counted in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from argosy.base.types import Json
from argosy.simulation.documents import Field

_NUMBER: Final = re.compile(r"\{n(?:%([1-9]\d*))?\}")
_MOST: Final = 10_000


def repeated(field: Field) -> Iterator[Field]:
    """The field, once for each number it is counted by; itself where it is not counted."""
    for number in numbers(field):
        yield field if number is None else field.rewritten(lambda text, n=number: numbered(text, n))  # type: ignore[misc]


def numbers(field: Field) -> list[int] | list[None]:
    """What `count` and `first` of a mapping say."""
    if not field.is_mapping or not field.at("count").is_there:
        return [None]
    first = field.at("first").whole(1)
    return list(range(first, first + field.at("count").whole(1, least=1, most=_MOST)))


def numbered(text: str, number: int) -> str:
    return _NUMBER.sub(lambda found: str(number % int(found[1]) if found[1] else number), text)


def copy(value: Json, number: int) -> Json:
    """Plain data with the number in all of its texts."""
    if isinstance(value, str):
        return numbered(value, number)
    if isinstance(value, dict):
        return {numbered(key, number): copy(each, number) for key, each in value.items()}
    if isinstance(value, list):
        return [copy(each, number) for each in value]
    return value
