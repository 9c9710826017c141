"""Syntax of names: what passes, and how many texts say what does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.rules import names
from argosy.base.fielderrors import invalid, required

GOOD: dict[str, tuple[Callable[[str], list[str]], list[str]]] = {
    "labels": (names.is_dns1123_label, ["a", "0", "a-b", "a" * 63]),
    "subdomains": (names.is_dns1123_subdomain, ["a", "a.b", "1.2", "a-b.c-d", "a" * 253]),
    "DNS-1035 labels": (names.is_dns1035_label, ["a", "a1", "a-1"]),
    "qualified names": (names.is_qualified_name, ["A", "a.b_c-d", "x.y/Z", "9"]),
    "label values": (names.is_label_value, ["", "A", "a_b.c-d", "a" * 63]),
    "path segments": (names.is_path_segment, ["system:node", "a b", "..."]),
    "environment variables": (names.is_env_var_name, ["A", "a b", "1", "a.b-c", "~"]),
    "config map keys": (names.is_config_map_key, ["a", ".a", "A_b.c-d", "a..b"]),
    "port names": (names.is_port_name, ["http", "a1", "1a", "a-b"]),
    "header names": (names.is_http_header_name, ["X-Header", "a"]),
    "percents": (names.is_percent, ["0%", "100%"]),
    "C identifiers": (names.is_c_identifier, ["_a", "A1"]),
    "condition reasons": (names.is_condition_reason, ["A", "a_b,c:D9", "Reason_"]),
    "wildcards": (names.is_wildcard_dns1123_subdomain, ["*.a", "*.a.b"]),
    "search domains": (names.is_dns1123_subdomain_with_underscore, ["_a.b", "a_b.c"]),
}
BAD: dict[str, tuple[Callable[[str], list[str]], dict[str, int]]] = {
    "labels": (
        names.is_dns1123_label,
        {"": 1, "A": 1, "-a": 1, "a-": 1, "a.b": 1, "a" * 64: 1, "A" * 64: 2, "a\n": 1},
    ),
    "subdomains": (names.is_dns1123_subdomain, {"": 1, "a..b": 1, ".a": 1, "a" * 254: 1}),
    "DNS-1035 labels": (names.is_dns1035_label, {"1a": 1, "a" * 64: 1, "1" * 64: 2}),
    "qualified names": (
        names.is_qualified_name,
        {"": 2, "/a": 1, "a/": 2, "a/b/c": 1, "A/b": 1, "-": 1, "a" * 64: 1, "ä": 1},
    ),
    "label values": (names.is_label_value, {"-": 1, "a b": 1, "a" * 64: 1, "ä" * 40: 2}),
    "path segments": (names.is_path_segment, {".": 1, "..": 1, "a/b": 1, "%/": 2}),
    "environment variables": (names.is_env_var_name, {"": 1, "a=b": 1, "ä": 1, "a\n": 1}),
    "config map keys": (names.is_config_map_key, {"": 1, ".": 1, "..": 1, "..a": 1, "a b": 1}),
    "port names": (names.is_port_name, {"": 2, "1": 1, "a--b": 1, "-a": 1, "A" * 16: 3}),
    "header names": (names.is_http_header_name, {"": 1, "a b": 1}),
    "percents": (names.is_percent, {"1": 1, "%": 1, "-1%": 1}),
    "C identifiers": (names.is_c_identifier, {"1a": 1, "a-b": 1}),
    "condition reasons": (names.is_condition_reason, {"1": 1, "a,": 1}),
    "wildcards": (names.is_wildcard_dns1123_subdomain, {"a": 1, "*": 1, "*." + "a" * 253: 1}),
    "search domains": (names.is_dns1123_subdomain_with_underscore, {"a_": 1, "A": 1}),
}


@pytest.mark.parametrize(("check", "values"), GOOD.values(), ids=GOOD.keys())
def test_accepts(check: Callable[[str], list[str]], values: list[str]) -> None:
    assert {value: check(value) for value in values} == {value: [] for value in values}


@pytest.mark.parametrize(("check", "values"), BAD.values(), ids=BAD.keys())
def test_rejects(check: Callable[[str], list[str]], values: dict[str, int]) -> None:
    assert {value: len(check(value)) for value in values} == values


def test_a_text_carries_examples_and_the_pattern() -> None:
    want = (
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
    )
    assert names.is_dns1123_label("A") == [want]


def test_a_caller_cannot_spoil_a_remembered_verdict() -> None:
    want = list(names.is_dns1123_label("Spoiled"))
    names.is_dns1123_label("Spoiled").append("more")
    assert names.is_dns1123_label("Spoiled") == want


@given(st.text(max_size=600))
def test_remembering_changes_no_verdict(value: str) -> None:
    def check(text: str) -> list[str]:
        return [f"{len(text)} characters"] if len(text) % 2 else []

    assert names.remembered(check)(value) == check(value)


PATHS = {
    "empty": ("", [required("p")]),
    "without a path": (
        "a.b",
        [invalid("p", "a.b", 'must be a domain-prefixed path (such as "acme.io/foo")')],
    ),
    "good": ("acme.io/foo/bar", []),
    "with a bad path": (
        "acme.io/a b",
        [
            invalid(
                "p",
                "a b",
                "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
            )
        ],
    ),
}


@pytest.mark.parametrize(("value", "want"), PATHS.values(), ids=PATHS.keys())
def test_domain_prefixed_paths(value: str, want: list[object]) -> None:
    assert names.validate_domain_prefixed_path(value, "p") == want


def test_fully_qualified_names_have_three_parts() -> None:
    detail = "should be a domain with at least three segments separated by dots"
    assert names.validate_fully_qualified_name("a.b.c", "p") == []
    assert names.validate_fully_qualified_name("a.b", "p") == [invalid("p", "a.b", detail)]
    assert names.validate_fully_qualified_name("", "p") == [required("p")]


@pytest.mark.parametrize(
    ("prefix", "want"), [("job-", "joa"), ("-", "-"), ("a", "a"), ("ab--", "aba")]
)
def test_a_prefix_may_end_in_a_dash(prefix: str, want: str) -> None:
    assert names.masked(prefix) == want
