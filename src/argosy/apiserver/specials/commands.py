"""pods/exec and pods/attach: a client's terminal joined to a process in a container.

Everything that can be known before is checked before the connection is upgraded, in kube-apiserver's order and words:
the right to create (a GET alone does not do, though WebSockets begin with one), the pod, the container, the node. Then
client and command run side by side, and whoever ends first ends the other: the command's exit code goes to the client
as a Status on the error channel, a client that goes away cancels the command.

The streams travel on a WebSocket (`channels`) or, for older clients, as SPDY streams (`multiplexes`): a `Carrier` hides
which.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Final, Protocol

from argosy.apiserver import encoding
from argosy.apiserver.access.attributes import Attributes, Authorizer
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http import websockets
from argosy.apiserver.http.messages import Duplex, Request, Upgrading
from argosy.apiserver.http.websockets import WebSocket
from argosy.apiserver.specials import channels, multiplexes
from argosy.apiserver.specials.channels import Channels
from argosy.apiserver.specials.multiplexes import Multiplex
from argosy.apiserver.specials.streams import (
    ExecRequest,
    ExecSource,
    Streams,
    container_not_found,
)
from argosy.base.errors import BadRequest, InternalError, StatusError
from argosy.base.types import Object

logger = logging.getLogger(__name__)

SUCCESS: Final[Object] = {"metadata": {}, "status": "Success"}
_ENDED: Final = frozenset({"Succeeded", "Failed"})
_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")


class Carrier(Streams, Protocol):
    """A command's streams with the connection below them."""

    async def open(self) -> None:
        """Until the client is ready; raises ConnectionError for one that never is."""

    async def pump(self) -> None:
        """Hand on what the client sends; must run beside the command. Returns when the client is gone."""

    async def tell(self, status: Object) -> None:
        """The last word: how it ended."""

    async def close(self) -> None:
        """Hear the client out, so that it gets everything that was sent to it."""

    def hang_up(self) -> None:
        """End in the middle, because this side stops. Nothing where the end has been said already."""


# A command joined to streams, to its end: what the client is told of it.
Running = Callable[[Streams], Coroutine[None, None, Object]]


class Commands:
    """The two subresources over a source; without one no container runs anything."""

    def __init__(self, authorizer: Authorizer, source: ExecSource | None) -> None:
        self._authorizer = authorizer
        self._source = source

    async def exec(self, cluster: Cluster, call: Call, request: Request) -> Upgrading:
        pod = self._pod(cluster, call)
        asked = _asked(pod, request)
        source = self._ready(pod, asked)
        if not asked.command:
            raise BadRequest("you must specify at least one command for the container")

        async def run(streams: Streams) -> Object:
            return exit_status(await source.exec(pod, asked, streams))

        return _upgraded(request, asked, run)

    async def attach(self, cluster: Cluster, call: Call, request: Request) -> Upgrading:
        pod = self._pod(cluster, call)
        asked = _asked(pod, request)
        source = self._ready(pod, asked)

        async def run(streams: Streams) -> Object:
            # As from a kubelet: how the container ended is told by the pod's status, not here.
            await source.attach(pod, asked, streams)
            return SUCCESS

        return _upgraded(request, asked, run)

    def _pod(self, cluster: Cluster, call: Call) -> Object:
        may_create(self._authorizer, call)
        return find_pod(cluster, call)

    def _ready(self, pod: Object, asked: ExecRequest) -> ExecSource:
        check_placed(pod)
        if self._source is None or (pod.get("status") or {}).get("phase") in _ENDED:
            raise container_not_found(asked.container)
        if not (asked.stdin or asked.stdout or asked.stderr):
            raise BadRequest("you must specify at least 1 of stdin, stdout, stderr")
        return self._source


# What port-forward checks too.


def may_create(authorizer: Authorizer, call: Call) -> None:
    """Who may only get pods/exec may not exec, although a WebSocket begins with a GET."""
    if call.verb == "create":
        return
    asked = Attributes(
        "create", group=call.kind.group, version=call.version, resource=call.kind.plural,
        subresource=call.subresource, namespace=call.namespace, name=call.name,
    )  # fmt: skip
    allowed, why = authorizer.allows(call.user, asked)
    if not allowed:
        raise call.forbidden(why)


