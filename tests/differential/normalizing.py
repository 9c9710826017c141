"""Make two answers comparable: replace what must differ between two servers, and nothing else.

Uids become `<uid of one>`, after the name of the object that first showed them, and resource versions `<version 2>`,
counted per object, so that two answers still have to agree on *which* things are the same: a no-op update keeps its
version, an owner reference names its owner, an object made anew has another uid. Times become `<time>` (with or
without microseconds, which has to agree), tokens their claims, generated names their prefix.

Deliberately lost: the order of managedFields (it depends on which second a write fell into) and
bookmarks in the middle of a watch (they depend on when the server's timer fires).
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field

from tests.differential.exchanging import Answer
from tests.differential.loading import Among, Json, pick

COMPARED_HEADERS = ("Content-Type", "Warning", "Retry-After", "Allow", "Location")
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
AGE = re.compile(r"(<unknown>|(\d+[smhd])+)")
SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]{5}"
LONGEST_GENERATED_PREFIX = 58
TOKEN_VOLUME = re.compile(f"(kube-api-access-){SUFFIX}")
JWT = re.compile(r"eyJ[\w-]+\.([\w-]+)\.[\w-]+")
REVISIONS = re.compile(
    r"(\\?\"resourceVersion\\?\":\\?\"|resource version: |, current: |precondition \(|in record \()"
    r"\d+(?:( \()\d+)?"
)
INITIAL_EVENTS_END = "k8s.io/initial-events-end"
VOLATILE_CLAIMS = ("iat", "exp", "nbf", "warnafter", "jti")


@dataclass(slots=True)
class Normalizer:
    """The names given so far to one server's uids and versions."""

    variables: dict[str, str]
    uids: dict[str, str] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    generated: re.Pattern[str] | None = None

    def normalize(self, answer: Answer, among: Among | None = None) -> dict[str, Json]:
        """Return the comparable form of an answer."""
        prefix = re.escape(answer.generate_name[:LONGEST_GENERATED_PREFIX])
        self.generated = re.compile(f"({prefix}){SUFFIX}") if prefix else None
        headers: dict[str, Json] = {}
        for name in COMPARED_HEADERS:
            if name in answer.headers:
                headers[name] = [self._text(value) for value in answer.headers[name]]
        body = _without_bookmarks(answer.body)
        if among is not None:
            _keep(body, among)
        return {"code": answer.code, "headers": headers, "body": self._value(body, "")}

    def _value(self, value: Json, key: str) -> Json:
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            items = [self._value(item, key) for item in value]
            if key == "managedFields":
                items.sort(key=lambda item: json.dumps(item, sort_keys=True))
            return items
        if key == "nodePort" and isinstance(value, int):
            return "<port>"
        return self._string(value, key) if isinstance(value, str) else value

    def _object(self, value: dict[str, Json]) -> dict[str, Json]:
        kind = value.get("kind")
        if kind == "Table":
            _blank_ages(value)
        if value.get("reason") == "Conflict":
            _sort_causes(value)
        metadata = value.get("metadata")
        if isinstance(metadata, dict):
            value = {**value, "metadata": self._metadata(metadata, is_list=_is_list(value))}
        return {self._text(key): self._value(item, key) for key, item in value.items()}

    def _metadata(self, metadata: dict[str, Json], *, is_list: bool) -> dict[str, Json]:
        metadata = dict(metadata)
        version, uid = metadata.get("resourceVersion"), str(metadata.get("uid"))
        prefix, name = metadata.get("generateName"), metadata.get("name")
        if UID.fullmatch(uid):
            self._learn(uid, self._text(str(name)))
        if isinstance(version, str) and version:
            metadata["resourceVersion"] = "<version>" if is_list else self._version(uid, version)
        if re.fullmatch(re.escape(str(prefix)) + SUFFIX, str(name)):
            metadata["name"] = f"{prefix}<suffix>"
        if metadata.get("continue"):
            metadata["continue"] = "<continue>"
        return metadata

    def _version(self, uid: str, version: str) -> str:
        versions = self.versions.setdefault(uid, {})
        return versions.setdefault(version, f"<version {len(versions) + 1}>")

    def _learn(self, uid: str, name: str) -> None:
        """Name a uid after its object; one that is made anew under the same name gets a number."""
        if uid not in self.uids:
            earlier = sum(known.startswith(f"<uid of {name}>") for known in self.uids.values())
            self.uids[uid] = f"<uid of {name}>" + (f"#{earlier + 1}" if earlier else "")

    def _string(self, text: str, key: str) -> Json:
        token = JWT.fullmatch(text)
        if token:
            return self._value(_claims(token[1]), "claims")
        if key == "serverAddress":
            return "<address>"
        if key in ("clusterIP", "clusterIPs") and text.startswith("10."):
            return "<address>"
        return self._text(text)

    def _text(self, text: str) -> str:
        for name, value in self.variables.items():
            if len(value) > 4 and not value.isdigit():
                text = text.replace(value, f"<{name}>")
        text = TOKEN_VOLUME.sub(r"\1<suffix>", text)
        if self.generated:
            text = self.generated.sub(r"\1<suffix>", text)
        text = UID.sub(self._uid, text)
        text = TIME.sub(lambda match: "<microtime>" if match[1] else "<time>", text)
        return REVISIONS.sub(
            lambda match: f"{match[1]}<version>" + (f"{match[2]}<version>" if match[2] else ""),
            text,
        )

    def _uid(self, match: re.Match[str]) -> str:
        return self.uids.get(match[0], "<uid>")


