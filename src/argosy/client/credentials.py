"""Who the client is: a token, a token file, a client certificate or an exec plugin's answer.

Credentials are asked for before every request and may change between two: a token file is read again every
minute, because the kubelet rotates it, and an exec plugin is run again when its credential has expired or the
server has refused it (`invalidate`). One plugin run serves all requests that wait for it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import msgspec

from argosy.base.clock import Clock
from argosy.base.timestamps import parse_time
from argosy.base.types import Object

# How often a token file is read.
_TOKEN_FILE_SECONDS: Final = 60.0
_EXEC_VERSIONS: Final = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")

# Runs a command with an environment and returns what it printed.
Run: TypeAlias = Callable[[Sequence[str], Mapping[str, str]], Awaitable[bytes]]


class CredentialError(Exception):
    """No credential can be had; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Credential:
    """What goes with a request. Certificate and key are PEM."""

    token: str = field(default="", repr=False)
    certificate: bytes = b""
    key: bytes = field(default=b"", repr=False)


NOBODY: Final = Credential()


class Credentials(Protocol):
    """A source of credentials."""

    async def current(self) -> Credential:
        """The credential to use now."""

    def invalidate(self) -> None:
        """The server did not accept the current one."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """One credential for good."""

    credential: Credential = NOBODY

    async def current(self) -> Credential:
        return self.credential

    def invalidate(self) -> None:
        """There is no other."""


class TokenFile:
    """A token in a file that somebody rotates."""

    def __init__(self, path: Path, clock: Clock, fixed: Credential = NOBODY) -> None:
        self._path = path
        self._clock = clock
        self._fixed = fixed
        self._token = ""
        self._until = float("-inf")

    async def current(self) -> Credential:
        now = self._clock.monotonic()
        if now >= self._until:
            try:
                token = self._path.read_text().strip()
            except OSError as error:
                raise CredentialError(f"token file {self._path} cannot be read: {error}") from error
            if not token:
                raise CredentialError(f"token file {self._path} is empty")
            self._token, self._until = token, now + _TOKEN_FILE_SECONDS
        return Credential(self._token, self._fixed.certificate, self._fixed.key)

    def invalidate(self) -> None:
        self._until = float("-inf")


@dataclass(frozen=True, slots=True)
class ExecPlugin:
    """The `exec` of a kubeconfig user."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    api_version: str = _EXEC_VERSIONS[0]
    install_hint: str = ""
    # Sent to plugins that ask for the cluster (provideClusterInfo).
    cluster: Object | None = None


class _Status(msgspec.Struct):
    token: str = ""
    clientCertificateData: str = ""  # noqa: N815  (the wire's name)
    clientKeyData: str = ""  # noqa: N815
    expirationTimestamp: str = ""  # noqa: N815


class _ExecCredential(msgspec.Struct):
    apiVersion: str  # noqa: N815
    status: _Status | None = None


class ExecCredentials:
    """Credentials from an exec plugin, kept until they expire."""

    def __init__(self, plugin: ExecPlugin, clock: Clock, run: Run | None = None) -> None:
        if plugin.api_version not in _EXEC_VERSIONS:
            allowed = " or ".join(_EXEC_VERSIONS)
            raise CredentialError(
                f"exec plugin {plugin.command}: apiVersion {plugin.api_version!r} is not supported; use {allowed}"
            )
        self._plugin = plugin
        self._clock = clock
        self._run = run or run_command
        self._lock = asyncio.Lock()
        self._credential: Credential | None = None
        self._until = float("inf")

    async def current(self) -> Credential:
        async with self._lock:
            if self._credential is None or self._clock.time() >= self._until:
                self._credential, self._until = await self._ask()
            return self._credential

    def invalidate(self) -> None:
        self._credential = None

    async def _ask(self) -> tuple[Credential, float]:
        plugin = self._plugin
        spec: Object = {"interactive": False}
        if plugin.cluster is not None:
            spec["cluster"] = plugin.cluster
        info = {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}
        env = {**plugin.env, "KUBERNETES_EXEC_INFO": msgspec.json.encode(info).decode()}
        try:
            printed = await self._run([plugin.command, *plugin.args], env)
        except FileNotFoundError:
            hint = f"; {plugin.install_hint}" if plugin.install_hint else ""
            raise CredentialError(f"exec plugin {plugin.command} is not installed{hint}") from None
        except OSError as error:
            raise CredentialError(f"exec plugin {plugin.command} cannot be run: {error}") from error
        try:
            answer = msgspec.json.decode(printed, type=_ExecCredential)
        except msgspec.DecodeError as error:
            raise CredentialError(
                f"exec plugin {plugin.command} printed no ExecCredential: {error}"
            ) from None
        if answer.apiVersion != plugin.api_version:
            raise CredentialError(
                f"exec plugin {plugin.command} is configured to use API version {plugin.api_version}, "
                f"plugin returned version {answer.apiVersion}"
            )
        status = answer.status
        if status is not None and bool(status.clientCertificateData) != bool(status.clientKeyData):
            raise CredentialError(
                f"exec plugin {plugin.command} returned only certificate or key, not both"
            )
        if status is None or not (status.token or status.clientCertificateData):
            raise CredentialError(
                f"exec plugin {plugin.command} didn't return a token or cert/key pair"
            )
        until = float("inf")
        if status.expirationTimestamp:
            try:
                until = parse_time(status.expirationTimestamp).timestamp()
            except ValueError as error:
                raise CredentialError(f"exec plugin {plugin.command}: {error}") from error
        certificate, key = status.clientCertificateData.encode(), status.clientKeyData.encode()
        return Credential(status.token, certificate, key), until


async def run_command(argv: Sequence[str], env: Mapping[str, str]) -> bytes:
    """Run a command with `env` on top of ours; what it printed, or CredentialError with its complaint."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        env={**os.environ, **env},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    printed, complaint = await process.communicate()
    if process.returncode:
        text = complaint.decode(errors="replace").strip()
        raise CredentialError(
            f"exec plugin {argv[0]} failed with exit code {process.returncode}: {text}"
        )
    return printed
