"""The cluster's own certificate authority and the server certificate it signs.

Both are made on the first start and kept in the state directory, so that a kubeconfig stays good over restarts. The
server's certificate is renewed at start when fewer than thirty days are left or when it does not name an address that
is to be served.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from argosy.apiserver.access.tokens import write_private

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

CA_DAYS: Final = 3650
SERVER_DAYS: Final = 365
RENEW_DAYS: Final = 30


@dataclass(slots=True, frozen=True)
class Certificates:
    """Paths of PEM files."""

    ca: Path
    certificate: Path
    key: Path


def prepare(directory: Path, hosts: Sequence[str]) -> Certificates:
    """The files, made or renewed where needed."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    files = Certificates(directory / "ca.crt", directory / "server.crt", directory / "server.key")
    ca_key_path = directory / "ca.key"
    if not (files.ca.exists() and ca_key_path.exists()):
        _make_ca(files.ca, ca_key_path)
        files.certificate.unlink(missing_ok=True)
    if not _is_good(files, hosts):
        _make_server(files, ca_key_path, hosts)
    return files


def _is_good(files: Certificates, hosts: Sequence[str]) -> bool:
    from cryptography import x509

    if not (files.certificate.exists() and files.key.exists()):
        return False
    certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    if certificate.not_valid_after_utc - timedelta(days=RENEW_DAYS) < datetime.now(UTC):
        return False
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    named = {str(name.value) for name in names}
    return named.issuperset(hosts)


def _make_ca(certificate: Path, key_path: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("argosy-ca")
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    built = (
        _builder(name, name, key, CA_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    write_private(key_path, _key_pem(key))
    write_private(certificate, _pem(built))


def _make_server(files: Certificates, ca_key_path: Path, hosts: Sequence[str]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    ca = x509.load_pem_x509_certificate(files.ca.read_bytes())
    ca_key = serialization.load_pem_private_key(ca_key_path.read_bytes(), None)
    assert isinstance(ca_key, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    built = (
        _builder(_name("kube-apiserver"), ca.subject, key, SERVER_DAYS)
        .add_extension(x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False
        )
        .sign(ca_key, hashes.SHA256())
    )
    write_private(files.key, _key_pem(key))
    write_private(files.certificate, _pem(built))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    from cryptography import x509

    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # An hour back, for clocks that are a little behind.
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=days))
    )


def _host(host: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _name(common: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(certificate: x509.Certificate) -> bytes:
    from cryptography.hazmat.primitives import serialization

    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: EllipticCurvePrivateKey) -> bytes:
    from cryptography.hazmat.primitives import serialization

    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
