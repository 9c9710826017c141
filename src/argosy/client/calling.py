"""The way of a local request to the verbs: what HTTP's handling does with a path, a query and headers.

`routing` reads a route out of a path; here it is put together from a resource and names, with the same special
cases, so that permissions are asked for in the same words. Options are checked as those of a query are.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from argosy.apiserver import options
from argosy.apiserver.access.attributes import Attributes, refusal
from argosy.apiserver.access.identities import User
from argosy.apiserver.calls import Call
from argosy.apiserver.http.messages import Answer, Request, Response
from argosy.apiserver.http.protocols import MAX_BODY_BYTES
from argosy.apiserver.options import DEFAULTS, Options
from argosy.apiserver.routing import Route
from argosy.apiserver.servers import ClusterServer
from argosy.base.errors import InternalError, TooLarge
from argosy.client.objects import Raw, read
from argosy.client.resources import Resource, check_name, check_namespace

_METHODS: Final = {"get": "GET", "create": "POST", "update": "PUT", "patch": "PATCH"}
_NAME_FIELD: Final = "metadata.name="


class Calling:
    """Makes calls as one user of one cluster."""

    def __init__(self, server: ClusterServer, user: User, agent: str, namespace: str) -> None:
        self._server = server
        self._user = user
        self._agent = agent
        self._namespace = namespace

    def call(self, asked: Route, wished: Options = DEFAULTS) -> Call:
        """What the verbs take, after the permission to ask for it."""
        self._authorize(asked)
        return self._server.dispatching.call(asked, self._user, wished, self._agent)

    def _authorize(self, asked: Route) -> None:
        if self._user.is_master:
            return
        attributes = Attributes(
            asked.verb, True, asked.group, asked.version, asked.resource, asked.subresource, asked.namespace, asked.name
        )  # fmt: skip
        allowed, why = self._server.rbac.allows(self._user, attributes)
        if not allowed:
            raise refusal(self._user, attributes, why)

    def one(
        self,
        verb: str,
        resource: Resource,
        namespace: str | None,
        name: str = "",
        subresource: str = "",
    ) -> Route:
        """The way to one object, or to where a new one goes."""
        where = namespace or self._namespace
        check_namespace(where)
        if verb != "create":
            check_name(name)
        return route(verb, resource, where, name, subresource)

    def many(self, verb: str, resource: Resource, namespace: str | None, wished: Options) -> Route:
        """A selector that names one object asks for the permission to see that one only."""
        check_namespace(namespace)
        selector = wished.field_selector
        name = ""
        if selector.startswith(_NAME_FIELD) and "," not in selector:
            name = selector.removeprefix(_NAME_FIELD).removeprefix("=")
        return route(verb, resource, namespace or "", name)

    def is_special(self, resource: Resource) -> bool:
        """Resources that nothing is stored of: reviews, bindings."""
        kind = self._server.cluster.scheme.find(resource.group, resource.plural)
        return kind is not None and kind.verbs == ("create",)

    async def special(
        self,
        resource: Resource,
        asked: Route,
        body: bytes,
        wished: Options = DEFAULTS,
        content_type: str = "application/json",
    ) -> Raw:
        """Subresources and reviews answer in HTTP's terms."""
        headers = {b"content-type": content_type.encode()}
        request = Request(_METHODS[asked.verb], "", {}, headers, body)
        answer = await self._server.dispatching.answer(self.call(asked, wished), request)
        if not isinstance(answer, Response):
            raise InternalError(
                f"{asked.resource}/{asked.subresource} is a stream; read it over HTTP"
            )
        return read(resource, answer.body)

    async def answer(self, asked: Route, query: Mapping[str, str]) -> Answer:
        """What a subresource sends that is no object, in HTTP's terms."""
        request = Request(_METHODS[asked.verb], "", dict(query), {})
        return await self._server.dispatching.answer(self.call(asked), request)


def route(
    verb: str, resource: Resource, namespace: str, name: str = "", subresource: str = ""
) -> Route:
    """What `routing.route` reads out of the path of such a request."""
    where = namespace if resource.namespaced else ""
    if resource.plural == "namespaces" and not resource.group:
        where = name
    return Route(
        True, "", verb, resource.group, resource.version, where, resource.plural, name, subresource
    )


@lru_cache(maxsize=256)
def writing(
    verb: str, field_manager: str, dry_run: bool, patch: str = "", *, force: bool = False
) -> Options:
    """The options of a write, checked like those of a query. Most writes of a program have the same."""
    query = {"fieldManager": field_manager} if field_manager else {}
    if dry_run:
        query["dryRun"] = "All"
    if force:
        query["force"] = "true"
    return options.parse(query, verb, patch)


def sized(body: bytes) -> bytes:
    if len(body) > MAX_BODY_BYTES:
        raise TooLarge(f"Request entity too large: limit is {MAX_BODY_BYTES}")
    return body
