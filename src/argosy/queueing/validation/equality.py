"""Whether two parts of an object say the same, as Kubernetes compares them: nothing is as good as empty, and amounts
are equal however they are written.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.wording import IMMUTABLE
from argosy.base.fielderrors import FieldError, invalid
from argosy.base.quantities import ParseError, parse
from argosy.base.types import Json

# Maps of amounts by resource.
_AMOUNTS: Final = frozenset({"requests", "limits", "overhead", "resourceUsage", "sizeLimit"})


def immutable(new: Json, old: Json, path: str) -> list[FieldError]:
    return [] if is_same(new, old) else [invalid(path, new, IMMUTABLE)]


def is_same(one: Json, other: Json) -> bool:
    return one is other or one == other or _plain(one) == _plain(other)


def _plain(value: Json, *, amounts: bool = False) -> Json:
    match value:
        case dict():
            fields = (
                (name, _plain(field, amounts=amounts or name in _AMOUNTS))
                for name, field in value.items()
            )
            return {name: field for name, field in fields if not _is_nothing(field)}
        case list():
            return [_plain(item, amounts=amounts) for item in value]
        case str() | int() if amounts and not isinstance(value, bool):
            return _amount(value)
        case _:
            return value


def _amount(value: str | int) -> Json:
    try:
        return parse(value)
    except ParseError:
        return value


def _is_nothing(value: Json) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)
