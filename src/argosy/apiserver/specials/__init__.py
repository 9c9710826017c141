"""Subresources and virtual resources with ways of their own: reviews, tokens, bindings, evictions, logs, finalizing
a namespace.
"""

from __future__ import annotations

from argosy.apiserver.access.authenticating import Authentication
from argosy.apiserver.access.rbac import Rbac
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.dispatching import Special
from argosy.apiserver.specials import namespaces, pods, reviews, tokens
from argosy.apiserver.specials.components import component_statuses
from argosy.apiserver.specials.logs import Logs, LogSource


def specials(
    rbac: Rbac, signer: Signer, authentication: Authentication, logs: LogSource | None = None
) -> dict[tuple[str, str], Special]:
    """Keyed by qualified resource and subresource ("" for the resource itself)."""
    access = reviews.AccessReviews(rbac)
    identity = reviews.IdentityReviews(authentication)
    authorization, authentication_group = "authorization.k8s.io", "authentication.k8s.io"
    return {
        (f"selfsubjectaccessreviews.{authorization}", ""): access.self_access,
        (f"subjectaccessreviews.{authorization}", ""): access.subject_access,
        (f"localsubjectaccessreviews.{authorization}", ""): access.local_access,
        (f"selfsubjectrulesreviews.{authorization}", ""): access.self_rules,
        (f"selfsubjectreviews.{authentication_group}", ""): identity.self_subject,
        (f"tokenreviews.{authentication_group}", ""): identity.token,
        ("serviceaccounts", "token"): tokens.TokenRequests(signer).create,
        ("componentstatuses", ""): component_statuses,
        ("bindings", ""): pods.bind_virtual,
        ("pods", "binding"): pods.bind,
        ("pods", "eviction"): pods.evict,
        ("pods", "log"): Logs(logs).read,
        ("namespaces", "finalize"): namespaces.finalize,
    }
