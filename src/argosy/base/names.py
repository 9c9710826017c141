"""The shapes of names that occur below the API layer: label keys, label values and DNS-1123 names.

Each function returns the texts of what is wrong, in Kubernetes' words and order, and an empty list for a good
name. Lengths count bytes of UTF-8, as upstream does.
"""

from __future__ import annotations

import re
from typing import Final

_LABEL_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_LABEL_KEY})?"
_DNS_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_SUBDOMAIN: Final = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"

_is_label_key = re.compile(_LABEL_KEY).fullmatch
_is_label_value = re.compile(_LABEL_VALUE).fullmatch
_is_dns_label = re.compile(_DNS_LABEL).fullmatch
_is_dns_subdomain = re.compile(_DNS_SUBDOMAIN).fullmatch

_LABEL_TEXT: Final = (
    "consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
)
_DNS_LABEL_TEXT: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character"
)
_DNS_SUBDOMAIN_TEXT: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)


def regex_text(text: str, regex: str, *examples: str) -> str:
    """`text (e.g. 'a',  or 'b', regex used for validation is '...')`, with upstream's punctuation."""
    shown = " or ".join(f"'{example}', " for example in examples)
    opening = f"e.g. {shown}" if shown else ""
    return f"{text} ({opening}regex used for validation is '{regex}')"


def max_length_text(limit: int) -> str:
    return f"must be no more than {limit} bytes"


EMPTY_TEXT: Final = "must be non-empty"
_KEY_SHAPE: Final = regex_text(f"must {_LABEL_TEXT}", _LABEL_KEY, "MyName", "my.name", "123-abc")
_VALUE_SHAPE: Final = regex_text(
    f"a valid label must be an empty string or {_LABEL_TEXT}",
    _LABEL_VALUE,
    "MyValue",
    "my_value",
    "12345",
)
_DNS_LABEL_SHAPE: Final = regex_text(_DNS_LABEL_TEXT, _DNS_LABEL, "my-name", "123-abc")
_DNS_SUBDOMAIN_SHAPE: Final = regex_text(_DNS_SUBDOMAIN_TEXT, _DNS_SUBDOMAIN, "example.com")


def label_key_problems(key: str) -> list[str]:
    """What is wrong with a label key (upstream: a qualified name), such as `example.com/MyName`."""
    if len(key) <= 63 and "/" not in key and _is_label_key(key):
        return []
    prefix, slash, name = key.partition("/")
    if not slash:
        name = key
    elif "/" in name:
        return [
            f"a valid label key {_KEY_SHAPE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    problems: list[str] = []
    if slash:
        found = dns1123_subdomain_problems(prefix) if prefix else [EMPTY_TEXT]
        problems += [f"prefix part {text}" for text in found]
    if not name:
        problems.append(f"name part {EMPTY_TEXT}")
    elif _size(name) > 63:
        problems.append(f"name part {max_length_text(63)}")
    if not _is_label_key(name):
        problems.append(f"name part {_KEY_SHAPE}")
    return problems


def label_value_problems(value: str) -> list[str]:
    """What is wrong with a label value."""
    problems = []
    if _size(value) > 63:
        problems.append(max_length_text(63))
    if not _is_label_value(value):
        problems.append(_VALUE_SHAPE)
    return problems


def dns1123_label_problems(value: str) -> list[str]:
    """What is wrong with a DNS label, such as the name of a namespace or a container."""
    problems = []
    if _size(value) > 63:
        problems.append(max_length_text(63))
    if not _is_dns_label(value):
        problems.append("must not contain dots" if _is_dns_subdomain(value) else _DNS_LABEL_SHAPE)
    return problems


def dns1123_subdomain_problems(value: str) -> list[str]:
    """What is wrong with a DNS subdomain, the shape of most object names."""
    problems = []
    if _size(value) > 253:
        problems.append(max_length_text(253))
    if not _is_dns_subdomain(value):
        problems.append(_DNS_SUBDOMAIN_SHAPE)
    return problems


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
