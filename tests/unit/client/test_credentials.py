"""Credentials that change: token files and exec plugins. In virtual time."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from argosy.base.clock import VirtualClock
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.credentials import (
    Credential,
    CredentialError,
    ExecCredentials,
    ExecPlugin,
    TokenFile,
    run_command,
)

V1 = "client.authentication.k8s.io/v1"


class Plugin:
    """Answers like an exec plugin and counts how often it was asked."""

    def __init__(self, **status: str) -> None:
        self.status = status
        self.version = V1
        self.asked: list[Object] = []

    async def __call__(self, argv: Sequence[str], env: Mapping[str, str]) -> bytes:
        self.asked.append(json.loads(env["KUBERNETES_EXEC_INFO"]))
        await asyncio.sleep(1)
        status = {**self.status, "token": f"{self.status.get('token', 't')}{len(self.asked)}"}
        answer = {"apiVersion": self.version, "kind": "ExecCredential", "status": status}
        return json.dumps(answer).encode()


def test_a_token_file_is_read_again_after_a_minute(tmp_path: Path) -> None:
    async def main() -> list[str]:
        path, clock = tmp_path / "token", VirtualClock()
        path.write_text("one\n")
        source = TokenFile(path, clock)
        tokens = [(await source.current()).token]
        path.write_text("two")
        tokens.append((await source.current()).token)
        await clock.sleep(61)
        tokens.append((await source.current()).token)
        path.write_text("three")
        source.invalidate()
        tokens.append((await source.current()).token)
        return tokens

    assert run_virtual(main()) == ["one", "one", "two", "three"]


@pytest.mark.parametrize("content", [None, "  "], ids=["missing", "empty"])
def test_a_token_file_that_has_no_token(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "token"
    if content is not None:
        path.write_text(content)

    async def main() -> None:
        await TokenFile(path, VirtualClock()).current()

    with pytest.raises(CredentialError, match=str(path)):
        run_virtual(main())


def test_a_plugin_is_asked_once_for_many_and_again_when_expired_or_refused() -> None:
    async def main() -> tuple[list[str], list[Object]]:
        plugin = Plugin(expirationTimestamp="2026-01-01T00:10:00Z")
        clock = VirtualClock()
        source = ExecCredentials(ExecPlugin("login", cluster={"server": "s"}), clock, plugin)
        first = await asyncio.gather(*(source.current() for _ in range(5)))
        tokens = sorted({c.token for c in first})
        await clock.sleep(700)
        plugin.status = {}
        tokens.append((await source.current()).token)
        source.invalidate()
        tokens.append((await source.current()).token)
        return tokens, plugin.asked

    tokens, asked = run_virtual(main())
    assert tokens == ["t1", "t2", "t3"]
    want = {
        "kind": "ExecCredential",
        "apiVersion": V1,
        "spec": {"interactive": False, "cluster": {"server": "s"}},
    }
    assert asked == [want] * 3


def test_a_plugin_can_give_a_certificate() -> None:
    async def main() -> Credential:
        plugin = Plugin(clientCertificateData="CERT", clientKeyData="KEY")
        return await ExecCredentials(ExecPlugin("login"), VirtualClock(), plugin).current()

    assert run_virtual(main()) == Credential("t1", b"CERT", b"KEY")


async def missing(argv: Sequence[str], env: Mapping[str, str]) -> bytes:
    raise FileNotFoundError


def printing(text: str) -> object:
    async def run(argv: Sequence[str], env: Mapping[str, str]) -> bytes:
        return text.encode()

    return run


BROKEN = {
    "not installed": (missing, "exec plugin login is not installed; get it here"),
    "no JSON": (printing("hello"), "exec plugin login printed no ExecCredential"),
    "another version": (
        printing(json.dumps({"apiVersion": "v9"})),
        f"configured to use API version {V1}, plugin returned version v9",
    ),
    "no status": (
        printing(json.dumps({"apiVersion": V1})),
        "didn't return a token or cert/key pair",
    ),
}


@pytest.mark.parametrize(("run", "want"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_plugin_is_named(run: object, want: str) -> None:
    async def main() -> None:
        plugin = ExecPlugin("login", install_hint="get it here")
        await ExecCredentials(plugin, VirtualClock(), run).current()  # type: ignore[arg-type]

    with pytest.raises(CredentialError, match=want):
        run_virtual(main())


def test_an_unknown_plugin_version_is_refused_at_once() -> None:
    with pytest.raises(CredentialError, match="v1alpha1' is not supported; use"):
        ExecCredentials(ExecPlugin("login", api_version="v1alpha1"), VirtualClock())


def test_commands_run_with_the_given_environment() -> None:
    code = "import os, sys; print(os.environ['X'], end=''); sys.exit(int(os.environ['CODE']))"
    argv = [sys.executable, "-c", code]
    assert asyncio.run(run_command(argv, {"X": "hi", "CODE": "0"})) == b"hi"
    with pytest.raises(CredentialError, match="exit code 3"):
        asyncio.run(run_command(argv, {"X": "", "CODE": "3"}))


def test_secrets_are_not_printed() -> None:
    assert "secret" not in repr(Credential("secret", b"CERT", b"secret"))
