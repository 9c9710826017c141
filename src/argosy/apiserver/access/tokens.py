"""Tokens of service accounts: signed JSON Web Tokens (ES256), as TokenRequest gives them out.

A token says whose it is (namespace, name, uid), for whom (audience), until when, and may be bound to a pod, secret or
node: it dies with any of them. Checking the signature costs a tenth of a millisecond, so verdicts are remembered
until the token expires; that the account still lives is looked up every time.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from argosy.base.clock import Clock
from argosy.base.types import Object

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
DEFAULT_SECONDS: Final = 3600
MIN_SECONDS: Final = 600
_MAX_REMEMBERED: Final = 10_000
_HEADER: Final = b'{"alg":"ES256","typ":"JWT"}'


class InvalidToken(ValueError):
    """Not a token of this cluster, or its time is over."""


@dataclass(slots=True, frozen=True)
class Claims:
    """What a valid token says."""

    namespace: str
    name: str
    uid: str
    audiences: tuple[str, ...]
    expires: float
    # The object the token is bound to: (resource, name, uid), or None.
    bound: tuple[str, str, str] | None = None
    id: str = ""


class Signer:
    """Makes and checks tokens with one private key."""

    def __init__(self, key: EllipticCurvePrivateKey, clock: Clock) -> None:
        self._key = key
        self._clock = clock
        self._remembered: dict[str, Claims] = {}

    def sign(self, claims: Claims) -> str:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        now = int(self._clock.time())
        private: Object = {
            "namespace": claims.namespace,
            "serviceaccount": {"name": claims.name, "uid": claims.uid},
        }
        if claims.bound is not None:
            resource, name, uid = claims.bound
            private[resource.removesuffix("s")] = {"name": name, "uid": uid}
        payload = {
            "aud": list(claims.audiences), "exp": int(claims.expires), "iat": now, "iss": ISSUER, "jti": claims.id,
            "kubernetes.io": private, "nbf": now, "sub": f"system:serviceaccount:{claims.namespace}:{claims.name}",
        }  # fmt: skip
        signed = _b64(_HEADER) + b"." + _b64(msgspec.json.encode(payload))
        r, s = decode_dss_signature(self._key.sign(signed, ec.ECDSA(hashes.SHA256())))
        return (signed + b"." + _b64(r.to_bytes(32, "big") + s.to_bytes(32, "big"))).decode()

    def check(self, token: str) -> Claims:
        """Raises InvalidToken."""
        claims = self._remembered.get(token)
        if claims is None:
            claims = self._verify(token)
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[token] = claims
        if claims.expires <= self._clock.time():
            raise InvalidToken("service account token has expired")
        return claims

    def _verify(self, token: str) -> Claims:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

        signed, _, signature = token.rpartition(".")
        try:
            raw = _unb64(signature)
            der = encode_dss_signature(
                int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
            )
            self._key.public_key().verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))
            payload = msgspec.json.decode(_unb64(signed.partition(".")[2]))
        except (InvalidSignature, ValueError, msgspec.MsgspecError) as error:
            raise InvalidToken("the token is not one of this cluster") from error
        private = payload["kubernetes.io"]
        account = private["serviceaccount"]
        bound = next(
            (
                (f"{kind}s", private[kind]["name"], private[kind]["uid"])
                for kind in ("pod", "secret", "node")
                if kind in private
            ),
            None,
        )
        return Claims(
            private["namespace"], account["name"], account["uid"], tuple(payload["aud"]), float(payload["exp"]), bound,
            payload.get("jti", ""),
        )  # fmt: skip


def load_key(path: Path | None) -> EllipticCurvePrivateKey:
    """The cluster's signing key; made on the first start. None: one for this process only."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    if path is not None and path.exists():
        key = serialization.load_pem_private_key(path.read_bytes(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        return key
    key = ec.generate_private_key(ec.SECP256R1())
    if path is not None:
        pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        write_private(path, pem)
    return key


def write_private(path: Path, content: bytes) -> None:
    """A file only its owner can read, there whole or not at all: a disk that is full leaves what was there before."""
    import os

    scratch = path.with_name(path.name + ".new")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        error.filename = error.filename or str(path)
        raise


def _b64(raw: bytes) -> bytes:
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def _unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
