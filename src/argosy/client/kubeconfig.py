"""Where the API server is and how to be trusted by it: kubeconfig files and the in-cluster account.

Files are merged as kubectl does: in a list of files (`KUBECONFIG=a:b`) the first one to name a cluster, user
or context wins, and files that are not there are skipped. Paths inside a file are relative to that file. A
proxy-url counts before the environment's proxies. Password authentication was removed from Kubernetes and is
refused with a sentence that says so.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml

from argosy.base.clock import Clock, RealClock
from argosy.base.types import Json, Object
from argosy.client.credentials import (
    Credential,
    Credentials,
    ExecCredentials,
    ExecPlugin,
    Fixed,
    TokenFile,
)
from argosy.client.proxies import proxy_of

_EXEC_EXTENSION: Final = "client.authentication.k8s.io/exec"
SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class ConfigError(ValueError):
    """The configuration cannot be used; the message names file, entry and remedy."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Everything needed to reach one API server as one user."""

    server: str
    credentials: Credentials = field(default_factory=Fixed)
    # PEM; empty means the machine's certificate authorities.
    authority: bytes = b""
    insecure: bool = False
    # Checked against the server's certificate instead of the host name.
    server_name: str = ""
    proxy: str = ""
    namespace: str = "default"
    impersonate: str = ""
    impersonate_groups: tuple[str, ...] = ()


def load(
    path: str | Path | None = None,
    *,
    context: str = "",
    clock: Clock | None = None,
    env: Mapping[str, str] = os.environ,
) -> Connection:
    """The connection of a context: of `path`, else of $KUBECONFIG, else of ~/.kube/config."""
    if path is not None:
        files = [Path(path)]
        if not files[0].exists():
            raise ConfigError(f"kubeconfig {path} does not exist")
    elif listed := env.get("KUBECONFIG"):
        files = [Path(name) for name in listed.split(os.pathsep) if name]
    else:
        files = [Path.home() / ".kube" / "config"]
    return _Kubeconfig(files).connection(context, clock or RealClock(), env)


def in_cluster(
    *,
    clock: Clock | None = None,
    env: Mapping[str, str] = os.environ,
    directory: Path = SERVICE_ACCOUNT,
) -> Connection:
    """The connection of a pod to its own cluster, by its service account."""
    host, port = env.get("KUBERNETES_SERVICE_HOST"), env.get("KUBERNETES_SERVICE_PORT")
    if not host or not port:
        raise ConfigError(
            "unable to load in-cluster configuration, "
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined"
        )
    namespace = directory / "namespace"
    return Connection(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        credentials=TokenFile(directory / "token", clock or RealClock()),
        authority=_read(directory / "ca.crt"),
        namespace=namespace.read_text().strip() if namespace.exists() else "default",
    )


