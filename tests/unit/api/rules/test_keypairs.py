"""The warning about TLS secrets whose parts do not belong together."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from argosy.api.rules.keypairs import key_pair_problem


def made() -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
    start = datetime(2026, 1, 1, tzinfo=UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + timedelta(days=1))
    ).sign(key, hashes.SHA256())
    return (
        certificate.public_bytes(serialization.Encoding.PEM),
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )


ONE, OTHER = made(), made()
CASES: dict[str, tuple[bytes, bytes, str]] = {
    "a pair": (*ONE, ""),
    "parts of two pairs": (ONE[0], OTHER[1], "tls: private key does not match public key"),
    "no certificate": (
        b"x",
        ONE[1],
        "tls: failed to find any PEM data in certificate input",
    ),
    "no key": (ONE[0], b"", "tls: failed to find any PEM data in key input"),
    "parts in each other's place": (
        ONE[1],
        ONE[0],
        (
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
            "PEM inputs may have been switched"
        ),
    ),
    "a certificate as key": (
        ONE[0],
        ONE[0],
        "tls: found a certificate rather than a key in the PEM for the private key",
    ),
}


@pytest.mark.parametrize(("certificate", "key", "want"), CASES.values(), ids=CASES.keys())
def test_problems(certificate: bytes, key: bytes, want: str) -> None:
    assert key_pair_problem(certificate, key) == want
