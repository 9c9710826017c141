"""Whether a certificate and a private key belong together, for the warning about TLS secrets."""

from __future__ import annotations

import re
from typing import Final

_MARKER: Final = rb"-----BEGIN ([A-Z0-9 ]+)-----"


def key_pair_problem(certificate: bytes, key: bytes) -> str:
    """Go's words for what is wrong with a pair, "" for a good one."""
    blocks = re.findall(_MARKER, certificate)
    if b"CERTIFICATE" not in blocks:
        return _missing(blocks, "certificate", "CERTIFICATE")
    blocks = re.findall(_MARKER, key)
    if not any(name == b"PRIVATE KEY" or name.endswith(b" PRIVATE KEY") for name in blocks):
        return _missing(blocks, "key", "PRIVATE KEY")
    # Loaded here only: most servers never see a TLS secret.
    from cryptography.hazmat.primitives import serialization
    from cryptography.x509 import load_pem_x509_certificates

    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    try:
        public = load_pem_x509_certificates(certificate)[0].public_key().public_bytes(*form)
    except (ValueError, TypeError):
        return "x509: malformed certificate"
    try:
        private = serialization.load_pem_private_key(key, password=None)
    except (ValueError, TypeError):
        return "tls: failed to parse private key"
    if private.public_key().public_bytes(*form) != public:
        return "tls: private key does not match public key"
    return ""


def _missing(blocks: list[bytes], what: str, wanted: str) -> str:
    if not blocks:
        return f"tls: failed to find any PEM data in {what} input"
    if what == "certificate" and len(blocks) == 1 and blocks[0].endswith(b"PRIVATE KEY"):
        return (
            "tls: failed to find certificate PEM data in certificate input, but did find a private "
            "key; PEM inputs may have been switched"
        )
    if what == "key" and blocks == [b"CERTIFICATE"]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    block = (
        f'PEM block with type ending in "{wanted}"' if what == "key" else f'"{wanted}" PEM block'
    )
    skipped = " ".join(name.decode() for name in blocks)
    return (
        f"tls: failed to find {block} in {what} input after skipping PEM blocks of the following "
        f"types: [{skipped}]"
    )
