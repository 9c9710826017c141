"""Errors of every class, whole: code, reason, message and details are the same over every client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from argosy.base.errors import (
    AlreadyExists,
    BadRequest,
    Cause,
    Conflict,
    Details,
    Forbidden,
    Invalid,
    MethodNotAllowed,
    NotFound,
    StatusError,
)
from argosy.base.types import Json
from argosy.client.protocol import Client
from argosy.client.resources import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    JOBS,
    NAMESPACES,
    NODES,
    PODS,
    Resource,
)
from tests.behaviour.clients.conftest import Place

Story = Callable[[Client, str], Awaitable[Json]]
BINDINGS = Resource("", "v1", "bindings", "Binding")


async def twice(client: Client, ns: str) -> None:
    for _ in range(2):
        await client.create(DEPLOYMENTS, deployment("web"), namespace=ns)


def deployment(name: str) -> Json:
    labels = {"app": "web"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    return {
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": labels}, "template": pod},
    }


async def stale(client: Client, ns: str) -> None:
    await client.create(DEPLOYMENTS, deployment("web"), namespace=ns)
    body = deployment("web")
    body["metadata"]["resourceVersion"] = "1"
    await client.update(DEPLOYMENTS, body, namespace=ns)


ERRORS: dict[str, tuple[Story, type[StatusError], int, str, str, Details | None]] = {
    "an object that is not there": (
        lambda c, ns: c.get(JOBS, "nope", namespace=ns),
        NotFound, 404, "NotFound", 'jobs.batch "nope" not found',
        Details(name="nope", group="batch", kind="jobs"),
    ),
    "a patch of nothing": (
        lambda c, ns: c.patch(JOBS, "nope", {}, namespace=ns),
        NotFound, 404, "NotFound", 'jobs.batch "nope" not found',
        Details(name="nope", group="batch", kind="jobs"),
    ),
    "an update of nothing": (
        lambda c, ns: c.update(DEPLOYMENTS, deployment("nope"), namespace=ns),
        NotFound, 404, "NotFound", 'deployments.apps "nope" not found',
        Details(name="nope", group="apps", kind="deployments"),
    ),
    "a status of nothing": (
        lambda c, ns: c.apply(DEPLOYMENTS, "nope", {}, namespace=ns, field_manager="m", subresource="status"),
        NotFound, 404, "NotFound", 'deployments.apps "nope" not found',
        Details(name="nope", group="apps", kind="deployments"),
    ),
    "an eviction of nothing": (
        lambda c, ns: c.create(
            PODS, {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "nope"}},
            namespace=ns, name="nope", subresource="eviction",
        ),
        NotFound, 404, "NotFound", 'pods "nope" not found', Details(name="nope", kind="pods"),
    ),
    "a namespace that is not there": (
        lambda c, ns: c.create(CONFIG_MAPS, {"metadata": {"name": "a"}}, namespace="no-such"),
        NotFound, 404, "NotFound", 'namespaces "no-such" not found',
        Details(name="no-such", kind="namespaces"),
    ),
    "a kind that is not there": (
        lambda c, ns: c.list(Resource("", "v1", "widgets", "Widget"), namespace=ns),
        NotFound, 404, "NotFound", "the server could not find the requested resource", Details(),
    ),
    "a version that is not there": (
        lambda c, ns: c.get(Resource("apps", "v9", "deployments", "Deployment"), "a", namespace=ns),
        NotFound, 404, "NotFound", "the server could not find the requested resource", Details(),
    ),
    "a list of what cannot be listed": (
        lambda c, ns: c.list(BINDINGS, namespace=ns),
        MethodNotAllowed, 405, "MethodNotAllowed",
        "the server does not allow this method on the requested resource", Details(),
    ),
    "a name that is taken": (
        twice, AlreadyExists, 409, "AlreadyExists", 'deployments.apps "web" already exists',
        Details(name="web", group="apps", kind="deployments"),
    ),
    "an old revision": (
        stale, Conflict, 409, "Conflict",
        ('Operation cannot be fulfilled on deployments.apps "web": the object has been modified; '
        "please apply your changes to the latest version and try again"),
        Details(name="web", group="apps", kind="deployments"),
    ),
    "a broken rule": (
        lambda c, ns: c.create(NODES, {"metadata": {"name": "Not_A_Name"}}),
        Invalid, 422, "Invalid",
        ('Node "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain '
        "must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
        "character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"),
        Details(name="Not_A_Name", kind="Node", causes=(Cause(
            "FieldValueInvalid",
            'Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric '
            "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
            "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            "metadata.name",
        ),)),
    ),
    "a missing name": (
        lambda c, ns: c.create(CONFIG_MAPS, {"metadata": {}}, namespace=ns),
        Invalid, 422, "Invalid",
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        Details(kind="ConfigMap", causes=(Cause(
            "FieldValueRequired", "Required value: name or generateName is required", "metadata.name",
        ),)),
    ),
    "a wrong type": (
        lambda c, ns: c.create(CONFIG_MAPS, {"metadata": {"name": "a"}, "data": {"x": 5}}, namespace=ns),
        BadRequest, 400, "BadRequest",
        ('ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct '
        "field ConfigMap.data of type string"),
        None,
    ),
    "another kind": (
        lambda c, ns: c.create(CONFIG_MAPS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}, namespace=ns),
        BadRequest, 400, "BadRequest",
        ('Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): '
        "unknown conversion"),
        None,
    ),
    "admission": (
        lambda c, ns: c.create(
            PODS,
            {"metadata": {"name": "a"}, "spec": {"serviceAccountName": "nope", "containers": [{"name": "c", "image": "i"}]}},
            namespace=ns,
        ),
        Forbidden, 403, "Forbidden",
        'pods "a" is forbidden: error looking up service account NS/nope: serviceaccount "nope" not found',
        Details(name="a", kind="pods"),
    ),
    "the default namespace is for ever": (
        lambda c, ns: c.delete(NAMESPACES, "default"),
        Forbidden, 403, "Forbidden", 'namespaces "default" is forbidden: this namespace may not be deleted',
        Details(name="default", kind="namespaces"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("story", "kind", "code", "reason", "message", "details"), ERRORS.values(), ids=ERRORS.keys()
)
async def test_errors(
    place: Place,
    story: Story,
    kind: type[StatusError],
    code: int,
    reason: str,
    message: str,
    details: Details | None,
) -> None:
    with pytest.raises(StatusError) as got:
        await story(place.client, place.namespace)
    error = got.value
    assert isinstance(error, kind)
    assert (error.code, error.reason) == (code, reason)
    assert error.message == message.replace("NS", place.namespace)
    assert error.details == details
