"""Requests for resources: find the kind, call the verb, give the answer its form.

This is the only place that knows both HTTP and the verbs. A kind that is not there is a 404, a verb it does not
have a 405, in Kubernetes' words.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from argosy.api.builtin import through
from argosy.api.kinds import Kind
from argosy.apiserver import bodies, encoding, negotiation, options, tables
from argosy.apiserver.access.identities import User
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.discovery import subresource
from argosy.apiserver.http.messages import Answer, Request, Response, Streaming
from argosy.apiserver.negotiation import Form
from argosy.apiserver.options import Options
from argosy.apiserver.refusing import no_such_method, no_such_resource
from argosy.apiserver.routing import Route
from argosy.apiserver.verbs import creating, deleting, patching, reading, scaling, updating
from argosy.apiserver.verbs.patching import PatchType
from argosy.apiserver.verbs.watching import Watching
from argosy.base import errors
from argosy.base.errors import Details, StatusError, UnsupportedMediaType
from argosy.base.types import Object
from argosy.store import Record

# Kinds whose delete answers with the object and not with a Status, as in Kubernetes.
_RETURNS_DELETED: Final = frozenset({
    "namespaces", "pods", "services", "serviceaccounts", "podtemplates", "persistentvolumes", "persistentvolumeclaims",
    "resourcequotas", "csidrivers.storage.k8s.io", "storageclasses.storage.k8s.io", "csinodes.storage.k8s.io",
    "volumeattachments.storage.k8s.io", "volumeattributesclasses.storage.k8s.io",
})  # fmt: skip

# A subresource or virtual resource with its own ways: (cluster, call, request) -> answer.
Special = Callable[[Cluster, Call, Request], Awaitable[Answer]]


class Dispatching:
    """The `ResourceHandler` of one cluster. `specials` are keyed by (qualified resource, subresource); `extensions`
    are kinds beside the scheme's, all of whose verbs are specials.
    """

    def __init__(
        self,
        cluster: Cluster,
        specials: dict[tuple[str, str], Special],
        extensions: Sequence[Kind] = (),
    ) -> None:
        self._cluster = cluster
        self._extensions = {(kind.group, kind.plural): kind for kind in extensions}
        self._specials = specials
        self._verbs: dict[str, Callable[[Call, Request], Awaitable[Answer]]] = {
            "get": self._get, "list": self._list, "watch": self._watch, "create": self._create,
            "update": self._update, "patch": self._patch, "delete": self._delete, "deletecollection": self._delete_all,
        }  # fmt: skip

    async def __call__(self, request: Request, asked: Route, user: User) -> Answer:
        patch = str(patch_type(request)) if asked.verb == "patch" else ""
        parsed = options.parse(request.query, asked.verb, patch)
        call = self.call(asked, user, parsed, request.header(b"user-agent"))
        if request.method == "HEAD":
            raise no_such_method()
        return await self.answer(call, request)

    async def answer(self, call: Call, request: Request) -> Answer:
        """Do what a call asks for; the request has its body and headers."""
        try:
            answer = await self._answer(call, request)
        except StatusError as error:
            # What was found on the way is told even when it leads to a refusal.
            error.warnings = call.warnings
            raise
        answer.warnings += call.warnings
        return answer

    async def _answer(self, call: Call, request: Request) -> Answer:
        if call.kind.custom and call.served.deprecated:
            call.warn(call.served.deprecation_warning)
        special = self._specials.get((call.kind.resource, call.subresource))
        if special is not None:
            return await special(self._cluster, call, request)
        if call.subresource == "scale":
            return await self._scale(call, request)
        verb = self._verbs.get(call.verb)
        if verb is None:
            raise no_such_method()
        return await verb(call, request)

    def call(self, asked: Route, user: User, wished: Options, agent: str) -> Call:
        """What a route asks for, checked against what is served."""
        named = asked.group, asked.resource
        kind = self._cluster.scheme.find(*named) or self._extensions.get(named)
        if kind is None or not kind.serves(asked.version) or asked.rest:
            raise no_such_resource(asked.group)
        below = subresource(kind, asked.version, asked.subresource) if asked.subresource else None
        if asked.subresource and below is None:
            if kind.custom:
                raise errors.not_found(kind.group, kind.plural, asked.name)
            raise no_such_resource(asked.group)
        if asked.name and kind.verbs == ("create",):
            # Reviews and bindings are asked and answered, and never found again.
            raise no_such_resource(asked.group)
        if not kind.verbs and below is None:
            # The kind is there for its subresources alone.
            raise no_such_resource(asked.group)
        verb = asked.verb
        if kind.namespaced:
            if not asked.namespace and (asked.name and verb not in {"list", "watch"}):
                raise no_such_resource(asked.group)
            if not asked.namespace and verb in {"create", "deletecollection"}:
                raise no_such_method()
        elif asked.namespace and asked.resource != "namespaces":
            raise no_such_resource(asked.group)
        if verb not in (below.verbs if below is not None else _verbs_of(kind, asked)):
            raise no_such_method()
        if asked.subresource and not kind.custom:
            kind = through(kind, asked.subresource)
        return Call(
            user, verb, kind, asked.version,
            asked.namespace if kind.namespaced else "", asked.name, asked.subresource, wished, agent,
        )  # fmt: skip

    # reading

    async def _get(self, call: Call, request: Request) -> Response:
        form = _form(request)
        record = reading.get(self._cluster, call)
        return self._one(call, record, form, 200, request)

    async def _list(self, call: Call, request: Request) -> Response:
        form = _form(request)
        listing = reading.list_(self._cluster, call)
        meta = _list_meta(call, listing, form)
        return Response(200, self._many(call, listing.records, meta, form, request))

    async def _watch(self, call: Call, request: Request) -> Streaming:
        form = _form(request)
        if form.transform == "PartialObjectMetadataList":
            raise tables.refuse_partial_metadata(call.kind, is_list=False)
        if not form.transform:
            watching = Watching(self._cluster, call)
        else:
            head = True

            def render(record: Record) -> bytes:
                nonlocal head
                meta = {"resourceVersion": str(record.revision)}
                raw = self._transformed(call, [record], meta, form, request, single=True, head=head)
                head = False
                return raw

            watching = Watching(self._cluster, call, render)
        return Streaming(watching.run)

    # writing

    async def _create(self, call: Call, request: Request) -> Response:
        form = _form(request)
        obj = bodies.read(call, request.body, request.header(b"content-type"), self._cluster.memory)
        record = await creating.create(self._cluster, call, obj)
        return self._one(call, record, form, 201, request)

    async def _update(self, call: Call, request: Request) -> Response:
        form = _form(request)
        obj = bodies.read(call, request.body, request.header(b"content-type"))
        record, created = await updating.replace(self._cluster, call, obj)
        return self._one(call, record, form, 201 if created else 200, request)

    async def _patch(self, call: Call, request: Request) -> Response:
        form = _form(request)
        kind = patch_type(request)
        record, created = await patching.patch(self._cluster, call, request.body, kind)
        return self._one(call, record, form, 201 if created else 200, request)

    async def _scale(self, call: Call, request: Request) -> Response:
        match call.verb:
            case "get":
                scale = scaling.get(self._cluster, call)
            case "update":
                scale = await scaling.replace(
                    self._cluster, call, bodies.read_plain(request.body, scaling.TYPE)
                )
            case "patch":
                scale = await scaling.patch(self._cluster, call, request.body, patch_type(request))
            case _:
                raise no_such_method()
        return Response(200, encoding.to_json(scale))

    async def _delete(self, call: Call, request: Request) -> Response:
        form = _form(request)
        if request.body:
            call.options = options.with_delete_body(call.options, bodies.read_plain(request.body))
        deleted = await deleting.delete(self._cluster, call)
        if not deleted.gone or call.kind.resource in _RETURNS_DELETED:
            return self._one(call, deleted.record, form, 200, request)
        details: Object = {"name": call.name}
        if call.kind.group:
            details["group"] = call.kind.group
        details |= {"kind": call.kind.plural, "uid": deleted.record.meta.uid}
        status = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Success",
            "details": details,
        }
        return Response(200, encoding.to_json(status))

    async def _delete_all(self, call: Call, request: Request) -> Response:
        form = _form(request)
        if request.body:
            call.options = options.with_delete_body(call.options, bodies.read_plain(request.body))
        listing = await deleting.delete_collection(self._cluster, call)
        meta = _list_meta(call, listing, form)
        return Response(200, self._many(call, listing.records, meta, form, request))

    # forms

    def _one(
        self, call: Call, record: Record, form: Form, status: int, request: Request
    ) -> Response:
        if not form.transform:
            return Response(status, encoding.present(call.kind, call.version, record))
        meta = {"resourceVersion": str(record.revision)}
        return Response(status, self._transformed(call, [record], meta, form, request, single=True))

    def _many(
        self, call: Call, records: Sequence[Record], meta: Object, form: Form, request: Request
    ) -> bytes:
        if form.transform:
            return self._transformed(call, records, meta, form, request, single=False)
        return list_bytes(call.kind, call.version, records, meta)

    def _transformed(
        self, call: Call, records: Sequence[Record], meta: Object, form: Form, request: Request,
        *, single: bool, head: bool = True,
    ) -> bytes:  # fmt: skip
        objects = [encoding.revived(call.kind, record, call.version) for record in records]
        if form.transform == "Table":
            include = tables.parse_include_object(request.query.get("includeObject", ""))
            table = tables.table(
                call.kind, call.version, objects, list_meta=meta, include_object=include,
                now=self._cluster.clock.now(), headers=head, api_version=form.api_version,
            )  # fmt: skip
            return encoding.to_json(table)
        if single != (form.transform == "PartialObjectMetadata"):
            raise tables.refuse_partial_metadata(call.kind, is_list=not single)
        if single:
            return encoding.to_json(tables.partial_metadata(objects[0], form.api_version))
        return encoding.to_json(
            tables.partial_metadata_list(objects, list_meta=meta, api_version=form.api_version)
        )


def _list_meta(call: Call, listing: reading.Listing, form: Form) -> Object:
    """The metadata of a list. Lists of custom kinds name the token of the next page even when there is none."""
    meta: Object = {"resourceVersion": str(listing.revision)}
    if listing.continue_ or (call.kind.custom and not form.transform):
        meta["continue"] = listing.continue_
    if listing.remaining is not None:
        meta["remainingItemCount"] = listing.remaining
    return meta


def list_bytes(kind: Kind, version: str, records: Sequence[Record], meta: Object) -> bytes:
    """A list of stored objects, joined without decoding them."""
    head = b'{"kind":"%b","apiVersion":"%b","metadata":%b,"items":[' % (
        (kind.list_kind or f"{kind.kind}List").encode(),
        kind.api_version(version).encode(),
        encoding.to_json(meta),
    )
    pieces = [head]
    if kind.custom or kind.versions[version].from_storage is not None:
        pieces.append(b",".join(encoding.present_item(kind, version, r) for r in records))
    elif records:
        # Stored bytes may come in pieces that alike objects share: all are joined at once.
        for record in records:
            body = record.body
            if isinstance(body, bytes):
                pieces += (body, b",")
            else:
                pieces += (*body, b",")
        pieces.pop()
    pieces.append(b"]}")
    return b"".join(pieces)


def patch_type(request: Request) -> PatchType:
    media = request.header(b"content-type").partition(";")[0].strip()
    try:
        return PatchType(media)
    except ValueError:
        raise UnsupportedMediaType("415: Unsupported Media Type", details=Details()) from None


def _form(request: Request) -> Form:
    return negotiation.negotiate(request.header(b"accept"))


def _verbs_of(kind: Kind, asked: Route) -> Sequence[str]:
    """The verbs that what a path names has: one object, or all of them."""
    if asked.name and asked.verb == "create":
        return ()
    if not asked.name and asked.verb in {"update", "patch"}:
        return ()
    return kind.verbs
