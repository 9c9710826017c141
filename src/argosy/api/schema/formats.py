"""The string formats a CRD may ask for, as Kubernetes checks them.

A format that is not in `FORMATS` (after dropping dashes) is ignored, as upstream does; that includes int32 and int64,
whose range is never checked.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from datetime import date
from email.utils import parseaddr
from typing import Final
from urllib.parse import urlsplit

_Check = Callable[[str], bool]


def _matching(pattern: str) -> _Check:
    match = re.compile(pattern, re.ASCII).fullmatch
    return lambda text: match(text) is not None


def _date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 10


_CLOCK: Final = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})"
).fullmatch


def _date_time(text: str) -> bool:
    parts = text.lower().split("t")
    if len(parts) < 2 or not _date(parts[0]):
        return False
    found = _CLOCK(parts[1])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


_GO_DURATION: Final = re.compile(
    r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)"
).fullmatch
_WORDS: Final = re.compile(r"\d+\s*([A-Za-zµ]+)")
_UNITS: Final = frozenset(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"])
_UNIT_WORDS: Final = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")


def _duration(text: str) -> bool:
    if _GO_DURATION(text):
        return True
    units = [unit.lower() for unit in _WORDS.findall(text)]
    return any(unit in _UNITS or unit.startswith(_UNIT_WORDS) for unit in units)


def _ipv4(text: str) -> bool:
    # Leading zeros are tolerated.
    octets = text.split(".")
    return len(octets) == 4 and all(
        octet.isascii() and octet.isdigit() and int(octet) < 256 for octet in octets
    )


def _ipv6(text: str) -> bool:
    if ":" not in text or "%" in text:
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _cidr(text: str) -> bool:
    address, slash, bits = text.partition("/")
    if not slash or not bits.isascii() or not bits.isdigit() or (len(bits) > 1 and bits[0] == "0"):
        return False
    return int(bits) <= 32 if _ipv4(address) else _ipv6(address) and int(bits) <= 128


def _uri(text: str) -> bool:
    if not text or any(ch <= " " or ch == "\x7f" for ch in text):
        return False
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    return text.startswith("/") or bool(parts.scheme)


def _email(text: str) -> bool:
    address = parseaddr(text)[1]
    local, at, domain = address.rpartition("@")
    return bool(at and local and domain) and " " not in address


def _hostname(text: str) -> bool:
    labels = text.split(".")
    if len(text.encode()) > 255 or any(len(label.encode()) > 63 for label in labels):
        return False
    if not all(_LABEL(label) for label in labels):
        return False
    return len(labels) == 1 or (len(labels[-1]) >= 2 and labels[-1].isalpha())


_LABEL: Final = re.compile(r"[^\W_](?:(?:[^\W_]|-)*[^\W_])?").fullmatch


def _credit_card(text: str) -> bool:
    digits = re.sub("[^0-9]+", "", text)
    if not _CARD(digits):
        return False
    total = 0
    for index, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + index % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


_CARD: Final = _matching(
    r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}"
)


def _isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch("[0-9]{9}[0-9X]", digits):
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((index + 1) * value for index, value in enumerate(values)) % 11 == 0


def _isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch("[0-9]{13}", digits):
        return False
    return sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(digits)) % 10 == 0


_SHORT: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_short_name: Final = _matching(_SHORT)
_long_name: Final = _matching(rf"{_SHORT}(?:\.{_SHORT})*")
_COLOR: Final = r"\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"

FORMATS: Final[dict[str, _Check]] = {
    "bsonobjectid": _matching("[0-9a-fA-F]{24}"),
    "uri": _uri,
    "email": _email,
    "hostname": _hostname,
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "cidr": _cidr,
    "mac": _matching(
        r"(?:[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?:(?::[0-9a-fA-F]{2}){2}|(?::[0-9a-fA-F]{2}){14})?"
        r"|[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2}){5}(?:(?:-[0-9a-fA-F]{2}){2}|(?:-[0-9a-fA-F]{2}){14})?"
        r"|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}(?:\.[0-9a-fA-F]{4}|(?:\.[0-9a-fA-F]{4}){7})?)"
    ),
    "uuid": _matching(r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"),
    "uuid3": _matching(r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}"),
    "uuid4": _matching(
        r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}"
    ),
    "uuid5": _matching(
        r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}"
    ),
    "isbn": lambda text: _isbn10(text) or _isbn13(text),
    "isbn10": _isbn10,
    "isbn13": _isbn13,
    "creditcard": _credit_card,
    "ssn": _matching(r"\d{3}[- ]\d{2}[- ]\d{4}"),
    "hexcolor": _matching("#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matching(rf"rgb\({_COLOR},{_COLOR},{_COLOR}\)"),
    "byte": _matching(
        r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
    ),
    "password": lambda text: True,  # noqa: ARG005
    "date": _date,
    "duration": _duration,
    "datetime": _date_time,
    "k8sshortname": lambda text: len(text) <= 63 and _short_name(text),
    "k8slongname": lambda text: len(text) <= 253 and _long_name(text),
}


def format_check(name: str) -> _Check | None:
    """The check of a format; None where Kubernetes has none."""
    return FORMATS.get(name.replace("-", "")) if name else None
