"""Paths that are no resources: health, version, discovery, OpenAPI, metrics, the list of paths itself."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Final

from argosy.api.kinds import Kind
from argosy.apiserver import encoding, health, negotiation
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.discovery import AGGREGATED_VERSIONS, Discovery, Document
from argosy.apiserver.handling import PathHandler
from argosy.apiserver.health import health_handlers
from argosy.apiserver.http.messages import Headers, Request, Response
from argosy.apiserver.openapi import OpenAPI, gnostic
from argosy.apiserver.refusing import no_such_method, no_such_resource
from argosy.base.metrics import Registry

# The Kubernetes version whose API is spoken.
KUBERNETES: Final = "v1.35.4"


def version() -> dict[str, str]:
    from argosy import __version__

    return {
        "major": "1",
        "minor": "35",
        "emulationMajor": "1",
        "emulationMinor": "35",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "34",
        "gitVersion": f"{KUBERNETES}+argosy-{__version__}",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": f"python{platform.python_version()}",
        "compiler": platform.python_implementation().lower(),
        "platform": f"{platform.system().lower()}/{_machine()}",
    }


def _machine() -> str:
    machine = platform.machine().lower()
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


def public(cluster: Cluster) -> Mapping[str, PathHandler]:
    """What anybody may ask."""
    body = encoding.to_json(version())
    return {"/version": lambda _: Response(200, body), **health_handlers(cluster)}


class Paths:
    """What known users may ask, as far as RBAC lets them."""

    def __init__(
        self, cluster: Cluster, metrics: Registry, extensions: Sequence[Kind] = ()
    ) -> None:
        self._discovery = Discovery(cluster.scheme, extensions=extensions)
        self._openapi = OpenAPI(cluster.scheme)
        self._cluster = cluster
        self._metrics = metrics
        self._public = public(cluster)

    def __call__(self, request: Request) -> Response | None:
        """What a path says; None where there is nothing. Nothing here can be written to."""
        answer = self._answer(request)
        if answer is not None and request.method not in {"GET", "HEAD"}:
            raise no_such_method()
        return answer

    def _answer(self, request: Request) -> Response | None:
        path = request.path.rstrip("/") or "/"
        if path in self._public:
            return self._public[path](request)
        if path == "/metrics":
            return Response(
                200, self._metrics.exposition(), "text/plain; version=0.0.4; charset=utf-8"
            )
        if path == "/":
            return Response(200, encoding.to_json({"paths": self._all_paths()}))
        if path.startswith("/openapi/"):
            return self._openapi_answer(path, request)
        return self._discovery_answer(path, request)

    def _discovery_answer(self, path: str, request: Request) -> Response | None:
        aggregated = ""
        if path in {"/api", "/apis"}:
            aggregated = _aggregated_version(request.header(b"accept"))
        document = self._discovery.document(path, aggregated)
        if document is None:
            match path.split("/"):
                case ["", "api", _]:
                    raise no_such_resource("")
                case ["", "apis", group, _]:
                    raise no_such_resource(group)
            return None
        if not document.etag:
            return Response(200, document.body, document.content_type)
        return _tagged(request, document, (("Cache-Control", "public"), ("Vary", "Accept")))

    def _openapi_answer(self, path: str, request: Request) -> Response | None:
        if path == "/openapi/v2":
            if gnostic.MEDIA_TYPE in request.header(b"accept"):
                return _tagged(request, self._openapi.v2_protobuf(), (("Vary", "Accept"),))
            negotiation.negotiate(request.header(b"accept"))
            return _tagged(request, self._openapi.v2(), (("Vary", "Accept"),))
        if path == "/openapi/v3":
            return Response(200, self._openapi.v3_index().body)
        document = self._openapi.v3(path.removeprefix("/openapi/v3/"))
        if document is None:
            return None
        given = request.query.get("hash")
        if not given:
            return _tagged(request, document, (("Vary", "Accept"),))
        if given != document.etag:
            location = ("Location", f"{path}?hash={document.etag}")
            return Response(301, b"", headers=(location, ("Vary", "Accept")))
        return _tagged(
            request, document, (("Cache-Control", "public, immutable"), ("Vary", "Accept"))
        )

    def _all_paths(self) -> list[str]:
        fixed = ["/", *health.ENDPOINTS, "/metrics", "/openapi/v2", "/openapi/v3", "/version"]
        return sorted([*fixed, *self._discovery.paths()])


def _tagged(request: Request, document: Document, headers: Headers) -> Response:
    """A document with its ETag, or 304 for a client that has it already."""
    etag = f'"{document.etag}"'
    headers = (("ETag", etag), *headers)
    known = request.header(b"if-none-match")
    if known and any(one.strip() in {etag, f"W/{etag}", "*"} for one in known.split(",")):
        return Response(304, b"", document.content_type, headers)
    return Response(200, document.body, document.content_type, headers)


def _aggregated_version(accept: str) -> str:
    """The best form of the Accept header that can be given: an aggregated version, or "" for the old documents."""
    if not accept:
        return ""
    for name, parameters in negotiation.ranges(accept):
        if name not in {"application/json", "application/yaml", "application/*", "*/*"}:
            continue
        if not parameters.get("as"):
            return ""
        if (parameters["as"], parameters.get("g")) == (
            "APIGroupDiscoveryList",
            "apidiscovery.k8s.io",
        ) and parameters.get("v") in AGGREGATED_VERSIONS:
            return parameters["v"]
    raise negotiation.not_acceptable(accept)
