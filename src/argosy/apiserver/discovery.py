"""What the server serves, told to clients: /api, /apis, /apis/GROUP, /apis/GROUP/VERSION, and all of it at once.

The old way is one document per group and version. The aggregated way (`as=APIGroupDiscoveryList`) is two documents,
with an ETag so that a client that has the current one is told so in a few bytes. kubectl asks that way and falls back.

Order matters to clients: where a name is in two groups the first group wins, and a group's first version is preferred.
Built-in groups come in kube-apiserver's order, then custom groups by name; versions by maturity and number
(v2, v1, v1beta2, v1beta1, v1alpha1, others by name).

Documents are made when first asked for, kept as bytes, and dropped when the scheme's generation moves on. Documents of
one server are shared by all its clients; nothing in them depends on who asks.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from argosy.api.builtin import Subresource, hashed_version, is_virtual, subresources
from argosy.api.crds.ranking import version_rank
from argosy.api.kinds import Kind, Scheme
from argosy.base.types import Object

# kube-apiserver's priorities, highest first. "" is the core group.
_GROUP_ORDER: Final = (
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
)
_GROUP_RANK: Final = {group: rank for rank, group in enumerate(_GROUP_ORDER)}

# The order in which the API server lists the verbs of custom kinds, where built-in ones are sorted.
_CUSTOM_VERBS: Final = (
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
)

# Subresources of pods that are connections and carry no object.
STREAMED: Final[Mapping[str, Subresource]] = {
    "attach": Subresource(("create", "get"), "PodAttachOptions"),
    "exec": Subresource(("create", "get"), "PodExecOptions"),
    "portforward": Subresource(("create", "get"), "PodPortForwardOptions"),
}

# Subresources of kinds that are served beside the scheme's.
PENDING_WORKLOADS: Final = "pendingworkloads"
EXTENDED: Final[Mapping[str, Subresource]] = {
    PENDING_WORKLOADS: Subresource(("get",), "PendingWorkloadsSummary"),
}

# The beta form has left Kubernetes with v1.35.
AGGREGATED_VERSIONS: Final = ("v2",)


@dataclass(slots=True, frozen=True, weakref_slot=True)
class Document:
    """An answer that is ready to send. `etag` comes without quotes and is "" where none is sent."""

    body: bytes
    content_type: str = "application/json"
    etag: str = ""


class Discovery:
    """The discovery documents of one server. `server_address` is what /api tells of it: `host:port`; `extensions` are
    kinds that are served beside the scheme's.
    """

    def __init__(
        self, scheme: Scheme, server_address: str = "", extensions: Sequence[Kind] = ()
    ) -> None:
        self._scheme = scheme
        self._extensions = extensions
        self._server_address = server_address
        self._generation = -1
        self._documents: dict[tuple[str, str], Document] = {}

    def document(self, path: str, aggregated: str = "") -> Document | None:
        """The document at a path, None where there is none. `aggregated` is "" or one of AGGREGATED_VERSIONS, and
        counts for /api and /apis only.
        """
        if self._generation != self._scheme.generation:
            self._documents.clear()
            self._generation = self._scheme.generation
        parts = path.strip("/").split("/")
        if len(parts) > 1:
            aggregated = ""
        key = ("/".join(parts), aggregated)
        found = self._documents.get(key)
        if found is None:
            found = self._build(parts, aggregated)
            # Paths that lead nowhere are not remembered: there is no end of them.
            if found is not None:
                self._documents[key] = found
        return found

    def paths(self) -> list[str]:
        """The paths below /api and /apis, for the listing at /."""
        return _paths(self._kinds())

    def _kinds(self) -> list[Kind]:
        return [*self._scheme, *self._extensions]

    def _build(self, parts: list[str], aggregated: str) -> Document | None:
        kinds = self._kinds()
        match parts:
            case ["api" | "apis" as root] if aggregated:
                return _aggregated(kinds, aggregated, core=root == "api")
            case ["api"]:
                return _json(self._core_versions())
            case ["apis"]:
                return _json(_group_list(kinds))
            case ["api", version]:
                return _resource_list(kinds, "", version)
            case ["apis", group]:
                versions = group_versions(kinds).get(group)
                return _json(_group(group, versions, nested=False)) if group and versions else None
            case ["apis", group, version] if group:
                return _resource_list(kinds, group, version)
        return None

    def _core_versions(self) -> Object:
        address = {"clientCIDR": "0.0.0.0/0", "serverAddress": self._server_address}
        return {
            "kind": "APIVersions",
            "versions": group_versions(self._scheme).get("", []),
            "serverAddressByClientCIDRs": [address],
        }


def group_versions(kinds: Iterable[Kind]) -> dict[str, list[str]]:
    """Served groups in discovery order, and their served versions, the preferred one first."""
    found: dict[str, set[str]] = {}
    for kind in kinds:
        served = {name for name, version in kind.versions.items() if version.served}
        if served:
            found.setdefault(kind.group, set()).update(served)
    return {
        group: sorted(found[group], key=version_rank) for group in sorted(found, key=group_rank)
    }


def group_rank(group: str) -> tuple[int, str]:
    return _GROUP_RANK.get(group, len(_GROUP_ORDER)), group


def _json(obj: Object) -> Document:
    return Document(msgspec.json.encode(obj))


def _paths(kinds: Iterable[Kind]) -> list[str]:
    paths = ["/api", "/apis", "/apis/"]
    for group, versions in group_versions(kinds).items():
        root = f"/apis/{group}" if group else "/api"
        paths += [root, *(f"{root}/{version}" for version in versions)]
    return sorted(set(paths))


def _group(group: str, versions: list[str], *, nested: bool) -> Object:
    named = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    head = {} if nested else {"kind": "APIGroup", "apiVersion": "v1"}
    return {**head, "name": group, "versions": named, "preferredVersion": named[0]}


def _group_list(kinds: Iterable[Kind]) -> Object:
    groups = [
        _group(group, versions, nested=True)
        for group, versions in group_versions(kinds).items()
        if group
    ]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def _served(kinds: Iterable[Kind], group: str, version: str) -> list[Kind]:
    kinds = (kind for kind in kinds if kind.group == group and kind.serves(version))
    return sorted(kinds, key=lambda kind: kind.plural)


def _resource_list(kinds: Iterable[Kind], group: str, version: str) -> Document | None:
    if version not in group_versions(kinds).get(group, ()):
        return None
    resources = [
        resource
        for kind in _served(kinds, group, version)
        for resource in _legacy_resources(kind, version)
    ]
    # The core group predates versioned documents, and its own has no apiVersion to this day.
    head: Object = {"kind": "APIResourceList"}
    if group:
        head["apiVersion"] = "v1"
    named = f"{group}/{version}" if group else version
    return _json({**head, "groupVersion": named, "resources": resources})


def _legacy_resources(kind: Kind, version: str) -> Iterable[Object]:
    resource: Object = {
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": _verbs(kind),
    }
    resource.update(_names(kind))
    if not is_virtual(kind):
        resource["storageVersionHash"] = _storage_version_hash(kind)
    yield resource
    for name, sub in _subresources(kind, version):
        foreign = {"group": sub.group, "version": sub.version} if sub.group else {}
        yield {
            "name": f"{kind.plural}/{name}",
            "singularName": "",
            "namespaced": kind.namespaced,
            **foreign,
            "kind": sub.kind or kind.kind,
            "verbs": list(sub.verbs),
        }


def _storage_version_hash(kind: Kind) -> str:
    """Tells clients when the stored form of a resource changes. Events of both groups are the same resource."""
    group = "" if kind.stored_as else kind.group
    version = hashed_version(kind.group, kind.plural) or kind.storage_version
    digest = hashlib.sha256(f"{group}/{version}/{kind.kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()


def _verbs(kind: Kind) -> list[str]:
    return list(_CUSTOM_VERBS) if kind.custom else sorted(kind.verbs)


def _names(kind: Kind) -> Object:
    named = {"shortNames": list(kind.short_names), "categories": list(kind.categories)}
    return {key: names for key, names in named.items() if names}


def subresource(kind: Kind, version: str, name: str) -> Subresource | None:
    """What a kind serves under the name of a subresource."""
    if name in kind.versions[version].subresources:
        return subresources().get(name) or EXTENDED[name]
    return STREAMED.get(name) if kind.resource == "pods" else None


def _subresources(kind: Kind, version: str) -> list[tuple[str, Subresource]]:
    names = set(kind.versions[version].subresources)
    if kind.resource == "pods":
        names |= STREAMED.keys()
    # Custom kinds list status before scale, built-in ones are sorted.
    found = (
        (name, subresource(kind, version, name)) for name in sorted(names, reverse=kind.custom)
    )
    return [(name, sub) for name, sub in found if sub is not None]


def _aggregated(kinds: Iterable[Kind], api: str, *, core: bool) -> Document:
    items = [
        _group_discovery(kinds, group, versions)
        for group, versions in group_versions(kinds).items()
        if (group == "") is core
    ]
    body = msgspec.json.encode(
        {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": f"apidiscovery.k8s.io/{api}",
            "metadata": {},
            "items": items,
        }
    )
    content_type = f"application/json;g=apidiscovery.k8s.io;v={api};as=APIGroupDiscoveryList"
    return Document(body, content_type, hashlib.sha512(body).hexdigest().upper())


def _group_discovery(kinds: Iterable[Kind], group: str, versions: list[str]) -> Object:
    return {
        "metadata": {"name": group} if group else {},
        "versions": [
            {
                "version": version,
                "resources": [
                    _resource_discovery(kind, version) for kind in _served(kinds, group, version)
                ],
                "freshness": "Current",
            }
            for version in versions
        ],
    }


def _resource_discovery(kind: Kind, version: str) -> Object:
    # Built-in kinds leave out group and version of their own kind.
    own = ("", "") if not kind.custom else (kind.group, version)
    resource: Object = {
        "resource": kind.plural,
        "responseKind": _response_kind(*own, kind.kind),
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": _verbs(kind),
        **_names(kind),
    }
    found = [
        {
            "subresource": name,
            "responseKind": _response_kind(sub.group, sub.version, sub.kind)
            if sub.group
            else _response_kind(*own, sub.kind or kind.kind),
            "verbs": list(sub.verbs),
        }
        for name, sub in _subresources(kind, version)
    ]
    if found:
        resource["subresources"] = found
    return resource


def _response_kind(group: str, version: str, kind: str) -> Object:
    return {"group": group, "version": version, "kind": kind}
