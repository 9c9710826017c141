"""Signed tokens of service accounts."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from argosy.apiserver.access.tokens import ISSUER, Claims, InvalidToken, Signer
from argosy.base.clock import VirtualClock
from argosy.base.loops import run_virtual


def signer() -> Signer:
    return Signer(ec.generate_private_key(ec.SECP256R1()), VirtualClock())


def claims() -> Claims:
    """Of a token that ends in ten minutes."""
    expires = float(int(VirtualClock().time()) + 600)
    return Claims("ns", "robot", "uid-1", (ISSUER,), expires, ("pods", "p", "uid-2"), "id-1")


def test_a_token_says_what_was_signed() -> None:
    async def story() -> None:
        made, want = signer(), claims()
        assert made.check(made.sign(want)) == want

    run_virtual(story())


def test_a_token_ends() -> None:
    async def story() -> None:
        made, want = signer(), claims()
        token = made.sign(want)
        assert made.check(token) == want
        await asyncio.sleep(600)
        with pytest.raises(InvalidToken, match="expired"):
            made.check(token)

    run_virtual(story())


def test_another_cluster_s_token_is_none_here() -> None:
    async def story() -> None:
        token = signer().sign(claims())
        with pytest.raises(InvalidToken):
            signer().check(token)

    run_virtual(story())


FORGERIES: dict[str, Callable[[str, str, str], tuple[str, str, str]]] = {
    "another payload": lambda head, body, sign: (head, body[:-4] + "AAAA", sign),
    "no signature": lambda head, body, sign: (head, body, ""),
    "half a signature": lambda head, body, sign: (head, body, sign[: len(sign) // 2]),
    "no signing asked for": lambda head, body, sign: (
        base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("="), body, "",
    ),
    "nonsense": lambda head, body, sign: ("a", "b", "c"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGERIES)
def test_forgeries_are_refused(case: str) -> None:
    async def story() -> None:
        made = signer()
        head, body, sign = made.sign(claims()).split(".")
        with pytest.raises(InvalidToken):
            made.check(".".join(FORGERIES[case](head, body, sign)))

    run_virtual(story())
