"""TLS contexts for a connection, one per client certificate.

Python loads a client certificate from files only, so it passes through a temporary file, readable by us
alone, that is gone before the first byte is sent.
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
    try:
        authority = connection.authority.decode() or None
        context = ssl.create_default_context(cadata=authority)
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
                context.load_cert_chain(file.name)
            except ssl.SSLError as error:
                raise ConfigError(f"client certificate or key cannot be used: {error}") from error
    return context
