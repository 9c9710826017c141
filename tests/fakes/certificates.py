"""Certificates for tests: an authority, and what it signs."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Signs certificates as PEM; `pem` is its own."""

    def __init__(self, name: str = "test-ca") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        built = _builder(self._name, self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        self.pem = _pem(built.sign(self._key, hashes.SHA256()))

    def sign(self, name: str, *hosts: str) -> tuple[bytes, bytes]:
        """Certificate and key for a client, or for a server with these names."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_name(name), self._name, key.public_key())
        if hosts:
            names = x509.SubjectAlternativeName([_host(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        return _pem(builder.sign(self._key, hashes.SHA256())), private(key)


def private(key: ec.EllipticCurvePrivateKey, passphrase: bytes = b"") -> bytes:
    """A key as PEM, under a passphrase if there is one."""
    lock: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        lock = serialization.BestAvailableEncryption(passphrase)
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, lock)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
