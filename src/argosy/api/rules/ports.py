"""What ports of containers, services and endpoints share: the transport protocol, and the application's beside it."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.names import is_qualified_name
from argosy.base.fielderrors import FieldError, invalid, not_supported, required
from argosy.base.types import Object

PROTOCOLS: Final = ("SCTP", "TCP", "UDP")


def validate_protocol(protocol: str, path: str) -> list[FieldError]:
    if protocol in PROTOCOLS:
        return []
    return [not_supported(path, protocol, PROTOCOLS) if protocol else required(path)]


def validate_application_protocol(port: Object, path: str) -> list[FieldError]:
    if (name := port.get("appProtocol")) is None:
        return []
    return [invalid(f"{path}.appProtocol", name, text) for text in is_qualified_name(name)]
