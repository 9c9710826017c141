"""Pieces in a row are the bytes again, and alike objects share them."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from argosy.store.packing import Body, Packing

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


def running(number: int) -> bytes:
    """A pod as the API server stores it: with two owners, a node, an address and containers of its own."""
    fields = {f"f:{index}": {} for index in range(30)}
    address = {".": {}, f'k:{{"ip":"10.0.0.{number}"}}': {".": {}, "f:ip": {}}}
    entries = [
        {
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": fields},
            "manager": "jobs",
        },
        {
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:status": fields, "f:z": address},
            "manager": "node",
        },
    ]
    obj = {
        "metadata": {"labels": {"index": str(number)}, "managedFields": entries, "name": f"pod-{number}"},
        "spec": {
            "containers": [{"env": [{"name": f"v{index}"} for index in range(20)]}], "hostname": f"pod-{number}",
            "nodeName": f"node-{number}", "volumes": [{"name": f"v{index}"} for index in range(20)],
        },
        "status": {
            "conditions": [{"type": f"c{index}"} for index in range(20)],
            "containerStatuses": [{"containerID": "x" * number}],
        },
    }  # fmt: skip
    return msgspec.json.encode(obj, order="deterministic")


def test_running_pods_share_what_is_not_their_own() -> None:
    packing = Packing()
    packing.pack(running(0))
    first, second = packing.pack(running(1)), packing.pack(running(2))
    assert isinstance(first, tuple)
    assert isinstance(second, tuple)
    assert (b"".join(first), b"".join(second)) == (running(1), running(2))
    shared = {id(piece) for piece in first}
    own = sum(len(piece) for piece in second if id(piece) not in shared)
    assert own < len(running(2)) / 3


def test_an_object_shares_with_what_it_was_before() -> None:
    packing = Packing()
    packing.pack(running(1))
    before = packing.pack(running(1))
    got = Packing().pack(running(1).replace(b'"c1"', b'"c0"'), before)
    assert isinstance(got, tuple)
    assert b"".join(got) == running(1).replace(b'"c1"', b'"c0"')
    assert {id(piece) for piece in got} & {id(piece) for piece in before}


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
    last: Body = b""
    for raw in [*raws, *raws]:
        for padded in (raw + pod("x") + raw, running(1)[: len(raw)] + raw + running(2)):
            last = packing.pack(padded, last)
            assert (last if isinstance(last, bytes) else b"".join(last)) == padded
