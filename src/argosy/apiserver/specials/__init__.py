"""Subresources and virtual resources with ways of their own: reviews, tokens, bindings, evictions, logs, commands in
containers, finalizing a namespace.
"""

from __future__ import annotations

from argosy.apiserver.access.authenticating import Authentication
from argosy.apiserver.access.rbac import Rbac
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.dispatching import Special
from argosy.apiserver.specials import namespaces, pods, reviews, tokens
from argosy.apiserver.specials.commands import Commands
from argosy.apiserver.specials.components import component_statuses
from argosy.apiserver.specials.forwards import Forwards
from argosy.apiserver.specials.logs import Logs, LogSource
from argosy.apiserver.specials.metrics import GROUP as METRICS
from argosy.apiserver.specials.metrics import Metrics
from argosy.apiserver.specials.streams import ExecSource, MetricsSource
from argosy.apiserver.specials.visibility import PendingSource, Visibility


def specials(
    rbac: Rbac,
    signer: Signer,
    authentication: Authentication,
    logs: LogSource | None = None,
    execs: ExecSource | None = None,
    usage: MetricsSource | None = None,
    pending: PendingSource | None = None,
) -> dict[tuple[str, str], Special]:
    """Keyed by qualified resource and subresource ("" for the resource itself)."""
    access = reviews.AccessReviews(rbac)
    commands = Commands(rbac, execs)
    identity = reviews.IdentityReviews(authentication)
    authorization, authentication_group = "authorization.k8s.io", "authentication.k8s.io"
    extended: dict[tuple[str, str], Special] = {}
    if usage is not None:
        metrics = Metrics(usage)
        extended[f"nodes.{METRICS}", ""] = metrics.nodes
        extended[f"pods.{METRICS}", ""] = metrics.pods
    if pending is not None:
        extended |= Visibility(pending).specials()
    return extended | {
        (f"selfsubjectaccessreviews.{authorization}", ""): access.self_access,
        (f"subjectaccessreviews.{authorization}", ""): access.subject_access,
        (f"localsubjectaccessreviews.{authorization}", ""): access.local_access,
        (f"selfsubjectrulesreviews.{authorization}", ""): access.self_rules,
        (f"selfsubjectreviews.{authentication_group}", ""): identity.self_subject,
        (f"tokenreviews.{authentication_group}", ""): identity.token,
        ("serviceaccounts", "token"): tokens.TokenRequests(signer).create,
        ("componentstatuses", ""): component_statuses,
        ("bindings", ""): pods.bind_virtual,
        ("pods", "attach"): commands.attach,
        ("pods", "binding"): pods.bind,
        ("pods", "eviction"): pods.evict,
        ("pods", "exec"): commands.exec,
        ("pods", "log"): Logs(logs).read,
        ("pods", "portforward"): Forwards(rbac, execs).forward,
        ("namespaces", "finalize"): namespaces.finalize,
    }
