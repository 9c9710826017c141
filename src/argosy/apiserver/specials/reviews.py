"""Reviews: may I, may they, what may I, who am I, whose token is this. Asked, answered, never stored."""

from __future__ import annotations

from argosy.apiserver import bodies, encoding
from argosy.apiserver.access.attributes import Attributes
from argosy.apiserver.access.authenticating import Authentication
from argosy.apiserver.access.identities import User
from argosy.apiserver.access.rbac import Rbac
from argosy.apiserver.access.tokens import ISSUER
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response
from argosy.apiserver.verbs import owning
from argosy.base import fielderrors
from argosy.base.errors import BadRequest, Invalid
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object


class AccessReviews:
    """The reviews of authorization.k8s.io."""

    def __init__(self, rbac: Rbac) -> None:
        self._rbac = rbac

    async def self_access(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = _read(cluster, call, request)
        _refuse(call, _attribute_problems(review["spec"]))
        return self._answer(review, call.user)

    async def subject_access(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = _read(cluster, call, request)
        _refuse(call, _subject_problems(review["spec"]))
        return self._answer(review, _subject(review["spec"]))

    async def local_access(self, cluster: Cluster, call: Call, request: Request) -> Response:
        """A review of one namespace, for those who may ask about that one only."""
        review = _read(cluster, call, request)
        spec = review["spec"]
        problems = _subject_problems(spec)
        resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
        if resource is not None and resource.get("namespace", "") != call.namespace:
            problems.append(
                fielderrors.invalid(
                    "spec.resourceAttributes.namespace",
                    resource.get("namespace", ""),
                    "must match metadata.namespace",
                )
            )
        if path is not None:
            text = "disallowed on this kind of request"
            problems.append(fielderrors.invalid("spec.nonResourceAttributes", _shown(path), text))
        _refuse(call, problems)
        return self._answer(review, _subject(spec))

    def _answer(self, review: Object, subject: User) -> Response:
        spec = review["spec"]
        asked = _attributes(spec.get("resourceAttributes"), spec.get("nonResourceAttributes"))
        allowed, why = self._rbac.allows(subject, asked)
        status: Object = {"allowed": allowed}
        if why:
            status["reason"] = why
        review["status"] = status
        return _created(review)

    async def self_rules(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = bodies.read(call, request.body, request.header(b"content-type"))
        namespace = (review.get("spec") or {}).get("namespace", "")
        if not namespace:
            raise BadRequest("no namespace on request")
        resource_rules: list[Object] = []
        path_rules: list[Object] = []
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
        return _created(review)


class IdentityReviews:
    """The reviews of authentication.k8s.io."""

    def __init__(self, authentication: Authentication) -> None:
        self._authentication = authentication

    async def self_subject(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = bodies.read(call, request.body, request.header(b"content-type"))
        review["metadata"] = {"creationTimestamp": cluster.now()}
        review["status"] = {"userInfo": _user_info(call.user)}
        return _created(review)

    async def token(self, cluster: Cluster, call: Call, request: Request) -> Response:
        review = _read(cluster, call, request)
        spec = review["spec"]
        if not spec.get("token"):
            raise BadRequest("token is required for TokenReview in authentication")
        found = self._authentication.identify(spec["token"], spec.get("audiences") or (ISSUER,))
        if found is None:
            review["status"] = {"user": {}, "error": "invalid bearer token"}
        else:
            user, audiences = found
            review["status"] = {
                "authenticated": True,
                "user": _user_info(user),
                "audiences": list(audiences),
            }
        return _created(review)


def _read(cluster: Cluster, call: Call, request: Request) -> Object:
    """A review as it was sent, with its owner noted: upstream treats reviews like objects up to there."""
    review = bodies.read(call, request.body, request.header(b"content-type"))
    review.setdefault("metadata", {})
    review.setdefault("spec", {})
    owning.track(cluster, call, review, None)
    return review


def _subject(spec: Object) -> User:
    return User(spec.get("user", ""), spec.get("uid", ""), tuple(spec.get("groups") or ()))


def _attribute_problems(spec: Object) -> list[FieldError]:
    resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and path is not None:
        text = "cannot be specified in combination with resourceAttributes"
        return [fielderrors.invalid("spec.nonResourceAttributes", _shown(path), text)]
    if resource is None and path is None:
        text = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [fielderrors.invalid("spec.resourceAttributes", None, text)]
    return []


def _subject_problems(spec: Object) -> list[FieldError]:
    problems = _attribute_problems(spec)
    if not spec.get("user") and not spec.get("groups"):
        text = "at least one of user or group must be specified"
        problems.append(fielderrors.invalid("spec.user", spec.get("user", ""), text))
    return problems


def _shown(path: Object) -> Object:
    """Upstream prints its internal form, whose fields begin with capitals."""
    return {"Path": path.get("path", ""), "Verb": path.get("verb", "")}


def _refuse(call: Call, problems: list[FieldError]) -> None:
    """Upstream's errors of reviews name no kind."""
    if problems:
        raise Invalid("", "", problems, group=call.kind.group)


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


def _created(review: Object) -> Response:
    review.setdefault("metadata", {})
    return Response(201, encoding.to_json(review))
