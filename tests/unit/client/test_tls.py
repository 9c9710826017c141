"""TLS of the remote client, with real handshakes on the loopback: who is trusted, and by which certificate."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec

from argosy.base.errors import ServiceUnavailable, Unauthorized
from argosy.base.types import Json, Object
from argosy.client import kubeconfig
from argosy.client.credentials import Credential, Fixed
from argosy.client.kubeconfig import ConfigError, Connection
from argosy.client.remote import RemoteClient
from argosy.client.resources import PODS
from tests.fakes.certificates import Authority, private
from tests.fakes.servers import POD, NotingClock

CA = Authority()
OTHER = Authority("other-ca")
SERVER = CA.sign("server", "127.0.0.1", "api.example.com")
JANE = CA.sign("jane")


class Door:
    """An HTTPS server that wants a client certificate of `CA` if told, and remembers who came."""

    def __init__(self, tmp_path: Path, *, certificates: bool = False) -> None:
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        file = tmp_path / "server.pem"
        file.write_bytes(b"".join(SERVER))
        self._context.load_cert_chain(file)
        if certificates:
            self._context.verify_mode = ssl.CERT_REQUIRED
            self._context.load_verify_locations(cadata=CA.pem.decode())
        self.came: list[str] = []

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        assert request.transport is not None
        shown: Json = request.transport.get_extra_info("peercert") or {}
        names = [value for part in shown.get("subject", ()) for _, value in part]
        self.came.append(",".join(names) or request.headers.get("Authorization", "nobody"))
        return web.json_response(POD)

    def play(self, connect: Callable[[str], Connection], times: int = 1) -> None:
        async def main() -> None:
            runner = web.ServerRunner(web.Server(self._answer))
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self._context).start()
            port = runner.addresses[0][1]
            try:
                connection = connect(f"https://127.0.0.1:{port}")
                async with RemoteClient(connection, clock=NotingClock()) as client:
                    for _ in range(times):
                        await client.get(PODS, "a")
            finally:
                await runner.cleanup()

        asyncio.run(main())


def test_the_given_authority_is_trusted_and_no_other(tmp_path: Path) -> None:
    door = Door(tmp_path)
    door.play(lambda url: Connection(url, authority=CA.pem))
    assert door.came == ["nobody"]
    with pytest.raises(ServiceUnavailable, match="certificate verify failed"):
        door.play(lambda url: Connection(url, authority=OTHER.pem))
    with pytest.raises(ServiceUnavailable, match="certificate verify failed"):
        door.play(Connection)
    assert door.came == ["nobody"]


def test_a_client_certificate_says_who_it_is(tmp_path: Path) -> None:
    door = Door(tmp_path, certificates=True)
    door.play(lambda url: Connection(url, Fixed(Credential("", *JANE)), CA.pem))
    assert door.came == ["jane"]
    with pytest.raises(ServiceUnavailable):
        door.play(lambda url: Connection(url, authority=CA.pem))
    with pytest.raises(ServiceUnavailable):
        door.play(lambda url: Connection(url, Fixed(Credential("", *OTHER.sign("eve"))), CA.pem))
    assert door.came == ["jane"]


def test_verification_can_be_switched_off(tmp_path: Path) -> None:
    door = Door(tmp_path)
    door.play(lambda url: Connection(url, Fixed(Credential("t")), insecure=True))
    assert door.came == ["Bearer t"]


def test_the_servers_name_can_be_another(tmp_path: Path) -> None:
    door = Door(tmp_path)
    door.play(lambda url: Connection(url, authority=CA.pem, server_name="api.example.com"))
    assert door.came == ["nobody"]
    with pytest.raises(ServiceUnavailable, match="Hostname mismatch"):
        door.play(lambda url: Connection(url, authority=CA.pem, server_name="evil.example.com"))


UNUSABLE: dict[str, tuple[Connection, str]] = {
    "an authority that is no PEM": (
        Connection("https://s", authority=b"hello"),
        r"certificate-authority of https://s is no PEM",
    ),
    "an authority that is no text": (
        Connection("https://s", authority=b"\xff\xfe"),
        r"certificate-authority of https://s is no PEM",
    ),
    "an authority that is only the frame of one": (
        Connection(
            "https://s", authority=b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
        ),
        r"certificate-authority of https://s is no PEM",
    ),
    "a certificate that is no PEM": (
        Connection("https://s", Fixed(Credential("", b"hello", b"world"))),
        r"client-certificate and client-key for https://s cannot be used",
    ),
    "a certificate with another's key": (
        Connection("https://s", Fixed(Credential("", JANE[0], OTHER.sign("eve")[1]))),
        r"cannot be used: .*; they must be PEM, belong to each other and have no passphrase",
    ),
    "a key under a passphrase": (
        Connection(
            "https://s",
            Fixed(
                Credential("", JANE[0], private(ec.generate_private_key(ec.SECP256R1()), b"secret"))
            ),
        ),
        r"client-certificate and client-key for https://s cannot be used",
    ),
    "an authority that is to be ignored": (
        Connection("https://s", authority=CA.pem, insecure=True),
        r"specifying a root certificates file with the insecure flag is not allowed",
    ),
}


@pytest.mark.parametrize(("connection", "want"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_cannot_be_used_is_said_before_anything_is_sent(
    connection: Connection, want: str
) -> None:
    with pytest.raises(ConfigError, match=want):
        RemoteClient(connection)


PLUGIN = """\
import json, os, pathlib, sys
asked = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
log = pathlib.Path(sys.argv[1])
log.write_text(log.read_text() + json.dumps([asked, os.environ["COLOR"]]) + "\\n" if log.exists() else json.dumps([asked, os.environ["COLOR"]]) + "\\n")
status = json.loads(pathlib.Path(sys.argv[2]).read_text())
if status is None:
    sys.exit("you are not logged in")
