"""TLS contexts for a connection, one per client certificate.

Python loads a client certificate from files only, so it passes through a temporary file, readable by us
alone, that is gone before the first byte is sent. Material that cannot be used is a `ConfigError` that says
which part of the kubeconfig is meant.
"""

from __future__ import annotations

import ssl
import tempfile

from argosy.client.credentials import Credential
from argosy.client.kubeconfig import ConfigError, Connection


class TLSContexts:
    """Makes contexts, and keeps the last: credentials change rarely."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pair: tuple[bytes, bytes] = (b"", b"")
        self._context: ssl.SSLContext | None = None

    def context(self, credential: Credential) -> ssl.SSLContext:
        pair = (credential.certificate, credential.key)
        if self._context is None or pair != self._pair:
            self._context, self._pair = _make(self._connection, *pair), pair
        return self._context


def _make(connection: Connection, certificate: bytes, key: bytes) -> ssl.SSLContext:
    if connection.insecure and connection.authority:
        raise ConfigError(
            f"{connection.server}: specifying a root certificates file with the insecure flag is not allowed; "
            "leave out certificate-authority or insecure-skip-tls-verify"
        )
    try:
        context = ssl.create_default_context(cadata=connection.authority.decode() or None)
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"certificate-authority of {connection.server} is no PEM: {error}"
        ) from error
    if connection.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if certificate:
        with tempfile.NamedTemporaryFile() as file:
            file.write(certificate + b"\n" + key)
            file.flush()
            try:
                # Without a password OpenSSL would ask for one at the terminal.
                context.load_cert_chain(file.name, password="")
            except ssl.SSLError as error:
                raise ConfigError(
                    f"client-certificate and client-key for {connection.server} cannot be used: {error}; "
                    "they must be PEM, belong to each other and have no passphrase"
                ) from error
    return context
