"""Who owns an object on the member, and whether a Work may have it.

A Work's objects belong to its AppliedWork, so they go when it goes. An object belongs to one AppliedWork at most, even
where other owners are allowed beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.base.types import Json, Object
from argosy.client.resources import APPLIED_WORKS

_FIELDS: Final = ("apiVersion", "kind", "name", "uid")


class NotOurs(Exception):
    """The Work may not have the object; the text says why."""


def owner_of(name: str, uid: str) -> Object:
    """The reference by which an object belongs to an AppliedWork."""
    return {
        "apiVersion": APPLIED_WORKS.api_version,
        "kind": APPLIED_WORKS.kind,
        "name": name,
        "uid": uid,
        "blockOwnerDeletion": True,
    }


def owners(obj: Object) -> list[Object]:
    meta: Json = obj.get("metadata")
    found: Json = meta.get("ownerReferences") if isinstance(meta, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def is_owned(obj: Object, owner: Object) -> bool:
    return any(is_same(each, owner) for each in owners(obj))


def is_same(one: Object, other: Object) -> bool:
    return all(one.get(field) == other.get(field) for field in _FIELDS)


def is_applied_work(owner: Object) -> bool:
    return (
        owner.get("apiVersion") == APPLIED_WORKS.api_version
        and owner.get("kind") == APPLIED_WORKS.kind
    )


def after_take_over(
    obj: Object, owner: Object, is_there: Callable[[str], bool], *, may_share: bool
) -> list[Object]:
    """The owners of an object that a Work takes over.

    `is_there` tells whether there is a Work of a name. AppliedWorks of Works that are no more have been left behind by
    a fleet the cluster was in before: they lose the object. Raises NotOurs where others remain that may not.
    """
    kept = [
        each for each in owners(obj) if not is_applied_work(each) or is_there(str(each.get("name")))
    ]
    if kept and not may_share:
        raise NotOurs(
            "the object is already owned by some other sources(s) and co-ownership is disallowed "
            f"(existingOwnerRefs: [{' '.join(map(_printed, kept))}])"
        )
    if _is_anothers(kept, owner):
        raise NotOurs("the object is already owned by another Fleet AppliedWork object")
    return [*kept, owner]


def check_before_apply(
    manifest: Object, live: Object | None, owner: Object, *, may_share: bool
) -> None:
    """Raises NotOurs if owners forbid to apply; co-ownership may have been allowed once and no more."""
    brought = owners(manifest)
    if brought and not may_share:
        raise NotOurs("manifest is set to have owner references but co-ownership is disallowed")
    if any(map(is_applied_work, brought)):
        raise NotOurs(
            "an AppliedWork object is unexpectedly added as an owner in the manifest object"
        )
    if live is None:
        return
    found = owners(live)
    if len(found) > 1 and not may_share:
        raise NotOurs("object is co-owned by multiple objects but co-ownership has been disallowed")
    if _is_anothers(found, owner):
        raise NotOurs("object is already owned by another AppliedWork object")


def _is_anothers(found: list[Object], owner: Object) -> bool:
    return any(is_applied_work(each) and each.get("uid") != owner["uid"] for each in found)


def _printed(owner: Object) -> str:
    """As Go prints the struct; a flag's value stands where Go would print its address."""
    flags = (
        f"{name}:{str(value).lower() if value is not None else '<nil>'}"
        for name, value in (
            ("Controller", owner.get("controller")),
            ("BlockOwnerDeletion", owner.get("blockOwnerDeletion")),
        )
    )
    return (
        f"{{APIVersion:{owner.get('apiVersion', '')} Kind:{owner.get('kind', '')} "
        f"Name:{owner.get('name', '')} UID:{owner.get('uid', '')} {' '.join(flags)}}}"
    )