print(json.dumps({"apiVersion": asked["apiVersion"], "kind": "ExecCredential", "status": status}))
"""


class Login:
    """A kubeconfig whose user is an exec plugin: a real program of its own."""

    def __init__(self, tmp_path: Path) -> None:
        self._path = tmp_path
        self._status = tmp_path / "status.json"
        self._log = tmp_path / "asked"
        (tmp_path / "plugin.py").write_text(PLUGIN)
        (tmp_path / "ca.crt").write_bytes(CA.pem)

    def says(self, status: Object | None) -> None:
        self._status.write_text(json.dumps(status))

    @property
    def asked(self) -> list[Json]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def connect(self, url: str) -> Connection:
        plugin = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": sys.executable,
            "args": [str(self._path / "plugin.py"), str(self._log), str(self._status)],
            "env": [{"name": "COLOR", "value": "blue"}],
            "provideClusterInfo": True,
            "interactiveMode": "Never",
        }
        extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}
        cluster = {"server": url, "certificate-authority": "ca.crt", "extensions": [extension]}
        file = self._path / "config"
        file.write_text(yaml.safe_dump({
            "current-context": "c",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"exec": plugin}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        }))  # fmt: skip
        return kubeconfig.load(file)


def test_an_exec_plugin_gives_a_token(tmp_path: Path) -> None:
    login, door = Login(tmp_path), Door(tmp_path)
    login.says({"token": "secret"})
    door.play(login.connect, times=3)
    assert door.came == ["Bearer secret"] * 3
    ((asked, color),) = login.asked
    cluster = asked["spec"]["cluster"]
    assert (asked["kind"], asked["spec"]["interactive"], color) == ("ExecCredential", False, "blue")
    assert base64.b64decode(cluster["certificate-authority-data"]) == CA.pem
    assert (cluster["server"].startswith("https://127.0.0.1:"), cluster["config"]) == (
        True,
        {"audience": "x"},
    )


def test_an_exec_plugin_gives_a_certificate(tmp_path: Path) -> None:
    login, door = Login(tmp_path), Door(tmp_path, certificates=True)
    login.says({"clientCertificateData": JANE[0].decode(), "clientKeyData": JANE[1].decode()})
    door.play(login.connect)
    assert door.came == ["jane"]


def test_an_exec_plugin_is_asked_again_when_its_credential_has_expired(tmp_path: Path) -> None:
    login, door = Login(tmp_path), Door(tmp_path)
    login.says({"token": "old", "expirationTimestamp": "2020-01-01T00:00:00Z"})
    door.play(login.connect, times=2)
    assert len(login.asked) == 2


FAILURES: dict[str, tuple[Object | None, str]] = {
    "it complains": (None, "failed with exit code 1: you are not logged in"),
    "it says nothing": ({}, "didn't return a token or cert/key pair"),
    "it gives half a pair": (
        {"clientCertificateData": "x"},
        "returned only certificate or key, not both",
    ),
    "its certificate is none": (
        {"clientCertificateData": "x", "clientKeyData": "y"},
        "client-certificate and client-key for .* cannot be used",
    ),
    "its expiry is no time": ({"token": "t", "expirationTimestamp": "soon"}, "soon"),
}


@pytest.mark.parametrize(("status", "want"), FAILURES.values(), ids=FAILURES.keys())
def test_an_exec_plugin_that_fails(status: Object | None, want: str, tmp_path: Path) -> None:
    login, door = Login(tmp_path), Door(tmp_path)
    login.says(status)
    with pytest.raises(Unauthorized, match=want):
        door.play(login.connect)
    assert door.came == []


def test_a_proxy_is_asked_to_connect(tmp_path: Path) -> None:
    """An HTTP proxy: CONNECT, then bytes both ways. TLS is with the server, through it."""
    asked: list[str] = []

    async def pipe(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
        sink.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        target = head.split()[1]
        asked.append(head.split()[0])
        host, _, port = target.rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(pipe(reader, far_writer), pipe(far_reader, writer))

    door = Door(tmp_path)

    async def main() -> None:
        proxy = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = proxy.sockets[0].getsockname()[1]
        runner = web.ServerRunner(web.Server(door._answer))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=door._context).start()
        url = f"https://127.0.0.1:{runner.addresses[0][1]}"
        connection = Connection(url, authority=CA.pem, proxy=f"http://127.0.0.1:{port}")
        try:
            async with RemoteClient(connection) as client:
                await client.get(PODS, "a")
        finally:
            await runner.cleanup()
            proxy.close()

    asyncio.run(main())
    assert (asked, door.came) == (["CONNECT"], ["nobody"])
