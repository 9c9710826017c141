"""Pieces in a row are the bytes again, and alike objects share them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.store.packing import Packing

FIELDS = b'"managedFields":[{"manager":"m","fieldsV1":{' + b'"f:x":{},' * 30 + b'"f:y":{}}}]'
SPEC = b'},"spec":{"containers":[' + b'{"name":"main"},' * 20 + b"{}]}}"


def pod(name: str) -> bytes:
    head = f'{{"metadata":{{"creationTimestamp":"t-{name}","labels":{{"app":"x"}},'.encode()
    return head + FIELDS + f',"name":"{name}","uid":"u-{name}"'.encode() + SPEC


def test_the_second_of_two_alike_objects_is_kept_in_pieces() -> None:
    packing = Packing()
    assert packing.pack(pod("a")) == pod("a")
    got = packing.pack(pod("b"))
    assert isinstance(got, tuple)
    assert b"".join(got) == pod("b")


def test_alike_objects_share_their_pieces() -> None:
    packing = Packing()
    bodies = [packing.pack(pod(name)) for name in "abc"]
    assert isinstance(bodies[1], tuple)
    assert isinstance(bodies[2], tuple)
    assert bodies[1][1] is bodies[2][1]
    assert bodies[1][3] is bodies[2][3]
    assert sum(len(piece) for piece in (bodies[2][0], bodies[2][2])) < len(pod("c")) / 5


def test_an_object_like_no_other_stays_whole() -> None:
    packing = Packing()
    packing.pack(pod("a"))
    other = pod("b").replace(b"main", b"side").replace(b"f:x", b"f:z")
    assert packing.pack(other) is other


def test_a_full_pool_starts_over_and_never_lies() -> None:
    packing = Packing()
    for number in range(Packing.LIMIT * 2):
        raw = pod("a").replace(b"main", b"m%d" % number)
        body = packing.pack(raw)
        assert (body if isinstance(body, bytes) else b"".join(body)) == raw


@given(st.lists(st.binary(max_size=2000), max_size=8))
def test_whatever_the_bytes_the_pieces_are_the_bytes(raws: list[bytes]) -> None:
    packing = Packing()
    for raw in [*raws, *raws]:
        padded = raw + pod("x") + raw
        body = packing.pack(padded)
        assert (body if isinstance(body, bytes) else b"".join(body)) == padded
