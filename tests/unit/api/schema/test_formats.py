"""String formats: what each takes and what it refuses."""

from __future__ import annotations

import pytest

from argosy.api.schema.formats import format_check

# Format -> (taken, refused)
FORMATS = {
    "date-time": (
        ["2020-01-01T00:00:00Z", "2020-01-01t00:00:00.5+01:00"],
        ["2020-01-01", "2020-01-01T24:00:00Z", "x"],
    ),
    "date": (["2020-02-29"], ["2020-02-30", "2020-2-1", ""]),
    "duration": (["1h30m", "5 days", "0", "-1.5s"], ["x", "5", ""]),
    "ipv4": (["1.2.3.4", "01.2.3.4"], ["1.2.3", "1.2.3.256", "::1"]),
    "ipv6": (["::1", "fe80::1"], ["1.2.3.4", "::1%eth0", "x:"]),
    "cidr": (["10.0.0.0/8", "fd00::/8"], ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/08"]),
    "mac": (["01:23:45:67:89:ab", "0123.4567.89ab"], ["01:23", "01:23-45:67:89:ab"]),
    "uuid": (["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc999c0b4ef8bb6d6bb9bd380a11"], ["x"]),
    "uuid4": (["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"], ["a0eebc99-9c0b-1ef8-bb6d-6bb9bd380a11"]),
    "uri": (["http://a/b", "/x"], ["a", "", "http://a b"]),
    "email": (["a@b.c", "A <a@b.c>"], ["a", "@b"]),
    "hostname": (["example.com", "a-b", "1a"], ["a_b", "-a", "a.b1", "a" * 64]),
    "byte": (["YQ==", "YWJj"], ["YQ=", "", "!"]),
    "hexcolor": (["#fff", "ABCDEF"], ["#ffff"]),
    "rgbcolor": (["rgb(0, 255, 7)"], ["rgb(256,0,0)"]),
    "isbn": (["0321751043", "978-0321751041"], ["0321751044"]),
    "creditcard": (["4111-1111-1111-1111"], ["4111-1111-1111-1112"]),
    "ssn": (["111-11-1111"], ["111111111"]),
    "bsonobjectid": (["507f1f77bcf86cd799439011"], ["507f"]),
    "password": (["", "x"], []),
    "k8s-short-name": (["a-b"], ["A", "a.b", "a" * 64]),
    "k8s-long-name": (["a.b-c"], ["a..b", "-a"]),
}


@pytest.mark.parametrize("name", FORMATS)
def test_format(name: str) -> None:
    check = format_check(name)
    assert check is not None
    taken, refused = FORMATS[name]
    assert [text for text in taken if not check(text)] == []
    assert [text for text in refused if check(text)] == []


def test_other_formats_are_not_checked() -> None:
    assert [format_check(name) for name in ("int32", "int64", "double", "foo", "")] == [None] * 5
