"""Bodies in protobuf, written here by a tiny encoder of the wire format."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.protobuf import MAGIC, BadProtobuf, decode

DEPLOYMENT = "io.k8s.api.apps.v1.Deployment"
CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap"
POD = "io.k8s.api.core.v1.Pod"
DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"


def varint(number: int) -> bytes:
    out = b""
    number &= (1 << 64) - 1
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(raw)) + raw


def envelope(api_version: str, kind: str, raw: bytes) -> bytes:
    return MAGIC + text(1, text(1, api_version) + text(2, kind)) + text(2, raw)


def entry(key: str, value: str | bytes) -> bytes:
    return text(1, key) + text(2, value)


def test_a_map_of_texts() -> None:
    meta = text(1, "a") + text(3, "ns") + text(11, entry("app", "x"))
    raw = text(1, meta) + text(2, entry("k", "v")) + text(2, entry("empty", ""))
    got = decode(envelope("v1", "ConfigMap", raw), CONFIG_MAP)
    assert got == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "ns", "labels": {"app": "x"}},
        "data": {"k": "v", "empty": ""},
    }


def test_bytes_numbers_times_and_quantities() -> None:
    when = number(1, 1_700_000_000)
    resources = text(1, entry("cpu", text(1, "500m")))
    container = text(1, "main") + text(2, "img") + text(8, resources)
    meta = text(1, "p") + text(8, when)
    spec = text(2, container) + number(4, 30)
    got = decode(envelope("v1", "Pod", text(1, meta) + text(2, spec)), POD)
    assert got["metadata"]["creationTimestamp"] == "2023-11-14T22:13:20Z"
    assert got["spec"]["terminationGracePeriodSeconds"] == 30
    assert got["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "500m"}}
    data = text(3, entry("b", b"\x00\xff"))
    binary = decode(envelope("v1", "ConfigMap", data), CONFIG_MAP)
    assert binary["binaryData"] == {"b": "AP8="}


def test_a_number_or_a_text() -> None:
    def strategy(surge: bytes) -> bytes:
        rolling = text(2, surge)
        return text(2, text(4, text(1, "RollingUpdate") + text(2, rolling)))

    for surge, want in (
        (number(1, 0) + number(2, 3), 3),
        (number(1, 1) + text(3, "25%"), "25%"),
    ):
        got = decode(envelope("apps/v1", "Deployment", strategy(surge)), DEPLOYMENT)
        assert got["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": want}


def test_a_negative_number() -> None:
    raw = number(1, -1)
    got = decode(envelope("v1", "DeleteOptions", raw), DELETE_OPTIONS)
    assert got["gracePeriodSeconds"] == -1


BROKEN = {
    "no magic": b"{}",
    "an envelope that ends early": MAGIC + b"\x0a\xff",
    "a message longer than its body": envelope("v1", "ConfigMap", b"\x0a\x7f"),
    "a varint without end": envelope("v1", "ConfigMap", b"\x80" * 12),
    "a wire type nobody has": envelope("v1", "ConfigMap", b"\x0f\x00"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_bytes_are_refused(case: str) -> None:
    with pytest.raises(BadProtobuf):
        decode(BROKEN[case], CONFIG_MAP)


def test_unknown_fields_are_passed_over() -> None:
    raw = number(900, 5) + text(901, "x") + text(1, text(1, "a"))
    got = decode(envelope("v1", "ConfigMap", raw), CONFIG_MAP)
    assert got["metadata"] == {"name": "a"}


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_refused(raw: bytes) -> None:
    try:
        got = decode(MAGIC + text(2, raw), POD)
    except BadProtobuf:
        return
    assert isinstance(got, dict)
