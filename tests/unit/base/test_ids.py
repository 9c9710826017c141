"""Ids have Kubernetes' shapes, and a seed makes them repeat."""

from __future__ import annotations

import uuid

from argosy.base.ids import ALPHABET, RandomIds, SeededIds


def test_a_uid_is_a_random_uuid() -> None:
    text = RandomIds().uid()
    got = uuid.UUID(text)
    assert (str(got), got.version, got.variant) == (text, 4, uuid.RFC_4122)


def test_a_suffix_has_five_characters_of_the_alphabet() -> None:
    ids = RandomIds()
    suffixes = [ids.suffix() for _ in range(200)]
    assert {len(s) for s in suffixes} == {5}
    assert set("".join(suffixes)) <= set(ALPHABET)


def test_the_same_seed_gives_the_same_ids() -> None:
    a, b, c = SeededIds(1), SeededIds(1), SeededIds(2)
    want = [a.uid(), a.suffix()]
    assert [b.uid(), b.suffix()] == want
    assert [c.uid(), c.suffix()] != want
