"""The way of a request through the server: authenticate, impersonate, wait for a seat, authorize, answer.

Any `StatusError` on the way becomes its Status; anything else is a defect, logged with its traceback and answered
with a 500 that names no internals. Health and version are answered to anybody, everything else to known users only.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

import msgspec
import yaml

from argosy.apiserver import encoding, negotiation
from argosy.apiserver.access.attributes import Attributes, Authorizer, refusal
from argosy.apiserver.access.identities import User
from argosy.apiserver.deadlines import check_timeout
from argosy.apiserver.flows import Flows
from argosy.apiserver.http.messages import (
    NO_CACHE,
    Answer,
    Request,
    Response,
    Upgrading,
    page_not_found,
)
from argosy.apiserver.observing import Observer
from argosy.apiserver.refusing import NoSuchPath, no_such_method
from argosy.apiserver.routing import Route, route
from argosy.base.errors import InternalError, StatusError, TooLarge

logger = logging.getLogger(__name__)

# Clients people type into get indented JSON, as from kube-apiserver.
_PRETTY_AGENTS: Final = ("curl", "Wget", "Mozilla")
_DUMPER: Final = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# No line is ever broken; libyaml counts in a C int.
_WIDEST: Final = 2**31 - 1
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})


class Authenticator(Protocol):
    """Finds out who asks; raises Unauthorized. Impersonation is part of it."""

    def authenticate(self, request: Request) -> User: ...


# What answers a plain path (health, discovery, OpenAPI, metrics). None: no such path.
PathHandler = Callable[[Request], Response | None]
ResourceHandler = Callable[[Request, Route, User], Awaitable[Answer]]


class Handling:
    """The chain of one cluster. It is the `Handler` its listener calls."""

    def __init__(
        self,
        *,
        authenticator: Authenticator,
        authorizer: Authorizer,
        flows: Flows,
        public: Mapping[str, PathHandler],
        paths: PathHandler,
        resources: ResourceHandler,
        observer: Observer,
    ) -> None:
        self._authenticator = authenticator
        self._authorizer = authorizer
        self._flows = flows
        self._public = public
        self._paths = paths
        self._resources = resources
        self._observer = observer

    async def __call__(self, request: Request) -> Answer:
        started = self._observer.start()
        asked: Route | None = None
        answer: Answer
        try:
            public = self._public.get(request.path)
            if public is not None and request.method in {"GET", "HEAD"}:
                answer = public(request) or page_not_found()
            else:
                user = self._authenticator.authenticate(request)
                asked = _route(request)
                answer = await self._answer(request, asked, user)
        except NoSuchPath:
            answer = page_not_found()
        except StatusError as error:
            answer = _failure(error)
        except Exception:  # the task boundary of a request
            logger.exception("%s %s failed", request.method, request.path)
            answer = _failure(
                InternalError(
                    "Internal error occurred: the request could not be handled; see the server's log"
                )
            )
        seen = Response(101) if isinstance(answer, Upgrading) else answer
        self._observer.done(request, asked, seen, started)
        return _dressed(request, answer)

    async def _answer(self, request: Request, asked: Route, user: User) -> Answer:
        if request.oversized:
            raise TooLarge("Request entity too large: limit is 3145728")
        attributes = Attributes(
            asked.verb, asked.is_resource, asked.group, asked.version, asked.resource,
            asked.subresource, asked.namespace, asked.name, asked.path,
        )  # fmt: skip
        allowed, why = self._authorizer.allows(user, attributes)
        if not allowed:
            raise refusal(user, attributes, why)
        if request.method not in _METHODS:
            raise no_such_method()
        if not asked.is_resource:
            return self._paths(request) or page_not_found()
        if _is_long(asked):
            return await self._resources(request, asked, user)
        if "timeout" in request.query:
            check_timeout(request.query["timeout"])
        seat = self._flows.try_enter(user) or await self._flows.enter(user)
        try:
            return await self._resources(request, asked, user)
        finally:
            seat.leave()


def _route(request: Request) -> Route:
    query = request.query
    field_name = ""
    if query:
        selector = query.get("fieldSelector", "")
        if selector.startswith("metadata.name=") and "," not in selector:
            field_name = selector.removeprefix("metadata.name=").removeprefix("=")
    watch = query.get("watch", "false").lower() not in {"false", "0"}
    return route(request.method, request.path, watch=watch, field_name=field_name)


def _is_long(asked: Route) -> bool:
    """Requests that live on: they hold no seat."""
    return asked.verb == "watch" or (
        asked.subresource in {"log", "exec", "attach", "portforward", "proxy"}
    )


def _failure(error: StatusError) -> Response:
    headers: tuple[tuple[str, str], ...] = ()
    if error.details is not None and error.details.retryAfterSeconds:
        headers = (("Retry-After", str(error.details.retryAfterSeconds)),)
    return Response(
        error.code, encoding.to_json(error.to_status()), headers=headers, warnings=error.warnings
    )


def _dressed(request: Request, answer: Answer) -> Answer:
    """Headers every answer has, and the dress the client asked for."""
    if isinstance(answer, Upgrading):
        return answer
    if not any(name == "Cache-Control" for name, _ in answer.headers):
        answer.headers = (NO_CACHE, *answer.headers)
    if not isinstance(answer, Response) or answer.content_type != "application/json":
        return answer
    if not answer.body:
        return answer
    if b"yaml" in request.headers.get(b"accept", b"") and negotiation.wants_yaml(
        request.header(b"accept")
    ):
        answer.body, answer.content_type = _yaml(answer.body), "application/yaml"
    elif _wants_pretty(request):
        answer.body = msgspec.json.format(answer.body, indent=2)
    else:
        answer.tail = b"\n"
    return answer


def _yaml(body: bytes) -> bytes:
    """JSON as YAML, by libyaml where it is there: in Python alone a list of pods would hold everybody up."""
    dumped: bytes = yaml.dump(
        msgspec.json.decode(body),
        Dumper=_DUMPER,
        allow_unicode=True,
        width=_WIDEST,
        encoding="utf-8",
    )
    return dumped


def _wants_pretty(request: Request) -> bool:
    given = request.query.get("pretty")
    if given is not None:
        return given.lower() not in {"false", "0"}
    return request.header(b"user-agent").startswith(_PRETTY_AGENTS)
