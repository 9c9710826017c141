"""Security contexts of pods and containers, with the profiles and the Windows options inside them."""

from __future__ import annotations

import re
from typing import Final

from argosy.api.rules.internals import printed_internal
from argosy.api.rules.names import in_range, is_dns1123_subdomain
from argosy.api.rules.pods.paths import validate_descending
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
)
from argosy.base.types import Object

_HIGHEST_ID: Final = 2147483647
_PROFILE_TYPES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_SYSCTL: Final = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_sysctl = re.compile(_SYSCTL).fullmatch
_IPC_SYSCTLS: Final = ("kernel.shm", "kernel.msg", "fs.mqueue.")
_control = re.compile(r"[\x00-\x1f\x7f]").search
_net_bios = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}').fullmatch
_DNS_LABEL: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_dns_domain = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*").fullmatch
_bad_user = re.compile(r'["/\\:;|=,+*?<>@\[\]]').search


def _validate_id(holder: Object, field: str, path: str) -> list[FieldError]:
    value = holder.get(field)
    if value is None:
        return []
    return [invalid(f"{path}.{field}", value, text) for text in in_range(value, 0, _HIGHEST_ID)]


def validate_container_security(
    context: Object, path: str, *, host_users: bool
) -> list[FieldError]:
    errors = _validate_id(context, "runAsUser", path)
    errors += _validate_id(context, "runAsGroup", path)
    if (mount := context.get("procMount")) is not None:
        if mount not in {"Default", "Unmasked"}:
            errors.append(unsupported(f"{path}.procMount", mount, ("Default", "Unmasked")))
        elif mount == "Unmasked" and host_users:
            errors.append(
                invalid(f"{path}.procMount", mount, "`hostUsers` must be false to use `Unmasked`")
            )
    errors += _validate_seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged"):
            errors.append(
                invalid(
                    path,
                    printed_internal("SecurityContext", context),
                    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
                )
            )
        added = (context.get("capabilities") or {}).get("add") or ()
        errors += [
            invalid(
                path,
                printed_internal("SecurityContext", context),
                "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
            )
            for capability in added
            if capability == "CAP_SYS_ADMIN"
        ]
    errors += _validate_windows_options(context.get("windowsOptions"), f"{path}.windowsOptions")
    errors += validate_app_armor(context.get("appArmorProfile"), f"{path}.appArmorProfile")
    return errors


def validate_pod_security(spec: Object, path: str) -> list[FieldError]:
    context: Object = spec.get("securityContext") or {}
    path = f"{path}.securityContext"
    errors = _validate_id(context, "fsGroup", path)
    errors += _validate_id(context, "runAsUser", path)
    errors += _validate_id(context, "runAsGroup", path)
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        errors += [
            invalid(f"{path}.supplementalGroups[{index}]", group, text)
            for text in in_range(group, 0, _HIGHEST_ID)
        ]
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        errors.append(
            invalid(
                f"{path}.shareProcessNamespace",
                True,
                "ShareProcessNamespace and HostPID cannot both be enabled",
            )
        )
    errors += _validate_sysctls(context.get("sysctls") or [], spec, f"{path}.sysctls")
    _check_enum(errors, context, "fsGroupChangePolicy", ("Always", "OnRootMismatch"), path)
    errors += _validate_seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    errors += _validate_windows_options(context.get("windowsOptions"), f"{path}.windowsOptions")
    errors += validate_app_armor(context.get("appArmorProfile"), f"{path}.appArmorProfile")
    _check_enum(errors, context, "supplementalGroupsPolicy", ("Merge", "Strict"), path)
    _check_enum(errors, context, "seLinuxChangePolicy", ("Recursive",), path)
    return errors


def _check_enum(
    errors: list[FieldError], holder: Object, field: str, allowed: tuple[str, ...], path: str
) -> None:
    value = holder.get(field)
    if value is not None and value not in allowed:
        errors.append(not_supported(f"{path}.{field}", value, allowed))


