"""Addresses as old and new fields take them."""

from __future__ import annotations

import pytest

from argosy.api.rules.addresses import (
    parse_cidr,
    parse_ip,
    validate_ip,
    validate_legacy_cidr,
    validate_legacy_ip,
)

PARSED = {
    "1.2.3.4": "1.2.3.4",
    "001.02.3.4": "1.2.3.4",
    "::ffff:1.2.3.4": "1.2.3.4",
    "2001:DB8::1": "2001:db8::1",
    "1.2.3": None,
    "fe80::1%eth0": None,
    "": None,
    "256.1.1.1": None,
}


@pytest.mark.parametrize(("text", "want"), PARSED.items(), ids=PARSED.keys())
def test_old_fields_are_sloppy(text: str, want: str | None) -> None:
    got = parse_ip(text)
    assert (None if got is None else str(got)) == want


STRICT = {
    "10.9.8.7": [],
    "10.9.8.07": ['p: Invalid value: "10.9.8.07": must not have leading 0s'],
    "::ffff:10.9.8.7": [
        'p: Invalid value: "::ffff:10.9.8.7": must not be an IPv4-mapped IPv6 address'
    ],
    "2001:DB8::1": [
        'p: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
    ],
    "x": ['p: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
}


@pytest.mark.parametrize(("text", "want"), STRICT.items(), ids=STRICT.keys())
def test_new_fields_are_strict(text: str, want: list[str]) -> None:
    assert [str(error) for error in validate_ip(text, "p")] == want


CIDRS = {
    "10.0.0.1/8": "10.0.0.0/8",
    "010.0.0.0/08": "10.0.0.0/8",
    "::ffff:10.0.0.0/104": "10.0.0.0/8",
    "10.0.0.0/33": None,
    "10.0.0.0": None,
    "10.0.0.0/-1": None,
    "::/129": None,
}


@pytest.mark.parametrize(("text", "want"), CIDRS.items(), ids=CIDRS.keys())
def test_cidrs(text: str, want: str | None) -> None:
    got = parse_cidr(text)
    assert (None if got is None else str(got[1])) == want


def test_stored_values_stay_valid() -> None:
    assert validate_legacy_ip("x", "p", ["x"]) == []
    assert validate_legacy_cidr("x", "p", ["x"]) == []
    assert len(validate_legacy_cidr("x", "p")) == 1
