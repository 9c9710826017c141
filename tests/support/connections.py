"""A plain HTTPS connection to a cluster for what a test needs before or beside the client under test.

It knows a kubeconfig with a token and speaks JSON, nothing more: retries, paging and watches belong to the
clients that are tested. One `Connection` serves one thread.
"""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import time
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import yaml

# JSON as it comes: tests look into it by key and compare whole values.
Body = Any

UNTIL_SECONDS = 20.0
_FRESH_SECONDS = 30.0


@dataclass(slots=True, frozen=True)
class Address:
    """Where a cluster listens and what its admin shows."""

    host: str
    port: int
    token: str
    ca: str
    tls: ssl.SSLContext = field(repr=False, compare=False)

    @property
    def url(self) -> str:
        return f"https://{self.host}:{self.port}"


@dataclass(slots=True, frozen=True)
class Reply:
    """What came back; `body` is parsed when it is JSON, text otherwise."""

    code: int
    headers: dict[str, str]
    body: Body


def address_of(kubeconfig: Path, named: str | None = None) -> Address:
    """A context's cluster and user; the current one's if none is named."""
    content = yaml.safe_load(kubeconfig.read_text())
    context = _named(content["contexts"], named or content["current-context"])["context"]
    cluster = _named(content["clusters"], context["cluster"])["cluster"]
    user = _named(content["users"], context["user"])["user"]
    if "certificate-authority-data" in cluster:
        ca = base64.b64decode(cluster["certificate-authority-data"]).decode()
    else:
        ca = Path(cluster["certificate-authority"]).read_text()
    url = urllib.parse.urlsplit(cluster["server"])
    assert url.hostname is not None
    assert url.port is not None
    tls = ssl.create_default_context(cadata=ca)
    return Address(url.hostname, url.port, user["token"], ca, tls)


class Connection:
    """Requests one after the other, as the admin unless a token is given."""

    def __init__(self, address: Address, *, timeout_seconds: float = 30.0) -> None:
        self.address = address
        self._timeout = timeout_seconds
        self._http: http.client.HTTPSConnection | None = None
        self._used = 0.0

    def request(
        self,
        method: str,
        path: str,
        body: Body = None,
        *,
        content_type: str = "application/json",
        token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """Send on the kept connection. A body that is not bytes goes out as JSON."""
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        head = {"User-Agent": "support/1.0", **(headers or {})}
        if raw is not None:
            head["Content-Type"] = content_type
        shown = self.address.token if token is None else token
        if shown:
            head["Authorization"] = f"Bearer {shown}"
        # A server closes a connection that nobody uses; tests of other modules may lie between two requests.
        if time.monotonic() - self._used > _FRESH_SECONDS:
            self.close()
        self._used = time.monotonic()
        if self._http is None:
            address = self.address
            self._http = http.client.HTTPSConnection(
                address.host, address.port, context=address.tls, timeout=self._timeout
            )
        try:
            self._http.request(method, path, raw, head)
            response = self._http.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        return Reply(response.status, dict(response.getheaders()), _parsed(response, content))

    def get(self, path: str) -> Body:
        return self._good("GET", path)

    def create(self, path: str, body: Body) -> Body:
        return self._good("POST", path, body)

    def merge(self, path: str, body: Body) -> Body:
        """Merge-patch."""
        reply = self.request("PATCH", path, body, content_type="application/merge-patch+json")
        assert reply.code < 300, reply
        return reply.body

    def delete(self, path: str, body: Body = None) -> Body:
        return self._good("DELETE", path, body)

    def until(self, path: str, code: int = 200) -> Body:
        """Ask until the answer has this code: for what a controller does soon."""
        deadline = time.monotonic() + UNTIL_SECONDS
        while True:
            reply = self.request("GET", path)
            if reply.code == code:
                return reply.body
            assert time.monotonic() < deadline, f"GET {path} still answers {reply}"
            time.sleep(0.01)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._http is not None:
            self._http.close()
            self._http = None

    def _good(self, method: str, path: str, body: Body = None) -> Body:
        reply = self.request(method, path, body)
        assert reply.code < 300, f"{method} {path}: {reply}"
        return reply.body


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if str(entry["name"]) == name)


def _parsed(response: http.client.HTTPResponse, content: bytes) -> Body:
    if "json" in response.getheader("Content-Type", "") and content:
        return json.loads(content)
    return content.decode("utf-8", "replace")
