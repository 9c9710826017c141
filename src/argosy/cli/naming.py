"""`TYPE[.VERSION][.GROUP]/NAME` as users name things: which resource is meant, by what the cluster serves.

A type is a plural, a singular, a short name or a kind, in any case; of several groups that have it the cluster's first
counts, as with kubectl. Discovery is asked in one document per half of the API (Kubernetes 1.27 and newer).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from argosy.base.types import Object
from argosy.cli.connecting import CommandError, Session
from argosy.client.objects import decode
from argosy.client.resources import Resource

_AGGREGATED: Final = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json"
)


async def find_resource(session: Session, text: str) -> Resource:
    """The resource that a type means."""
    wanted = text.lower()
    for root in ("/api", "/apis"):
        answer = msgspec.json.decode(await session.client.fetch(root, accept=_AGGREGATED))
        if answer.get("kind") != "APIGroupDiscoveryList":
            raise CommandError(
                "the server does not tell all its resources at once, as Kubernetes 1.27 and newer do: "
                f'"{text}" cannot be looked up'
            )
        for resource, names in _served(answer):
            if wanted in names:
                return resource
    raise CommandError(f'the server doesn\'t have a resource type "{text}"')


def _served(answer: Object) -> Iterator[tuple[Resource, set[str]]]:
    """Every resource with all names it goes by, in the cluster's order."""
    for group in answer["items"]:
        name = str(group["metadata"].get("name", ""))
        for version in group["versions"]:
            for one in version.get("resources", ()):
                resource = Resource(
                    name,
                    version["version"],
                    one["resource"],
                    (one.get("responseKind") or {}).get("kind", ""),
                    one["scope"] == "Namespaced",
                )
                yield resource, _names(resource, one)


def _names(resource: Resource, one: Object) -> set[str]:
    words = {resource.plural, one.get("singularResource", ""), resource.kind.lower()}
    words |= set(one.get("shortNames") or ())
    words.discard("")
    if resource.group:
        words |= {f"{word}.{resource.group}" for word in words}
        words |= {
            f"{word}.{resource.version}.{resource.group}" for word in words if "." not in word
        }
    return words


def split_name(text: str, complaint: str) -> tuple[str, str]:
    """Type and name."""
    parts = text.split("/")
    if len(parts) > 2:
        raise CommandError("arguments in resource/name form may not have more than one slash")
    if len(parts) < 2 or not all(parts):
        raise CommandError(complaint)
    return parts[0], parts[1]


async def find_object(
    session: Session, kind: str, name: str, *, all_namespaces: bool = False
) -> tuple[Resource, Object | None]:
    """The object of a type and name, in the session's namespace or the first that has one."""
    resource = await find_resource(session, kind)
    found = await session.client.list(
        resource,
        namespace=None if all_namespaces else session.namespace,
        field_selector=f"metadata.name={name}",
    )
    return resource, decode(found.items[0]) if found.items else None
