"""TokenRequest: a signed token for a service account, on demand (`kubectl create token`)."""

from __future__ import annotations

from datetime import UTC, datetime

from argosy.api.apply import tracking
from argosy.api.schema.builtin import builtin_schema
from argosy.apiserver import bodies, encoding
from argosy.apiserver.access.tokens import DEFAULT_SECONDS, ISSUER, MIN_SECONDS, Claims, Signer
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response
from argosy.base import errors, fielderrors
from argosy.base.errors import Invalid
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.store import Key

_TYPE = "io.k8s.api.authentication.v1.TokenRequest"
_API_VERSION = "authentication.k8s.io/v1"
_BOUND = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}


class TokenRequests:
    """serviceaccounts/token."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    async def create(self, cluster: Cluster, call: Call, request: Request) -> Response:
        asked = bodies.read_plain(request.body, _TYPE) if request.body else {}
        account = cluster.store.get(call.key)
        if account is None:
            raise call.not_found()
        spec: Object = asked.get("spec") or {}
        seconds = spec.get("expirationSeconds") or DEFAULT_SECONDS
        self._check(seconds)
        audiences = tuple(spec.get("audiences") or (ISSUER,))
        expires = cluster.clock.time() + seconds
        claims = Claims(
            call.namespace, call.name, account.meta.uid, audiences, expires,
            self._bound(cluster, call, spec.get("boundObjectRef")), cluster.ids.uid(),
        )  # fmt: skip
        answer: Object = {
            "kind": "TokenRequest",
            "apiVersion": _API_VERSION,
            "metadata": {
                "name": call.name,
                "namespace": call.namespace,
                "uid": account.meta.uid,
                "creationTimestamp": cluster.now(),
                "managedFields": self._owned(cluster, call, {**spec, "expirationSeconds": seconds}),
            },
            "spec": {
                "audiences": list(audiences),
                "expirationSeconds": seconds,
                "boundObjectRef": spec.get("boundObjectRef"),
            },
            "status": {
                "token": self._signer.sign(claims),
                "expirationTimestamp": format_time(datetime.fromtimestamp(int(expires), UTC)),
            },
        }
        return Response(201, encoding.to_json(answer))

    def _owned(self, cluster: Cluster, call: Call, spec: Object) -> list[Object]:
        """Who asked for what, as for any object."""
        return tracking.track_update(
            builtin_schema(_TYPE), None, {"metadata": {}, "spec": spec}, call.manager, _API_VERSION,
            call.subresource, cluster.now(),
        )  # fmt: skip

    def _check(self, seconds: int) -> None:
        problem = None
        if seconds < MIN_SECONDS:
            problem = fielderrors.invalid(
                "spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes"
            )
        elif seconds > 1 << 32:
            problem = fielderrors.invalid(
                "spec.expirationSeconds",
                seconds,
                "may not specify a duration larger than 2^32 seconds",
            )
        if problem is not None:
            raise Invalid("TokenRequest", "", [problem], group="authentication.k8s.io")

    def _bound(
        self, cluster: Cluster, call: Call, ref: Object | None
    ) -> tuple[str, str, str] | None:
        if ref is None:
            return None
        resource = _BOUND.get(ref.get("kind", ""))
        if resource is None:
            raise errors.BadRequest(
                f"cannot bind token to object of type {_qualified(ref.get('apiVersion', ''))}, "
                f"Kind={ref.get('kind', '')}"
            )
        name = ref.get("name", "")
        record = cluster.store.get(
            Key(resource, "" if resource == "nodes" else call.namespace, name)
        )
        if record is None:
            raise errors.not_found("", resource, name)
        if ref.get("uid") and ref["uid"] != record.meta.uid:
            raise errors.conflict(
                "", resource, name,
                f"the UID in the bound object reference ({ref['uid']}) does not match the UID in record. "
                "The object might have been deleted and then recreated",
            )  # fmt: skip
        return resource, name, record.meta.uid


def _qualified(api_version: str) -> str:
    """`/v1` for the core group: group and version as Go prints them together."""
    return api_version if "/" in api_version else f"/{api_version}"
