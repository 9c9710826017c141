"""Conditions of a CRD, and the names it is granted.

Upstream's naming and establishing controllers race through the API; here one pure function says what they end up with.
Names are unique within a group: plural, singular and short names share one set, kind and list kind another. Who comes
first keeps a name; the other CRD is served under what was free and tells the conflict in `NamesAccepted`.
"""

from __future__ import annotations

from collections.abc import Iterable

from argosy.api.crds.approvals import approval_condition
from argosy.base.fielderrors import quote
from argosy.base.types import Json, Object

# Holds a deleted CRD until the last of its objects has gone.
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"

_RESOURCES = (("plural", "PluralConflict"), ("singular", "SingularConflict"))
_KINDS = (("kind", "KindConflict"), ("listKind", "ListKindConflict"))


def find(crd: Object, kind: str) -> Object | None:
    """The condition of this type."""
    conditions: Iterable[Object] = (crd.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one.get("type") == kind), None)


def is_true(crd: Object, kind: str) -> bool:
    found = find(crd, kind)
    return found is not None and found.get("status") == "True"


def accept_names(crd: Object, others: Iterable[Object], now: str) -> Object:
    """The status of a CRD once its names are judged against those other CRDs of its group were granted.

    `now` is the time of transitions (RFC 3339). Returns a new status; equal to the old one when nothing changes.
    """
    spec: Object = crd["spec"]
    status: Object = dict(crd.get("status") or {})
    granted, conflict = _grant(spec, status.get("acceptedNames") or {}, _taken(crd, others))
    status["acceptedNames"] = granted
    if conflict is None:
        accepted = _condition("NamesAccepted", "True", "NoConflicts", "no conflicts found")
    else:
        accepted = _condition("NamesAccepted", "False", *conflict)
    conditions = [accepted]
    if not is_true(crd, "Established"):
        if conflict is None:
            text = "the initial names have been accepted"
            conditions.append(_condition("Established", "True", "InitialNamesAccepted", text))
        else:
            text = "not all names are accepted"
            conditions.append(_condition("Established", "False", "NotAccepted", text))
    approved = approval_condition(crd)
    if approved is not None:
        conditions.append(approved)
    status["conditions"] = _merged(status.get("conditions") or [], conditions, now)
    return status


def begin_ending(crd: Object, now: str) -> None:
    """Mark a CRD that is deleted, in place: it stays until its objects are gone."""
    finalizers: list[str] = crd["metadata"].setdefault("finalizers", [])
    if CLEANUP not in finalizers:
        finalizers.append(CLEANUP)
    set_terminating(
        crd,
        now,
        "InstanceDeletionPending",
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    )


def set_terminating(crd: Object, now: str, reason: str, message: str) -> None:
    """Say how far the end of a CRD has come, in place."""
    status: Object = crd.setdefault("status", {})
    news = [_condition("Terminating", "True", reason, message)]
    status["conditions"] = _merged(status.get("conditions") or [], news, now)


def _taken(crd: Object, others: Iterable[Object]) -> tuple[set[str], set[str]]:
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        if other["spec"].get("group") != crd["spec"].get("group"):
            continue
        if other["metadata"].get("name") == crd["metadata"].get("name"):
            continue
        names: Object = (other.get("status") or {}).get("acceptedNames") or {}
        resources.update(
            (names.get("plural", ""), names.get("singular", "")), names.get("shortNames") or ()
        )
        kinds.update((names.get("kind", ""), names.get("listKind", "")))
    return resources - {""}, kinds - {""}


def _grant(
    spec: Object, held: Object, taken: tuple[set[str], set[str]]
) -> tuple[Object, tuple[str, str] | None]:
    """The names granted, and the last conflict as (reason, message)."""
    asked: Object = spec["names"]
    granted: Object = {"plural": held.get("plural", ""), "kind": held.get("kind", "")}
    granted |= {
        name: held[name] for name in ("singular", "shortNames", "listKind") if held.get(name)
    }
    conflict: tuple[str, str] | None = None
    resources, kinds = taken
    for name, reason in _RESOURCES:
        conflict = _grant_one(asked, held, granted, name, resources, reason) or conflict
    short: list[str] = asked.get("shortNames") or []
    clashes = [
        one for one in short if one in resources and one not in (held.get("shortNames") or ())
    ]
    if clashes:
        conflict = (
            "ShortNamesConflict",
            _aggregate([f"{quote(one)} is already in use" for one in clashes]),
        )
    else:
        _set(granted, "shortNames", short)
    for name, reason in _KINDS:
        conflict = _grant_one(asked, held, granted, name, kinds, reason) or conflict
    _set(granted, "categories", asked.get("categories"))
    return granted, conflict


def _grant_one(
    asked: Object, held: Object, granted: Object, name: str, taken: set[str], reason: str
) -> tuple[str, str] | None:
    wanted = asked.get(name, "")
    if wanted != held.get(name, "") and wanted in taken:
        return reason, f"{quote(wanted)} is already in use"
    granted[name] = wanted
    return None


def _set(names: Object, name: str, value: Json) -> None:
    if value:
        names[name] = value
    else:
        names.pop(name, None)


def _aggregate(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _condition(kind: str, status: str, reason: str, message: str) -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def _merged(held: list[Object], news: Iterable[Object], now: str) -> list[Object]:
    merged = [dict(one) for one in held]
    for new in news:
        old = next((one for one in merged if one["type"] == new["type"]), None)
        if old is None:
            merged.append(
                {"type": new["type"], "status": new["status"], "lastTransitionTime": now} | new
            )
            continue
        if old["status"] != new["status"] or not old.get("lastTransitionTime"):
            old["lastTransitionTime"] = now
        old |= new
    return merged