def _is_list(value: dict[str, Json]) -> bool:
    kind = value.get("kind")
    return "items" in value or kind == "Table" or (isinstance(kind, str) and kind.endswith("List"))


def _claims(payload: str) -> dict[str, Json]:
    decoded: dict[str, Json] = json.loads(base64.urlsafe_b64decode(payload + "=="))
    _blank_claims(decoded)
    return decoded


def _blank_claims(claims: dict[str, Json]) -> None:
    for key, value in claims.items():
        if key in VOLATILE_CLAIMS:
            claims[key] = f"<{key}>"
        elif isinstance(value, dict):
            _blank_claims(value)


def _blank_ages(table: dict[str, Json]) -> None:
    """Replace the cells of age columns that hold an age."""
    columns, rows = table.get("columnDefinitions"), table.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return
    names = [pick(column, "name") for column in columns]
    for row in rows:
        cells = pick(row, "cells")
        if not isinstance(cells, list):
            continue
        for index, name in enumerate(names):
            is_age = name in ("Age", "Duration", "Last Seen", "First Seen", "Last Schedule")
            if is_age and index < len(cells) and AGE.fullmatch(str(cells[index])):
                cells[index] = "<age>"


def _sort_causes(status: dict[str, Json]) -> None:
    """Order the causes of a conflict: kube-apiserver lists them as a Go map yields them."""
    causes = pick(status, "details.causes")
    if isinstance(causes, list):
        causes.sort(key=lambda cause: json.dumps(cause, sort_keys=True))


def _without_bookmarks(body: Json) -> Json:
    if not isinstance(body, list):
        return body
    kept: list[Json] = []
    for event in body:
        if pick(event, "type") == "BOOKMARK":
            annotations = pick(event, "object.metadata.annotations")
            if not (isinstance(annotations, dict) and INITIAL_EVENTS_END in annotations):
                continue
            version = pick(event, "object.metadata")
            if isinstance(version, dict):
                version["resourceVersion"] = ""
        kept.append(event)
    return kept


def _keep(body: Json, among: Among) -> None:
    items = pick(body, among.path)
    if isinstance(items, list):
        items[:] = [item for item in items if pick(item, among.key) in among.values]
