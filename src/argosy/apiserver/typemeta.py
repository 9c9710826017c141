"""apiVersion and kind of a document: whether they can be read, and whether they are what the path says.

Upstream finds this out in several places, each with words of its own: the decoder reads both before anything else, a
built-in object is converted to the server's own type, and a custom one is validated.
"""

from __future__ import annotations

from typing import Final

from argosy.api.builtin import builtin_kinds
from argosy.apiserver.calls import Call
from argosy.base.errors import BadRequest, Invalid, StatusError
from argosy.base.fielderrors import invalid
from argosy.base.gotext import json_kind
from argosy.base.types import Json, Object

NO_TYPE: Final = "couldn't get version/kind; json parse error: "


def unreadable_type(obj: Json) -> str | None:
    """Why apiVersion and kind of a document cannot be read, in Go's words; null is an empty object."""
    if obj is None:
        return None
    if not isinstance(obj, dict):
        return (
            f"{NO_TYPE}json: cannot unmarshal {json_kind(obj)} into Go value of type struct "
            '{ APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
        )
    for field in ("apiVersion", "kind"):
        value = obj.get(field)
        if value.__class__ is not str and value is not None:
            return (
                f"{NO_TYPE}json: cannot unmarshal {json_kind(value)} into Go struct field "
                f".{field} of type string"
            )
    version = obj.get("apiVersion")
    if version and version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    return None


def wrong_type(call: Call, obj: Object) -> str | None:
    """Why an object is of another kind than the path says; apiVersion and kind may be left out for built-in kinds."""
    given_kind, given_version = obj.get("kind"), obj.get("apiVersion")
    kind = call.kind
    if given_kind == kind.kind and given_version == call.api_version:
        return None
    if kind.custom:
        raise _wrong_custom_type(call, obj)
    given_kind = given_kind or kind.kind
    given_version = given_version or call.api_version
    if given_kind == kind.kind and given_version == call.api_version:
        return None
    internal = f"{kind.group.partition('.')[0] or 'core'}.{kind.kind}"
    return inconvertible(str(given_kind), str(given_version), internal)


def inconvertible(given_kind: str, given_version: str, internal: str) -> str:
    """Why one kind is not another: it could not be converted, or is not known at all."""
    group, _, version = given_version.rpartition("/")
    if any(
        k.group == group and k.kind == given_kind and version in k.versions for k in builtin_kinds()
    ):
        return f"converting ({version}.{given_kind}) to ({internal}): unknown conversion"
    return unregistered(given_kind, given_version)


def unregistered(kind: str, version: str) -> str:
    return f'no kind "{kind}" is registered for version "{version}" in scheme "pkg/runtime/scheme.go:111"'


def _wrong_custom_type(call: Call, obj: Object) -> StatusError:
    kind, version = str(obj.get("kind") or ""), str(obj.get("apiVersion") or "")
    wanted = call.api_version
    if version != wanted and call.verb != "patch":
        return BadRequest(
            f"the API version in the data ({version}) does not match the expected API version ({wanted})"
        )
    problems = []
    if kind != call.kind.kind:
        problems.append(invalid("kind", kind, f"must be {call.kind.kind}"))
    if version != wanted:
        problems.append(invalid("apiVersion", version, f"must be {wanted}"))
    name = str((obj.get("metadata") or {}).get("name", ""))
    return Invalid(kind, name, problems, group=version.rpartition("/")[0])
