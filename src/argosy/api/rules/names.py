"""Syntax of names, keys and values, each check answering with Kubernetes' own texts of what is wrong.

What labels, selectors and most names share is in `argosy.base.names` and offered here again, so that rules have one
place to look; the rest is what single fields ask for: ports, keys of ConfigMaps, headers, percentages, paths.
"""

from __future__ import annotations

import re
from typing import Final

from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.names import (
    DNS1123_SUBDOMAIN,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_value,
    is_longer,
    is_qualified_name,
    max_length,
    regex_problem,
    remembered,
)

__all__ = [
    "in_range",
    "is_c_identifier",
    "is_condition_reason",
    "is_config_map_key",
    "is_dns1035_label",
    "is_dns1123_label",
    "is_dns1123_subdomain",
    "is_dns1123_subdomain_with_underscore",
    "is_env_var_name",
    "is_http_header_name",
    "is_label_value",
    "is_path_segment",
    "is_percent",
    "is_port_name",
    "is_port_number",
    "is_qualified_name",
    "is_wildcard_dns1123_subdomain",
    "masked",
    "max_length",
    "regex_problem",
    "remembered",
    "validate_domain_prefixed_path",
    "validate_fully_qualified_name",
]

_LABEL_UNDERSCORE: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_UNDERSCORE: Final = _LABEL_UNDERSCORE + r"(\." + _LABEL_UNDERSCORE + ")*"
_WILDCARD: Final = r"\*\." + DNS1123_SUBDOMAIN
_DNS1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_C_IDENTIFIER: Final = "[A-Za-z_][A-Za-z0-9_]*"
_HTTP_HEADER: Final = "[-A-Za-z0-9]+"
_HTTP_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_CONFIG_KEY: Final = "[-._a-zA-Z0-9]+"
_PERCENT: Final = "[0-9]+%"
_CONDITION_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"

_subdomain_underscore = re.compile(_SUBDOMAIN_UNDERSCORE).fullmatch
_wildcard = re.compile(_WILDCARD).fullmatch
_dns1035 = re.compile(_DNS1035).fullmatch
_c_identifier = re.compile(_C_IDENTIFIER).fullmatch
_http_header = re.compile(_HTTP_HEADER).fullmatch
_http_path = re.compile(_HTTP_PATH).fullmatch
_relaxed_env = re.compile(r"[ -<>-~]*").fullmatch
_config_key = re.compile(_CONFIG_KEY).fullmatch
_percent = re.compile(_PERCENT).fullmatch
_condition_reason = re.compile(_CONDITION_REASON).fullmatch
_port_characters = re.compile("[-a-z0-9]+").fullmatch
_letter = re.compile("[a-z]").search


def in_range(value: int, low: int, high: int) -> list[str]:
    return [] if low <= value <= high else [f"must be between {low} and {high}, inclusive"]


def is_dns1123_subdomain_with_underscore(value: str) -> list[str]:
    problems = [max_length(253)] if is_longer(value, 253) else []
    if not _subdomain_underscore(value):
        problems.append(
            regex_problem(
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
                "'_', '-' or '.', and must start and end with an alphanumeric character",
                _SUBDOMAIN_UNDERSCORE,
                "example.com",
            )
        )
    return problems


def is_wildcard_dns1123_subdomain(value: str) -> list[str]:
    problems = [max_length(253)] if is_longer(value, 253) else []
    if not _wildcard(value):
        problems.append(
            regex_problem(
                "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
                "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "
                "alphanumeric character",
                _WILDCARD,
                "*.example.com",
            )
        )
    return problems


@remembered
def is_dns1035_label(value: str) -> list[str]:
    problems = [max_length(63)] if is_longer(value, 63) else []
    if not _dns1035(value):
        problems.append(
            regex_problem(
                "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
                "an alphabetic character, and end with an alphanumeric character",
                _DNS1035,
                "my-name",
                "abc-123",
            )
        )
    return problems


