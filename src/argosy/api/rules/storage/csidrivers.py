"""CSIDrivers: what a volume driver needs from its cluster.

Whether volumes are attached and which lifecycles there are never changes. Generation is absent at first and counts the
changes of the spec from then on.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import immutable, validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import FieldError, duplicate, invalid, not_supported, required
from argosy.base.types import Object

_FLAGS: Final = ("podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount")
_GROUP_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLES: Final = ("Persistent", "Ephemeral")
_SHORTEST_TOKEN: Final = 600
_LONGEST_TOKEN: Final = 2**32
_SHORTEST_PERIOD: Final = 10
_TOKENS_EXPOSED: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
    "prevent possible logging of tokens in volume attributes"
)


def _default(obj: Object) -> None:
    spec: Object = obj.setdefault("spec", {})
    if spec.get("attachRequired") is None:
        spec["attachRequired"] = True
    for flag in _FLAGS:
        if spec.get(flag) is None:
            spec[flag] = False
    if spec.get("fsGroupPolicy") is None:
        spec["fsGroupPolicy"] = "ReadWriteOnceWithFSType"
    if not spec.get("volumeLifecycleModes"):
        spec["volumeLifecycleModes"] = ["Persistent"]


def _prepare_update(new: Object, old: Object) -> None:
    if new.get("spec") != old.get("spec"):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, False, is_dns1123_subdomain) + _validate_spec(obj)


def _validate_spec(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    # Upstream's path of the first field is not its name.
    fields = {"attachRequired": "attachedRequired", "podInfoOnMount": "", "storageCapacity": ""}
    errors = [
        required(f"spec.{path or field}")
        for field, path in fields.items()
        if spec.get(field) is None
    ]
    policy = spec.get("fsGroupPolicy")
    if policy is not None and policy not in _GROUP_POLICIES:
        errors.append(not_supported("spec.fsGroupPolicy", policy, _GROUP_POLICIES))
    requests = spec.get("tokenRequests") or []
    errors += _validate_tokens(requests, "spec.tokenRequests")
    errors += [
        unsupported("spec.volumeLifecycleModes", mode, _LIFECYCLES)
        for mode in spec.get("volumeLifecycleModes") or ()
        if mode not in _LIFECYCLES
    ]
    if spec.get("seLinuxMount") is None:
        errors.append(required("spec.seLinuxMount"))
    period = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if period is not None and period < _SHORTEST_PERIOD:
        detail = f"must be greater than or equal to {_SHORTEST_PERIOD} seconds"
        errors.append(invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, detail))
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not requests:
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        errors.append(invalid("spec.serviceAccountTokenInSecrets", in_secrets, detail))
    return errors


def _validate_tokens(requests: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, request in enumerate(requests):
        audience, seconds = request.get("audience", ""), request.get("expirationSeconds")
        at = f"{path}[{index}].expirationSeconds"
        if audience in seen:
            errors.append(duplicate(f"{path}[{index}].audience", audience))
        elif seconds is not None and seconds < _SHORTEST_TOKEN:
            detail = "may not specify a duration less than 10 minutes"
            errors.append(invalid(at, seconds, detail))
        elif seconds is not None and seconds > _LONGEST_TOKEN:
            detail = "may not specify a duration larger than 2^32 seconds"
            errors.append(invalid(at, seconds, detail))
        seen.add(audience)
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old) + _validate_spec(new)
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    settled = (("attachRequired", "attachedRequired"), ("volumeLifecycleModes",) * 2)
    for field, path in settled:
        errors += immutable(spec.get(field), before.get(field), f"spec.{path}")
    return errors


def _warn(new: Object, old: Object | None) -> list[str]:
    spec, before = new.get("spec") or {}, (old or {}).get("spec") or {}
    requests = spec.get("tokenRequests")
    if not requests or spec.get("serviceAccountTokenInSecrets") is not None:
        return []
    return [] if old is not None and requests == before.get("tokenRequests") else [_TOKENS_EXPOSED]


CSI_DRIVER: Final = Rules(
    default=_default,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warn,
    name_problems=is_dns1123_subdomain,
    unconditional_update=False,
    tracks_generation=False,
)