def _validate_sysctls(sysctls: list[Object], spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, sysctl in enumerate(sysctls):
        at = f"{path}[{index}].name"
        name = sysctl.get("name", "")
        if not name:
            errors.append(required(at))
        elif len(name) > 253 or not _sysctl(name):
            errors.append(
                invalid(at, name, f"must have at most 253 characters and match regex ^{_SYSCTL}$")
            )
        elif name in seen:
            errors.append(duplicate(at, name))
        dotted = name.replace("/", ".")
        if spec.get("hostNetwork") and dotted.startswith("net."):
            errors.append(invalid(at, name, "may not be specified when 'hostNetwork' is true"))
        elif spec.get("hostIPC") and (dotted == "kernel.sem" or dotted.startswith(_IPC_SYSCTLS)):
            errors.append(invalid(at, name, "may not be specified when 'hostIPC' is true"))
        seen.add(name)
    return errors


def _validate_seccomp(profile: Object | None, path: str) -> list[FieldError]:
    if profile is None:
        return []
    errors: list[FieldError] = []
    kind, localhost = profile.get("type", ""), profile.get("localhostProfile")
    if not kind:
        errors.append(required(f"{path}.type", "type is required when seccompProfile is set"))
    elif kind not in _PROFILE_TYPES:
        errors.append(unsupported(f"{path}.type", kind, _PROFILE_TYPES))
    if kind == "Localhost":
        if localhost is None:
            errors.append(
                required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
            )
        else:
            errors += validate_descending(localhost, f"{path}.localhostProfile")
    elif localhost is not None:
        errors.append(
            invalid(
                f"{path}.localhostProfile",
                printed_internal("SeccompProfile", profile),
                "can only be set when seccomp type is Localhost",
            )
        )
    return errors


def validate_app_armor(profile: Object | None, path: str) -> list[FieldError]:
    if profile is None:
        return []
    kind, localhost = profile.get("type", ""), profile.get("localhostProfile")
    at = f"{path}.localhostProfile"
    match kind:
        case "Localhost":
            needed = "must be set when AppArmor type is Localhost"
            if localhost is None:
                return [required(at, needed)]
            errors: list[FieldError] = []
            if localhost.strip() != localhost:
                errors.append(invalid(at, localhost, "must not be padded with whitespace"))
            elif not localhost:
                errors.append(required(at, needed))
            if len(localhost) > 4095:
                errors.append(too_long(at, 4095))
            return errors
        case "RuntimeDefault" | "Unconfined":
            if localhost is None:
                return []
            return [invalid(at, localhost, "can only be set when AppArmor type is Localhost")]
        case "":
            return [required(f"{path}.type", "type is required when appArmorProfile is set")]
        case _:
            return [unsupported(f"{path}.type", kind, _PROFILE_TYPES)]


def _validate_windows_options(options: Object | None, path: str) -> list[FieldError]:
    if not options:
        return []
    errors: list[FieldError] = []
    if (name := options.get("gmsaCredentialSpecName")) is not None:
        errors += [
            invalid(f"{path}.gmsaCredentialSpecName", name, text)
            for text in is_dns1123_subdomain(name)
        ]
    if (credentials := options.get("gmsaCredentialSpec")) is not None:
        at = f"{path}.gmsaCredentialSpec"
        if not credentials:
            detail = "gmsaCredentialSpec cannot be an empty string"
            errors.append(invalid(at, credentials, detail))
        elif len(credentials) > 64 * 1024:
            errors.append(invalid(at, credentials, "gmsaCredentialSpec size must be under 64 KiB"))
    if (user := options.get("runAsUserName")) is not None:
        at = f"{path}.runAsUserName"
        errors += [invalid(at, user, f"runAsUserName{text}") for text in _windows_user(user)]
    return errors


def _windows_user(name: str) -> list[str]:
    if not name:
        return [" cannot be an empty string"]
    if _control(name):
        return [" cannot contain control characters"]
    domain, backslash, user = name.rpartition("\\")
    if "\\" in domain:
        return [" cannot contain more than one backslash"]
    problems: list[str] = []
    if len(domain) >= 256:
        problems.append("'s Domain length must be under 256 characters")
    if backslash and not (_net_bios(domain) or _dns_domain(domain)):
        problems.append("'s Domain doesn't match the NetBios nor the DNS format")
    if not user:
        problems.append("'s User cannot be empty")
    elif len(user) > 104:
        problems.append("'s User length must not be longer than 104 characters")
    if user and not user.strip(". "):
        problems.append("'s User cannot contain only periods or spaces")
    if _bad_user(user):
        problems.append("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]")
    return problems
