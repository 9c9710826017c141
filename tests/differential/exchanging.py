"""Send one case to one server and take its answer.

A `Replayer` holds what belongs to one server during a replay: its connection, the variables saved
from its earlier answers, and the admin's token. Both servers get the same requests; only the
variables (a resource version, a generated name) differ. A watch is read until the server ends it.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
import time
import urllib.parse
from dataclasses import dataclass, field

from tests.differential.loading import Case, Json, pick

AGENT = "differential/1.0"
VARIABLE = re.compile(r"\$\{(\w+)\}")
REPEATED = re.compile(r"\$\{((?:(?!\$\{).)+?)\*(\d+)\}")
GENERATE_NAME = re.compile(r'"generateName": "([^"]+)"')
SAFE_IN_PATH = "/?&=%:,;@!$'()*+~[]"


@dataclass(slots=True, frozen=True)
class Answer:
    """What a server said; `body` is parsed when it is JSON, a list of events for a watch.

    `generate_name` is what the request asked for, so that a name made from it can be told.
    """

    code: int
    headers: dict[str, list[str]]
    body: Json
    generate_name: str = ""

    def has(self, wanted: dict[str, Json]) -> bool:
        """Say whether the values at these paths (`code`, `body.status.phase`) are the wanted."""
        whole: Json = {"code": self.code, "body": self.body}
        return all(pick(whole, path) == value for path, value in wanted.items())


class NeverError(Exception):
    """The oracle never reached what a case waits for, so nothing after it could be compared."""


@dataclass(slots=True)
class Replayer:
    """One server under replay, and how long it may take to reach what a case waits for.

    The oracle gets long and must get there: its controllers have timers of their own, and an answer
    from before they ran is no answer to compare with. Argosy gets short, and failing is a difference.
    """

    url: str
    tls: ssl.SSLContext
    token: str
    patience_seconds: float
    is_oracle: bool
    variables: dict[str, str] = field(default_factory=dict)
    connection: http.client.HTTPSConnection | None = None

    def send(self, case: Case) -> Answer:
        """Send the case, again while it waits for a value, and save its variables."""
        deadline = time.monotonic() + self.patience_seconds
        answer = self._exchange(case)
        while not answer.has(case.until) and time.monotonic() < deadline:
            time.sleep(0.05)
            answer = self._exchange(case)
        if self.is_oracle and not answer.has(case.until):
            raise NeverError(f"{case.title}: waited for {case.until}, got {answer.code}")
        for name, path in case.save.items():
            value = pick({"body": answer.body}, path)
            self.variables[name] = "" if value is None else str(value)
        return answer

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _exchange(self, case: Case) -> Answer:
        method = "GET" if case.is_watch else case.method.upper()
        path = urllib.parse.quote(self._filled(case.path), safe=SAFE_IN_PATH)
        body = None if case.body is None else self._filled(case.body).encode()
        headers = {key: self._filled(value) for key, value in case.headers.items()}
        headers["User-Agent"] = AGENT
        token = self.token if case.token is None else self._filled(case.token)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        response = self._response(method, path, body, headers)
        content = response.read()
        prefix = GENERATE_NAME.search(body.decode()) if body else None
        return Answer(
            code=response.status,
            headers=_headers(response),
            body=_body(case, response, content),
            generate_name=prefix[1] if prefix else "",
        )

    def _response(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        """Send on the kept connection, once more on a new one if the server closed that."""
        for fresh in (False, True):
            if self.connection is None or fresh:
                self.close()
                host = urllib.parse.urlsplit(self.url).netloc
                self.connection = http.client.HTTPSConnection(host, context=self.tls, timeout=70)
            try:
                self.connection.request(method, path, body, headers)
                return self.connection.getresponse()
            except (ConnectionError, http.client.RemoteDisconnected):
                if fresh:
                    raise
        raise AssertionError("unreachable")

    def _filled(self, text: str) -> str:
        text = REPEATED.sub(lambda match: match[1] * int(match[2]), text)
        return VARIABLE.sub(lambda match: self.variables.get(match[1], match[0]), text)


def _headers(response: http.client.HTTPResponse) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in response.getheaders():
        found.setdefault(key.title(), []).append(value)
    return found


def _body(case: Case, response: http.client.HTTPResponse, content: bytes) -> Json:
    text = content.decode(errors="backslashreplace")
    is_json = (response.getheader("Content-Type") or "").startswith("application/json")
    if case.wire or not is_json or not text.strip():
        return text
    if case.is_watch and response.status == 200:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    parsed: Json = json.loads(text)
    return parsed
