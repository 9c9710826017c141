"""ServiceAccount: every pod runs as an account of its namespace and finds that account's token where pods look for it.

Differs from upstream in one case: a namespace that has just been created has no `default` account for some moments,
and upstream refuses pods until it has. Here the account is taken as given.
"""

from __future__ import annotations

import hashlib
from typing import ClassVar, Final

from argosy.apiserver.admission.naming import forbidden
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.base.types import Object

TOKEN_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105  a path
VOLUME_PREFIX: Final = "kube-api-access-"
# A little over an hour, so that clients which renew at the hour find a good token.
TOKEN_SECONDS: Final = 3607
_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_MIRROR: Final = "kubernetes.io/config.mirror"


class ServiceAccount:
    """Pods only."""

    reads: ClassVar = frozenset({"serviceaccounts"})
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if call.kind.resource != "pods" or call.subresource or new is None or old is not None:
            return
        if _MIRROR in (new["metadata"].get("annotations") or ()):
            return
        spec = new.setdefault("spec", {})
        name = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
        spec["serviceAccountName"] = spec["serviceAccount"] = name
        account = cluster.latest(cluster.kind("", "serviceaccounts"), call.namespace, name)
        if account is None:
            if name != "default":
                raise forbidden(
                    call, new,
                    f'error looking up service account {call.namespace}/{name}: serviceaccount "{name}" not found',
                )  # fmt: skip
            account = {}
        if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
            spec["imagePullSecrets"] = account["imagePullSecrets"]
        if self._mounts(spec, account):
            self._mount(spec)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """Nothing more to check."""

    @staticmethod
    def _mounts(spec: Object, account: Object) -> bool:
        wish = spec.get("automountServiceAccountToken")
        if wish is None:
            wish = account.get("automountServiceAccountToken")
        return wish is not False

    @staticmethod
    def _mount(spec: Object) -> None:
        volumes = spec.get("volumes") or []
        found = next(
            (v["name"] for v in volumes if v.get("name", "").startswith(VOLUME_PREFIX)), None
        )
        name = found or VOLUME_PREFIX + _suffix(spec["serviceAccountName"])
        mounted = False
        containers = (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))
        for container in containers:
            mounts = container.get("volumeMounts") or []
            if any(mount.get("mountPath") == TOKEN_PATH for mount in mounts):
                continue
            mounts.append({"name": name, "readOnly": True, "mountPath": TOKEN_PATH})
            container["volumeMounts"] = mounts
            mounted = True
        if mounted and found is None:
            volumes.append(_token_volume(name))
            spec["volumes"] = volumes


def _suffix(account: str) -> str:
    """Five letters that depend on the account alone, so that the pods of a Job stay alike to the byte. Upstream's are
    random; all that counts is that no other volume of the pod has the name.
    """
    digest = hashlib.sha256(account.encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:5])


def _token_volume(name: str) -> Object:
    namespace = {
        "path": "namespace",
        "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
    }
    return {
        "name": name,
        "projected": {
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": TOKEN_SECONDS, "path": "token"}},
                {
                    "configMap": {
                        "name": "kube-root-ca.crt",
                        "items": [{"key": "ca.crt", "path": "ca.crt"}],
                    }
                },
                {"downwardAPI": {"items": [namespace]}},
            ],
            "defaultMode": 420,
        },
    }
