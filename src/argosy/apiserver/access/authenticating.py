"""From a request to a user: bearer tokens, then impersonation.

Known tokens are those of the kubeconfig (admins, members: given at start) and those of service accounts. There is
no anonymous access here: what anybody may see (health, version) is answered
before anybody is asked for a name.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import unquote

from argosy.apiserver.access.attributes import Attributes, Authorizer, refusal
from argosy.apiserver.access.identities import (
    AUTHENTICATED,
    SERVICE_ACCOUNT_PREFIX,
    User,
    service_account,
)
from argosy.apiserver.access.tokens import InvalidToken, Signer
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

    def user_of(self, token: str) -> User | None:
        """Whose token it is; None when it is nobody's."""
        found = self._known.get(_digest(token))
        if found is not None:
            return found
        if token.count(".") != 2:
            return None
        try:
            claims = self._signer.check(token)
        except InvalidToken:
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
        return service_account(claims.namespace, claims.name, claims.uid)

    def _impersonated(self, user: User, request: Request) -> User:
        """Who the user wants to be, if it may be."""
        name = request.header(b"impersonate-user")
        uid = request.header(b"impersonate-uid")
        groups = tuple(
            part.strip()
            for part in request.header(b"impersonate-group").split("\n")
            if part.strip()
        )
        extra: dict[str, tuple[str, ...]] = {
            unquote(key.decode("latin-1").removeprefix("impersonate-extra-")): (
                value.decode("latin-1"),
            )
            for key, value in request.headers.items()
            if key.startswith(b"impersonate-extra-")
        }
        if not name:
            raise BadRequest(
                'requested [{"impersonate"}] without impersonating a user name; set Impersonate-User as well'
            )
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
    return hmac.new(b"argosy", token.encode(), hashlib.sha256).digest()
