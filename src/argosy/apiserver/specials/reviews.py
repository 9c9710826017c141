"""Reviews: may I, may they, what may I, who am I, whose token is this. Asked, answered, never stored."""

from __future__ import annotations

from argosy.apiserver import bodies, encoding
from argosy.apiserver.access.attributes import Attributes
from argosy.apiserver.access.authenticating import Authentication
from argosy.apiserver.access.identities import User
from argosy.apiserver.access.rbac import Rbac
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response
from argosy.base import fielderrors
from argosy.base.errors import Invalid
from argosy.base.types import Object


class AccessReviews:
    """The reviews of authorization.k8s.io."""

    def __init__(self, rbac: Rbac) -> None:
        self._rbac = rbac

    async def self_access(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = bodies.read(call, request.body, request.header(b"content-type"))
        return self._answer(call, review, call.user)

    async def subject_access(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = bodies.read(call, request.body, request.header(b"content-type"))
        spec = review.get("spec") or {}
        if not spec.get("user") and not spec.get("groups"):
            problem = fielderrors.invalid(
                "spec.user", "", "at least one of user or group must be specified"
            )
            raise Invalid(call.kind.kind, "", [problem], group=call.kind.group)
        subject = User(spec.get("user", ""), spec.get("uid", ""), tuple(spec.get("groups") or ()))
        return self._answer(call, review, subject)

    def _answer(self, call: Call, review: Object, subject: User) -> Response:
        spec = review.get("spec") or {}
        resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
        if (resource is None) == (path is None):
            problem = fielderrors.invalid(
                "spec.resourceAttributes",
                resource,
                "exactly one of nonResourceAttributes or resourceAttributes must be specified",
            )
            if resource is not None:
                problem = fielderrors.invalid(
                    "spec.nonResourceAttributes",
                    path,
                    "cannot be specified in combination with resourceAttributes",
                )
            raise Invalid(call.kind.kind, "", [problem], group=call.kind.group)
        allowed, why = self._rbac.allows(subject, _attributes(resource, path))
        status: Object = {"allowed": allowed}
        if why:
            status["reason"] = why
        review["status"] = status
        return _created(call, review)

    async def self_rules(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = bodies.read(call, request.body, request.header(b"content-type"))
        namespace = (review.get("spec") or {}).get("namespace", "")
        if not namespace:
            problem = fielderrors.required("spec.namespace", "no namespace on request")
            raise Invalid(call.kind.kind, "", [problem], group=call.kind.group)
        resource_rules: list[Object] = []
        path_rules: list[Object] = []
        if call.user.is_master:
            resource_rules.append({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})
            path_rules.append({"verbs": ["*"], "nonResourceURLs": ["*"]})
        for grant in self._rbac.grants(call.user):
            if grant.namespace not in {"", namespace}:
                continue
            for rule in grant.rules:
                if rule.non_resource_urls:
                    path_rules.append(
                        {"verbs": rule.verbs, "nonResourceURLs": rule.non_resource_urls}
                    )
                else:
                    shown: Object = {
                        "verbs": rule.verbs,
                        "apiGroups": rule.api_groups,
                        "resources": rule.resources,
                    }
                    if rule.resource_names:
                        shown["resourceNames"] = rule.resource_names
                    resource_rules.append(shown)
        review["status"] = {
            "resourceRules": resource_rules,
            "nonResourceRules": path_rules,
            "incomplete": False,
        }
        return _created(call, review)


class IdentityReviews:
    """The reviews of authentication.k8s.io."""

    def __init__(self, authentication: Authentication) -> None:
        self._authentication = authentication

    async def self_subject(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = bodies.read(call, request.body, request.header(b"content-type"))
        review["metadata"] = {"creationTimestamp": cluster.now()}
        review["status"] = {"userInfo": _user_info(call.user)}
        return _created(call, review)

    async def token(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = bodies.read(call, request.body, request.header(b"content-type"))
        token = (review.get("spec") or {}).get("token", "")
        user = self._authentication.user_of(token) if token else None
        if user is None:
            review["status"] = {"user": {}, "error": "invalid bearer token"}
        else:
            review["status"] = {"authenticated": True, "user": _user_info(user)}
        return _created(call, review)


def _attributes(resource: Object | None, path: Object | None) -> Attributes:
    if resource is None:
        assert path is not None
        return Attributes(path.get("verb", ""), is_resource=False, path=path.get("path", ""))
    return Attributes(
        resource.get("verb", ""),
        group=resource.get("group", ""),
        version=resource.get("version", ""),
        resource=resource.get("resource", ""),
        subresource=resource.get("subresource", ""),
        namespace=resource.get("namespace", ""),
        name=resource.get("name", ""),
    )


def _user_info(user: User) -> Object:
    info: Object = {"username": user.name}
    if user.uid:
        info["uid"] = user.uid
    info["groups"] = list(user.groups)
    if user.extra:
        info["extra"] = {key: list(values) for key, values in user.extra.items()}
    return info


def _created(call: Call, review: Object) -> Response:
    review.setdefault("metadata", {})
    return Response(201, encoding.to_json(review))