def is_path_segment(value: str) -> list[str]:
    """Names that only have to fit into a URL: roles, bindings."""
    if value in {".", ".."}:
        return [f"may not be '{value}'"]
    return [f"may not contain '{character}'" for character in "/%" if character in value]


@remembered
def is_env_var_name(value: str) -> list[str]:
    """Names of environment variables: printable ASCII without '=' since v1.34."""
    problems = [] if value else ["environment variable name must be non-empty"]
    if not _relaxed_env(value):
        problems.append(
            "a valid environment variable name must consist only of printable ASCII characters other than '='"
        )
    return problems


def is_c_identifier(value: str) -> list[str]:
    if _c_identifier(value):
        return []
    return [
        regex_problem(
            "a valid C identifier must start with alphabetic character or '_', followed by a string of "
            "alphanumeric characters or '_'",
            _C_IDENTIFIER,
            "my_name",
            "MY_NAME",
            "MyName",
        )
    ]


@remembered
def is_config_map_key(value: str) -> list[str]:
    problems = [max_length(253)] if is_longer(value, 253) else []
    if not _config_key(value):
        problems.append(
            regex_problem(
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                _CONFIG_KEY,
                "key.name",
                "KEY_NAME",
                "key-name",
            )
        )
    if value in {".", ".."}:
        problems.append(f"must not be '{value}'")
    elif value.startswith(".."):
        problems.append("must not start with '..'")
    return problems


@remembered
def is_port_name(value: str) -> list[str]:
    problems = [max_length(15)] if is_longer(value, 15) else []
    if not _port_characters(value):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _letter(value):
        problems.append("must contain at least one letter (a-z)")
    if "--" in value:
        problems.append("must not contain consecutive hyphens")
    if value.startswith("-") or value.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def is_port_number(value: int) -> list[str]:
    return in_range(value, 1, 65535)


def is_http_header_name(value: str) -> list[str]:
    if _http_header(value):
        return []
    return [
        regex_problem(
            "a valid HTTP header must consist of alphanumeric characters or '-'",
            _HTTP_HEADER,
            "X-Header-Name",
        )
    ]


def is_percent(value: str) -> list[str]:
    if _percent(value):
        return []
    return [
        regex_problem(
            "a valid percent string must be a numeric string followed by an ending '%'",
            _PERCENT,
            "1%",
            "93%",
        )
    ]


def is_condition_reason(value: str) -> list[str]:
    if _condition_reason(value):
        return []
    return [
        regex_problem(
            "a condition reason must start with alphabetic character, optionally followed by a string of "
            "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
            _CONDITION_REASON,
            "my_name",
            "MY_NAME",
            "MyName",
            "ReasonA,ReasonB",
            "ReasonA:ReasonB",
        )
    ]


def validate_domain_prefixed_path(value: str, path: str) -> list[FieldError]:
    """`example.com/some/path`, as a Job's managedBy or a condition of a third party."""
    if not value:
        return [required(path)]
    host, _, rest = value.partition("/")
    if not host or not rest:
        return [
            invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'),
        ]
    errors = [invalid(path, host, text) for text in is_dns1123_subdomain(host)]
    if not _http_path(rest):
        errors.append(invalid(path, rest, regex_problem("Invalid path", _HTTP_PATH)))
    return errors


def validate_fully_qualified_name(value: str, path: str) -> list[FieldError]:
    """A domain of three or more segments, as a signer or a Node's provider uses."""
    if not value:
        return [required(path)]
    if problems := is_dns1123_subdomain(value):
        return [invalid(path, value, ",".join(problems))]
    if value.count(".") < 2:
        return [
            invalid(
                path, value, "should be a domain with at least three segments separated by dots"
            )
        ]
    return []


def masked(prefix: str) -> str:
    """A generateName as a name check takes it: a trailing dash is fine, since more characters will follow it."""
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix
