"""From a request to a user: bearer tokens, then impersonation.

Known tokens are those of the kubeconfig (admins, members: given at start) and those of service accounts. There is no
anonymous access here: what anybody may see (health, version) is answered before anybody is asked for a name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from urllib.parse import unquote

from argosy.apiserver.access.attributes import Attributes, Authorizer, refusal
from argosy.apiserver.access.identities import (
    AUTHENTICATED,
    SERVICE_ACCOUNT_PREFIX,
    User,
    service_account,
)
from argosy.apiserver.access.tokens import ISSUER, Claims, InvalidToken, Signer
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request
from argosy.base.errors import BadRequest, Unauthorized
from argosy.store import Key

_BEARER = b"Bearer "


class Authentication:
    """The authenticator of one cluster."""

    def __init__(
        self, cluster: Cluster, signer: Signer, authorizer: Authorizer, known: Mapping[str, User]
    ) -> None:
        self._cluster = cluster
        self._signer = signer
        self._authorizer = authorizer
        # By hash, so that how long a look-up takes says nothing about the tokens.
        self._known = {_digest(token): user for token, user in known.items()}

    def authenticate(self, request: Request) -> User:
        header = request.headers.get(b"authorization", b"")
        if not header.startswith(_BEARER):
            raise Unauthorized
        user = self.user_of(header[len(_BEARER) :].strip().decode("latin-1"))
        if user is None:
            raise Unauthorized
        if b"impersonate-user" in request.headers or any(
            name.startswith(b"impersonate-") for name in request.headers
        ):
            return self._impersonated(user, request)
        return user

    def user_of(self, token: str, audiences: Collection[str] = (ISSUER,)) -> User | None:
        """Whose token it is; None when it is nobody's, or not meant for any of the audiences."""
        found = self.identify(token, audiences)
        return found[0] if found is not None else None

    def identify(
        self, token: str, audiences: Collection[str]
    ) -> tuple[User, tuple[str, ...]] | None:
        """Whose token it is, and for which of the audiences. Tokens known from the start are for the API alone."""
        found = self._known.get(_digest(token))
        if found is not None:
            return (found, (ISSUER,)) if ISSUER in audiences else None
        if token.count(".") != 2:
            return None
        try:
            claims = self._signer.check(token)
        except InvalidToken:
            return None
        meant = tuple(one for one in audiences if one in claims.audiences)
        if not meant:
            return None
        account = self._cluster.store.get(Key("serviceaccounts", claims.namespace, claims.name))
        if account is None or account.meta.uid != claims.uid:
            return None
        if claims.bound is not None:
            resource, name, uid = claims.bound
            bound = self._cluster.store.get(
                Key(resource, "" if resource == "nodes" else claims.namespace, name)
            )
            if bound is None or bound.meta.uid != uid:
                return None
        user = service_account(claims.namespace, claims.name, claims.uid)
        return replace(user, extra=_extra(claims)), meant

    def _impersonated(self, user: User, request: Request) -> User:
        """Who the user wants to be, if it may be."""
        name = request.header(b"impersonate-user")
        uid = request.header(b"impersonate-uid")
        groups = _lines(request.header(b"impersonate-group"))
        extra = {
            unquote(key.decode("latin-1").removeprefix("impersonate-extra-")): _lines(
                value.decode("latin-1")
            )
            for key, value in request.headers.items()
            if key.startswith(b"impersonate-extra-")
        }
        if not name:
            wished = _references(groups, extra, uid)
            raise BadRequest(f"requested [{' '.join(wished)}] without impersonating a user")
        asked = [_impersonation(name)]
        asked += [
            Attributes("impersonate", resource="groups", name=group, version="v1")
            for group in groups
        ]
        if uid:
            asked.append(
                Attributes(
                    "impersonate",
                    group="authentication.k8s.io",
                    resource="uids",
                    name=uid,
                    version="v1",
                )
            )
        asked += [
            Attributes(
                "impersonate",
                group="authentication.k8s.io",
                resource="userextras",
                subresource=key,
                name=value,
                version="v1",
            )
            for key, values in extra.items()
            for value in values
        ]
        for one in asked:
            allowed, why = self._authorizer.allows(user, one)
            if not allowed:
                raise refusal(user, one, why)
        if name.startswith(SERVICE_ACCOUNT_PREFIX) and not groups:
            namespace = name.removeprefix(SERVICE_ACCOUNT_PREFIX).partition(":")[0]
            groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
        if name != "system:anonymous" and AUTHENTICATED not in groups:
            groups = (*groups, AUTHENTICATED)
        return User(name, uid=uid, groups=groups, extra=extra)


def _lines(values: str) -> tuple[str, ...]:
    """The values of a repeated header."""
    return tuple(part.strip() for part in values.split("\n") if part.strip())


def _references(
    groups: tuple[str, ...], extra: Mapping[str, tuple[str, ...]], uid: str
) -> list[str]:
    """What is to be impersonated, printed as Go prints object references: seven fields, most of them empty."""
    api = "authentication.k8s.io/v1"
    found = [f"{{Group  {group}    }}" for group in groups]
    found += [
        f"{{UserExtra  {value}  {api}  {key}}}" for key, values in extra.items() for value in values
    ]
    if uid:
        found.append(f"{{UID  {uid}  {api}  }}")
    return found


def _extra(claims: Claims) -> dict[str, tuple[str, ...]]:
    """What a token tells of its user beyond name and groups."""
    prefix = "authentication.kubernetes.io"
    extra: dict[str, tuple[str, ...]] = {}
    if claims.id:
        extra[f"{prefix}/credential-id"] = (f"JTI={claims.id}",)
    if claims.bound is not None and claims.bound[0] in {"pods", "nodes"}:
        resource, name, uid = claims.bound
        word = resource.removesuffix("s")
        extra |= {f"{prefix}/{word}-name": (name,), f"{prefix}/{word}-uid": (uid,)}
    return extra


def _impersonation(name: str) -> Attributes:
    if name.startswith(SERVICE_ACCOUNT_PREFIX) and name.count(":") == 3:
        _, _, namespace, account = name.split(":")
        return Attributes(
            "impersonate",
            resource="serviceaccounts",
            namespace=namespace,
            name=account,
            version="v1",
        )
    return Attributes("impersonate", resource="users", name=name, version="v1")


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
