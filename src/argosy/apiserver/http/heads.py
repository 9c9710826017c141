"""The heads of answers. They repeat, because status, type and headers are one of a few, and are made once."""

from __future__ import annotations

from typing import Final

from argosy.apiserver.http.messages import Headers, warning_headers

_REASONS: Final = {
    200: "OK", 201: "Created", 202: "Accepted", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 409: "Conflict",
    410: "Gone", 413: "Request Entity Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Entity",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
    503: "Service Unavailable", 504: "Gateway Timeout",
}  # fmt: skip

_KEPT: Final = 1024
_HEADS: dict[tuple[int, str, Headers, bool], bytes] = {}


def upgrade_head(headers: Headers, warnings: list[str]) -> bytes:
    """All of a 101. It answers one client's challenge, so it is not kept."""
    lines = ["HTTP/1.1 101 Switching Protocols"]
    lines += [f"{name}: {value}" for name, value in headers + warning_headers(warnings)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace")


def head_of(
    status: int, content_type: str, headers: Headers, warnings: list[str], keep_alive: bool
) -> bytes:
    """Everything up to the length: status line, extra headers, content type."""
    if warnings:
        headers += warning_headers(warnings)
    key = (status, content_type, headers, keep_alive)
    head = _HEADS.get(key)
    if head is None:
        lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in headers]
        lines.append(f"Content-Type: {content_type}")
        if not keep_alive:
            lines.append("Connection: close")
        head = ("\r\n".join(lines) + "\r\n").encode("utf-8", "replace")
        if len(_HEADS) < _KEPT:
            _HEADS[key] = head
    return head
