"""The shapes of names that everything agrees on: DNS-1123 names, label keys and label values.

Each check takes a string and returns Kubernetes' own texts of what is wrong, an empty list for a good name. The texts
carry the regex and examples as upstream prints them, because that is what users search for. Lengths count bytes of
UTF-8, as in Go. Shapes that only one kind of object knows are in `argosy.api.rules.names`.

Verdicts are remembered for short values: a cluster sees the same names, keys and label values over and over, and a
lookup costs a third of the cheapest regex. Long values are checked anew so that nobody can fill the memory with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

Check = Callable[[str], list[str]]

_REMEMBERED_LENGTH: Final = 512
_REMEMBERED_VALUES: Final = 8192

DNS1123_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
DNS1123_SUBDOMAIN: Final = DNS1123_LABEL + r"(\." + DNS1123_LABEL + ")*"
_QUALIFIED: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_QUALIFIED})?"

_label = re.compile(DNS1123_LABEL).fullmatch
_subdomain = re.compile(DNS1123_SUBDOMAIN).fullmatch
_qualified = re.compile(_QUALIFIED).fullmatch
_label_value = re.compile(_LABEL_VALUE).fullmatch


def remembered(check: Check) -> Check:
    """The same check with its verdicts of short values cached."""

    @lru_cache(maxsize=_REMEMBERED_VALUES)
    def verdict(value: str) -> tuple[str, ...]:
        return tuple(check(value))

    def problems(value: str) -> list[str]:
        if len(value) > _REMEMBERED_LENGTH:
            return check(value)
        found = verdict(value)
        return list(found) if found else []

    problems.__name__ = check.__name__
    problems.__doc__ = check.__doc__
    return problems


def max_length(limit: int, unit: str = "characters") -> str:
    return f"must be no more than {limit} {unit}"


def regex_problem(text: str, pattern: str, *examples: str) -> str:
    """Upstream's sentence about a value that does not match, with examples and the pattern."""
    shown = " or ".join(f"'{example}', " for example in examples)
    opening = f" (e.g. {shown}" if examples else " ("
    return f"{text}{opening}regex used for validation is '{pattern}')"


def is_longer(value: str, limit: int) -> bool:
    """Whether a text has more than `limit` bytes."""
    return len(value) > limit or (not value.isascii() and len(value.encode()) > limit)


@remembered
def is_dns1123_label(value: str) -> list[str]:
    problems = [max_length(63)] if is_longer(value, 63) else []
    if not _label(value):
        if _subdomain(value):
            problems.append("must not contain dots")
        else:
            problems.append(
                regex_problem(
                    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters "
                    "or '-', and must start and end with an alphanumeric character",
                    DNS1123_LABEL,
                    "my-name",
                    "123-abc",
                )
            )
    return problems


@remembered
def is_dns1123_subdomain(value: str) -> list[str]:
    problems = [max_length(253)] if is_longer(value, 253) else []
    if not _subdomain(value):
        problems.append(
            regex_problem(
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
                "'-' or '.', and must start and end with an alphanumeric character",
                DNS1123_SUBDOMAIN,
                "example.com",
            )
        )
    return problems


_QUALIFIED_PROBLEM: Final = regex_problem(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character",
    _QUALIFIED,
    "MyName",
    "my.name",
    "123-abc",
)


@remembered
def is_qualified_name(value: str) -> list[str]:
    """Keys of labels and annotations, resource names, finalizers: `[prefix/]name`."""
    parts = value.split("/")
    if len(parts) > 2:
        suffix = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {_QUALIFIED_PROBLEM} {suffix}"]
    problems: list[str] = []
    if len(parts) == 2:
        if not parts[0]:
            problems.append("prefix part must be non-empty")
        else:
            problems += [
                f"prefix part {text.replace('253 characters', '253 bytes')}"
                for text in is_dns1123_subdomain(parts[0])
            ]
    name = parts[-1]
    if not name:
        problems.append("name part must be non-empty")
    elif is_longer(name, 63):
        problems.append(f"name part {max_length(63, 'bytes')}")
    if not _qualified(name):
        problems.append(f"name part {_QUALIFIED_PROBLEM}")
    return problems


@remembered
def is_label_value(value: str) -> list[str]:
    problems = [max_length(63, "bytes")] if is_longer(value, 63) else []
    if not _label_value(value):
        problems.append(
            regex_problem(
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
                "or '.', and must start and end with an alphanumeric character",
                _LABEL_VALUE,
                "MyValue",
                "my_value",
                "12345",
            )
        )
    return problems