def find_pod(cluster: Cluster, call: Call) -> Object:
    record = cluster.store.get(call.key)
    if record is None:
        raise call.not_found()
    return encoding.from_bytes(call.kind, record.raw)


def check_placed(pod: Object) -> None:
    if not pod["spec"].get("nodeName"):
        raise BadRequest(f"pod {pod['metadata']['name']} does not have a host assigned")


async def first_of(work: Awaitable[None], client: Awaitable[None]) -> bool:
    """Run both until one ends, and end the other; whether it was the work that ended."""
    working, listening = asyncio.ensure_future(work), asyncio.ensure_future(client)
    both = {working, listening}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        # The one that has ended, too: if nobody waits for us any more, nobody else hears how it did.
        await cancelled(both)
    if working.cancelled():
        listening.result()
        return False
    working.result()
    return True


async def cancelled(tasks: Iterable[asyncio.Future[None]]) -> None:
    """Cancel all of them, and wait until they have ended, however they do."""
    ending = list(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)


def exit_status(code: int) -> Object:
    """What a client is told of a command's end."""
    if code == 0:
        return SUCCESS
    return {
        "metadata": {},
        "status": "Failure",
        "message": "command terminated with non-zero exit code: "
        f"command terminated with exit code {code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }


def _asked(pod: Object, request: Request) -> ExecRequest:
    query = request.query
    tty = _true(query, "tty")
    return ExecRequest(
        _container(pod, query.get("container", "")),
        tuple(request.values("command")),
        stdin=_true(query, "stdin"),
        stdout=_true(query, "stdout"),
        # A terminal has one output.
        stderr=_true(query, "stderr") and not tty,
        tty=tty,
    )


def _container(pod: Object, asked: str) -> str:
    name, spec = pod["metadata"]["name"], pod["spec"]
    names = [c["name"] for field in _CONTAINERS for c in spec.get(field) or ()]
    if asked:
        if asked not in names:
            raise BadRequest(f"container {asked} is not valid for pod {name}")
        return asked
    if len(spec["containers"]) == 1:
        return str(spec["containers"][0]["name"])
    raise BadRequest(
        f"a container name must be specified for pod {name}, choose one of: [{' '.join(names)}]"
    )


def _true(query: dict[str, str], name: str) -> bool:
    return query.get(name, "false").lower() not in {"false", "0"}


def _upgraded(request: Request, asked: ExecRequest, running: Running) -> Upgrading:
    carry: Callable[[Duplex], Carrier]
    if request.upgrade == "websocket" and request.method == "GET":
        protocol = websockets.choose(request, channels.PROTOCOLS)
        headers = websockets.accept(request, protocol)
        carry = lambda duplex: Channels(WebSocket(duplex), asked, protocol)  # noqa: E731  (both say it at a glance)
    elif request.upgrade == multiplexes.UPGRADE:
        headers = multiplexes.accept(request, multiplexes.PROTOCOLS)
        carry = lambda duplex: Multiplex(duplex, asked)  # noqa: E731
    else:
        raise BadRequest("Upgrade request required")

    async def run(duplex: Duplex) -> None:
        carrier = carry(duplex)
        try:
            if await first_of(_work(carrier, running), carrier.pump()):
                await carrier.close()
        finally:
            carrier.hang_up()

    return Upgrading(run, headers)


async def _work(carrier: Carrier, running: Running) -> None:
    """The command from its start to what the client is told of its end, also when it failed."""
    await carrier.open()
    try:
        status = await running(carrier)
    except StatusError as error:
        status = error.to_status()
    except OSError as error:
        status = InternalError(
            f"Internal error occurred: error executing command in container: {error}"
        ).to_status()
    except (
        Exception
    ):  # the task boundary of a source: the client hears of a defect, the server goes on
        logger.exception("a command in a container failed")
        status = InternalError(
            "Internal error occurred: error executing command in container: see the server's log"
        ).to_status()
    await carrier.tell(status)
