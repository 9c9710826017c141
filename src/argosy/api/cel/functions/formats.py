"""`format.named('dns1123Label').value().validate(x)`: Kubernetes' name checks by name.

`validate` gives the problems as an optional list: none if the value is good.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from argosy.api.cel import times
from argosy.api.cel.declarations import Overload, declare
from argosy.api.cel.functions.networks import parse_request_uri
from argosy.api.cel.values import NONE, TYPE_NAMES, Optional
from argosy.api.rules import names

Check = Callable[[str], list[str]]


@dataclass(slots=True, frozen=True)
class NamedFormat:
    name: str


TYPE_NAMES[NamedFormat] = "kubernetes.NamedFormat"


def _prefix(check: Check) -> Check:
    return lambda text: check(names.masked(text))


def _uri(text: str) -> list[str]:
    try:
        parse_request_uri(text)
    except ValueError as error:
        return [str(error)]
    return []


def _parses(parse: Callable[[str], object], problem: str) -> Check:
    def run(text: str) -> list[str]:
        try:
            parse(text)
        except (ValueError, binascii.Error):
            return [problem]
        return []

    return run


def _uuid(text: str) -> list[str]:
    pattern = r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}"
    return [] if re.fullmatch(pattern, text) else ["does not match the UUID format"]


_CHECKS: Final[dict[str, Check]] = {
    "dns1123Label": names.is_dns1123_label,
    "dns1123Subdomain": names.is_dns1123_subdomain,
    "dns1035Label": names.is_dns1035_label,
    "qualifiedName": names.is_qualified_name,
    "dns1123LabelPrefix": _prefix(names.is_dns1123_label),
    "dns1123SubdomainPrefix": _prefix(names.is_dns1123_subdomain),
    "dns1035LabelPrefix": _prefix(names.is_dns1035_label),
    "labelValue": names.is_label_value,
    "uri": _uri,
    "uuid": _uuid,
    "byte": _parses(lambda text: base64.b64decode(text, validate=True), "invalid base64"),
    "date": _parses(times.parse_date, "invalid date"),
    "datetime": _parses(times.parse_timestamp, "invalid datetime"),
}


def _named(name: str) -> Optional:
    return Optional(present=True, value=NamedFormat(name)) if name in _CHECKS else NONE


def _validate(wanted: NamedFormat, text: str) -> Optional:
    problems = _CHECKS[wanted.name](text)
    return Optional(present=True, value=problems) if problems else NONE


LIBRARY: Final[tuple[Overload, ...]] = (
    declare("format.named(string) -> optional<Format>", _named),
    declare("Format::validate(string) -> optional<list<string>>", _validate),
)
