"""Kubeconfig files: merging, paths, every way to be somebody, and clear refusals."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
import yaml

from argosy.base.types import Json, Object
from argosy.client.credentials import Credential, ExecCredentials, Fixed, TokenFile
from argosy.client.kubeconfig import ConfigError, Connection, in_cluster, load

CLUSTER = {"name": "c", "cluster": {"server": "https://h:1/"}}
CONTEXT = {"name": "x", "context": {"cluster": "c", "user": "u"}}


def config(user: Object | None = None, **more: Json) -> Object:
    return {
        "current-context": "x",
        "clusters": [CLUSTER],
        "contexts": [CONTEXT],
        "users": [{"name": "u", "user": user or {}}],
        **more,
    }


def write(path: Path, content: Json) -> Path:
    path.write_text(yaml.safe_dump(content))
    return path


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def credential(connection: Connection) -> Credential:
    return asyncio.run(connection.credentials.current())


def test_everything_a_file_can_say(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("CA")
    cluster = {
        "server": "https://h:1/",
        "certificate-authority": "ca.pem",
        "insecure-skip-tls-verify": True,
        "tls-server-name": "name",
        "proxy-url": "http://p",
    }
    user = {
        "token": "t",
        "client-certificate-data": encoded("CERT"),
        "client-key-data": encoded("KEY"),
        "as": "somebody",
        "as-groups": ["g"],
    }
    context = {"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "ns"}}
    content = config(user, clusters=[{"name": "c", "cluster": cluster}], contexts=[context])
    got = load(write(tmp_path / "config", content))
    want = Connection(
        server="https://h:1",
        credentials=Fixed(Credential("t", b"CERT", b"KEY")),
        authority=b"CA",
        insecure=True,
        server_name="name",
        proxy="http://p",
        namespace="ns",
        impersonate="somebody",
        impersonate_groups=("g",),
    )
    assert got == want


def test_the_first_file_that_names_something_wins_and_missing_ones_are_skipped(
    tmp_path: Path,
) -> None:
    first = {"clusters": [{"name": "c", "cluster": {"server": "https://first"}}]}
    files = [
        write(tmp_path / "a", first),
        tmp_path / "missing",
        write(tmp_path / "b", config({"token": "t"})),
    ]
    env = {"KUBECONFIG": ":".join(map(str, files))}
    got = load(env=env)
    assert (got.server, credential(got).token) == ("https://first", "t")


def test_a_context_can_be_chosen(tmp_path: Path) -> None:
    other = {"name": "y", "context": {"cluster": "c", "namespace": "elsewhere"}}
    path = write(tmp_path / "config", config(contexts=[CONTEXT, other]))
    got = load(path, context="y")
    assert (got.namespace, got.credentials) == ("elsewhere", Fixed())


def test_a_token_file_is_relative_to_its_config(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    got = load(write(tmp_path / "config", config({"tokenFile": "token"})))
    assert isinstance(got.credentials, TokenFile)
    assert credential(got).token == "secret"


def test_exec_plugins_are_read(tmp_path: Path) -> None:
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./login",
        "args": ["--x"],
        "env": [{"name": "A", "value": "b"}],
        "provideClusterInfo": True,
        "installHint": "install login",
    }
    got = load(write(tmp_path / "config", config({"exec": plugin}))).credentials
    assert isinstance(got, ExecCredentials)
    assert got._plugin.command == str(tmp_path / "login")
    assert (got._plugin.args, dict(got._plugin.env)) == (("--x",), {"A": "b"})
    assert got._plugin.cluster == {"server": "https://h:1/"}


REFUSED: dict[str, tuple[Json, str]] = {
    "no context": ({**config(), "current-context": ""}, r"no context is chosen; .* name one of x"),
    "an unknown context": ({**config(), "current-context": "z"}, 'context "z" does not exist; there are x'),
    "an unknown cluster": (config(clusters=[]), 'cluster "c" does not exist; there are none'),
    "an unknown user": (config(users=[]), 'user "u" does not exist'),
    "no server": (config(clusters=[{"name": "c", "cluster": {}}]), "cluster c has no server"),
    "a password": (config({"username": "u", "password": "p"}), "use a token, a certificate or exec"),
    "an auth provider": (config({"auth-provider": {"name": "gcp"}}), "use an exec plugin"),
    "a certificate without a key": (config({"client-certificate-data": encoded("C")}), "given together"),
    "no base64": (config({"client-key-data": "%%"}), "client-key-data is no base64"),
    "a missing file": (config({"client-key": "nope"}), "nope cannot be read"),
    "an exec without a command": (config({"exec": {}}), "exec: command is required"),
    "no mapping": (["x"], "is no mapping"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_refusing(content: Json, want: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=want):
        load(write(tmp_path / "config", content))


def test_broken_yaml_and_no_file(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a: [")
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "config")
    with pytest.raises(ConfigError, match="does not exist"):
        load(tmp_path / "nope")


def test_in_cluster(tmp_path: Path) -> None:
    for name, text in {"token": "t", "ca.crt": "CA", "namespace": "ns\n"}.items():
        (tmp_path / name).write_text(text)
    env = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    got = in_cluster(env=env, directory=tmp_path)
    assert (got.server, got.authority, got.namespace) == ("https://10.0.0.1:443", b"CA", "ns")
    assert credential(got).token == "t"
    got = in_cluster(env={**env, "KUBERNETES_SERVICE_HOST": "fd00::1"}, directory=tmp_path)
    assert got.server == "https://[fd00::1]:443"
    with pytest.raises(ConfigError, match="must be defined"):
        in_cluster(env={}, directory=tmp_path)
