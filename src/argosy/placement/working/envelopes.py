"""Envelopes: boxes of objects that must not exist on the hub itself. Each becomes a Work of its own.

A ClusterResourceEnvelope holds cluster-scoped objects only, a ResourceEnvelope only objects of its own namespace. What
is in one goes out ordered by its JSON, backwards, so that equal content makes equal Works.

The name of an envelope's Work is made of the envelope's identity. Older releases drew it at random: a Work that has the
envelope's labels is used whatever its name. Two of them are for people to look at, because a member may have applied
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.works import SentWork
from argosy.client.resources import CLUSTER_RESOURCE_ENVELOPES
from argosy.placement.overriding.identities import content, identify
from argosy.placement.overriding.matching import Identified

_DIGITS: Final = 16


class EnvelopeRefused(Exception):
    """An envelope holds what it must not; its text says what."""


class DuplicateWorks(Exception):
    """More than one Work stands for an envelope."""

    def __init__(self, envelope: Identified, works: Sequence[str], namespace: str) -> None:
        super().__init__(
            f"{len(works)} work objects found for the same envelope {place(envelope)}, only one expected"
        )
        self.event: Final = (
            f"Multiple Work objects ([{' '.join(works)}]) found for envelope {place(envelope)} "
            f"in namespace {namespace}; delete all but the oldest to recover"
        )


class Packed(NamedTuple):
    """An object in an envelope."""

    who: Identified
    manifest: msgspec.Raw


def unpacked(envelope: Identified, manifest: msgspec.Raw) -> list[Packed]:
    """What is in an envelope, in the order it goes out. Raises EnvelopeRefused."""
    found: list[Packed] = []
    for key, raw in sorted(content(manifest).items()):
        try:
            who = identify(raw)
        except msgspec.DecodeError as error:
            raise EnvelopeRefused(
                "failed to parse the wrapped manifest data to a Kubernetes runtime object "
                f"(manifestKey={key},envelopeObjRef={place(envelope)}): {error}"
            ) from error
        _check(envelope, key, who)
        found.append(Packed(who, raw))
    if len(found) > 1:
        found.sort(key=_canonical, reverse=True)
    return found


def _canonical(packed: Packed) -> bytes:
    """The JSON as upstream's server writes it, whatever order the keys have here."""
    return msgspec.json.encode(msgspec.json.decode(packed.manifest), order="deterministic")


def _check(envelope: Identified, key: str, who: Identified) -> None:
    what = f"{key} ({place(who)})"
    if envelope.kind == CLUSTER_RESOURCE_ENVELOPES.kind:
        if who.namespace:
            raise EnvelopeRefused(
                f"a namespaced object {what} has been wrapped in a cluster resource envelope "
                f"{place(envelope)}"
            )
    elif not who.namespace:
        raise EnvelopeRefused(
            f"a cluster scope object {what} has been wrapped in a resource envelope "
            f"{place(envelope)}"
        )
    elif who.namespace != envelope.namespace:
        raise EnvelopeRefused(
            f"a namespaced object {what} in has been wrapped in a resource envelope from another "
            f"namespace ({place(envelope)})"
        )


def work_name(prefix: str, envelope: Identified) -> str:
    """`prefix` is the name of the Work of the shard that holds the envelope."""
    identity = f"{envelope.kind}/{envelope.namespace}/{envelope.name}"
    return f"{prefix}-envelope-{sha256(identity.encode()).hexdigest()[:_DIGITS]}"


def labels_of(envelope: Identified) -> dict[str, str]:
    labels = {names.ENVELOPE_TYPE: envelope.kind, names.ENVELOPE_NAME: envelope.name}
    if envelope.namespace:
        labels[names.ENVELOPE_NAMESPACE] = envelope.namespace
    return labels


def standing_for(envelope: Identified, works: Sequence[SentWork]) -> SentWork | None:
    """The Work of a binding that stands for an envelope already. Raises DuplicateWorks."""
    wanted = labels_of(envelope).items()
    found = [each for each in works if wanted <= each.metadata.labels.items()]
    if len(found) > 1:
        where = found[0].metadata.namespace
        raise DuplicateWorks(envelope, [each.metadata.name for each in found], where)
    return found[0] if found else None


def place(who: Identified) -> str:
    return f"{who.namespace}/{who.name}" if who.namespace else who.name
