"""update: the whole object is replaced, and what every other change of an existing object ends in.

`replace` is PUT. `change` takes the new state of an object and its old one, however the new one came to be (PUT, any
patch, apply, scale), and does the rest: what may not change is put back, admission, generation, validation, and the
write, or the removal when the last finalizer of a deleted object has gone. A change that changes nothing writes
nothing and keeps the revision.
"""

from __future__ import annotations

from collections.abc import Awaitable

from argosy.apiserver import bodies, encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import creating, metadata, owning, storing, validating
from argosy.base import fielderrors
from argosy.base.errors import Invalid
from argosy.base.types import Object
from argosy.store import Mismatch, Record


async def replace(cluster: Cluster, call: Call, new: Object) -> tuple[Record, bool]:
    """PUT. The flag says whether the object is new."""
    pending, created = _replaced(cluster, call, new)
    del new
    return await pending, created


def _replaced(cluster: Cluster, call: Call, new: Object) -> tuple[Awaitable[Record], bool]:
    metadata.check_scope(call, new)
    current = cluster.store.latest(call.key)
    if current is None:
        if not call.kind.rules.create_on_update or call.subresource:
            raise call.not_found()
        return creating.create(cluster, call, new), True
    old = encoding.from_bytes(call.kind, current.raw)
    metadata.check_uid(call, new, old)
    _check_revision(call, new, current)
    metadata.dedupe_owners(call, new)
    owning.track(cluster, call, new, old)
    return change(cluster, call, new, old, current), False


def _check_revision(call: Call, new: Object, current: Record) -> None:
    given = new["metadata"].get("resourceVersion", "")
    if not storing.revision(given) and not call.kind.rules.unconditional_update:
        problem = fielderrors.invalid(
            "metadata.resourceVersion", 0, "must be specified for an update"
        )
        plural, _, group = call.kind.stored_resource.partition(".")
        raise Invalid(plural, call.name, [problem], group=group)
    storing.check_revision(call, given, current)


def change(
    cluster: Cluster, call: Call, new: Object, old: Object, current: Record
) -> Awaitable[Record]:
    """`new` and `old` must not share parts: hooks write into `new`."""
    metadata.carry_over(call, new, old)
    new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
    _prepare(call, new, old)
    for plugin in cluster.admission:
        plugin.admit(cluster, call, new, old)
    # What admission fills in is no change when it was there before.
    metadata.count_generation(call, new, old)
    metadata.dedupe_owners(call, new, admitted=True)
    validating.check_update(call, new, old, cluster.memory)
    bodies.read_back(call, new)
    for plugin in cluster.admission:
        plugin.validate(cluster, call, new, old)
    new = owning.settled(new, old)
    if new == old:
        return storing.ready(current)
    try:
        if _is_gone(call, new):
            # The answer shows what was asked for; the revision of its end is the watchers'.
            shown = Record(current.key, current.revision, encoding.to_bytes(new), current.meta)
            return _shown(storing.remove(cluster, call, new, expect=current.revision), shown)
        return storing.store(cluster, call, new, expect=current.revision)
    except Mismatch:
        raise call.conflict(
            "the object has been modified; please apply your changes to the latest version and try again"
        ) from None


async def _shown(pending: Awaitable[Record], record: Record) -> Record:
    await pending
    return record


def _prepare(call: Call, new: Object, old: Object) -> None:
    """Each endpoint changes its own part only."""
    rules = call.kind.rules
    if call.subresource == "status":
        _keep_all_but_status(call, new, old)
        if rules.prepare_status is not None:
            rules.prepare_status(new, old)
        return
    if "status" in call.served.subresources:
        if "status" in old:
            new["status"] = old["status"]
        else:
            new.pop("status", None)
    if rules.prepare_update is not None:
        rules.prepare_update(new, old)


def _keep_all_but_status(call: Call, new: Object, old: Object) -> None:
    """Custom kinds keep their whole metadata too; built-in ones take labels and annotations unless their rules say
    otherwise.
    """
    for field in (new.keys() | old.keys()) - {"metadata", "status", "apiVersion", "kind"}:
        if field in old:
            new[field] = old[field]
        else:
            del new[field]
    if call.kind.custom:
        managed = new["metadata"].get("managedFields")
        new["metadata"] = dict(old["metadata"])
        if managed is not None:
            new["metadata"]["managedFields"] = managed


def _is_gone(call: Call, obj: Object) -> bool:
    """A deleted object whose last finalizer was taken away, and whose grace is over."""
    meta = obj["metadata"]
    if not meta.get("deletionTimestamp") or meta.get("finalizers"):
        return False
    # A namespace has finalizers of its own, which its emptying ends with.
    if call.kind.resource == "namespaces" and (obj.get("spec") or {}).get("finalizers"):
        return False
    return not meta.get("deletionGracePeriodSeconds")