class _Kubeconfig:
    """The merged entries of one or more files, each remembering its folder."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = list(files)
        self._current = ""
        self._entries: dict[str, dict[str, tuple[Object, Path]]] = {
            "clusters": {},
            "users": {},
            "contexts": {},
        }
        for file in self._files:
            if file.exists():
                self._merge(file)

    def _merge(self, file: Path) -> None:
        try:
            content = yaml.safe_load(file.read_text()) or {}
        except (OSError, yaml.YAMLError) as error:
            raise ConfigError(f"kubeconfig {file} cannot be read: {error}") from error
        if not isinstance(content, dict):
            raise ConfigError(f"kubeconfig {file} is no mapping; it should have kind: Config")
        self._current = self._current or str(content.get("current-context") or "")
        for section, known in self._entries.items():
            for entry in content.get(section) or ():
                body = entry.get(section[:-1]) or {}
                known.setdefault(str(entry.get("name")), (body, file.parent))

    def connection(self, context: str, clock: Clock, env: Mapping[str, str]) -> Connection:
        name = context or self._current
        if not name:
            raise ConfigError(
                f"{self._where()}: no context is chosen; set current-context or name one of {self._names('contexts')}"
            )
        chosen, _ = self._find("contexts", name, "context")
        cluster, folder = self._find(
            "clusters", str(chosen.get("cluster")), f"context {name}: cluster"
        )
        user: Object = {}
        user_folder = folder
        if user_name := chosen.get("user"):
            user, user_folder = self._find("users", str(user_name), f"context {name}: user")
        server = str(cluster.get("server") or "")
        if not server:
            raise ConfigError(f"{self._where()}: cluster {chosen.get('cluster')} has no server")
        return Connection(
            server=server.rstrip("/"),
            credentials=_credentials(user, user_folder, _cluster_info(cluster, folder), clock),
            authority=_material(cluster, "certificate-authority", folder),
            insecure=bool(cluster.get("insecure-skip-tls-verify")),
            server_name=str(cluster.get("tls-server-name") or ""),
            proxy=str(cluster.get("proxy-url") or "") or proxy_of(server, env),
            namespace=str(chosen.get("namespace") or "default"),
            impersonate=str(user.get("as") or ""),
            impersonate_groups=tuple(user.get("as-groups") or ()),
        )

    def _find(self, section: str, name: str, what: str) -> tuple[Object, Path]:
        found = self._entries[section].get(name)
        if found is None:
            raise ConfigError(
                f'{self._where()}: {what} "{name}" does not exist; there are {self._names(section)}'
            )
        return found

    def _names(self, section: str) -> str:
        return ", ".join(sorted(self._entries[section])) or "none"

    def _where(self) -> str:
        return "kubeconfig " + os.pathsep.join(map(str, self._files))


def _credentials(user: Object, folder: Path, cluster: Object, clock: Clock) -> Credentials:
    if user.get("username") or user.get("password"):
        raise ConfigError(
            "username and password are not supported by Kubernetes any more; use a token, a certificate or exec"
        )
    if user.get("auth-provider"):
        raise ConfigError("auth-provider was removed from Kubernetes; use an exec plugin instead")
    certificate = _material(user, "client-certificate", folder)
    key = _material(user, "client-key", folder)
    if bool(certificate) != bool(key):
        raise ConfigError("client-certificate and client-key must be given together")
    if (plugin := user.get("exec")) is not None:
        return ExecCredentials(_plugin(plugin, folder, cluster), clock)
    if token := user.get("token"):
        return Fixed(Credential(str(token), certificate, key))
    if file := user.get("tokenFile"):
        return TokenFile(folder / str(file), clock, Credential("", certificate, key))
    return Fixed(Credential("", certificate, key))


def _plugin(plugin: Object, folder: Path, cluster: Object) -> ExecPlugin:
    command = str(plugin.get("command") or "")
    if not command:
        raise ConfigError("exec: command is required")
    if "/" in command:
        command = str(folder / command)
    return ExecPlugin(
        command=command,
        args=tuple(str(arg) for arg in plugin.get("args") or ()),
        env={str(e["name"]): str(e["value"]) for e in plugin.get("env") or ()},
        api_version=str(plugin.get("apiVersion") or ""),
        install_hint=str(plugin.get("installHint") or ""),
        cluster=cluster if plugin.get("provideClusterInfo") else None,
    )


def _cluster_info(cluster: Object, folder: Path) -> Object:
    """What exec plugins that ask for it are told of the cluster; a file of authorities is sent along."""
    known = ("server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url")
    info: Object = {name: cluster[name] for name in known if name in cluster}
    if authority := _material(cluster, "certificate-authority", folder):
        info["certificate-authority-data"] = base64.b64encode(authority).decode()
    for extension in cluster.get("extensions") or ():
        if extension.get("name") == _EXEC_EXTENSION:
            info["config"] = extension.get("extension")
    return info


def _material(entry: Object, name: str, folder: Path) -> bytes:
    """PEM given inline in base64 (`name-data`) or as a file (`name`); inline wins, as upstream has it."""
    data: Json = entry.get(f"{name}-data")
    if data:
        try:
            return base64.b64decode(data, validate=True)
        except (binascii.Error, TypeError) as error:
            raise ConfigError(f"{name}-data is no base64: {error}") from None
    file = entry.get(name)
    return _read(folder / str(file)) if file else b""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
