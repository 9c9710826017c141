"""What the operating system of a pod allows: Linux-only fields, Windows-only fields, host processes.

`spec.os` is optional, and almost every pod has none; host processes are looked for only where some Windows option is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.base.fielderrors import FieldError, forbidden, invalid, not_supported, required
from argosy.base.types import Object

_LINUX_ONLY: Final = "cannot be set for a windows pod"
_WINDOWS_ONLY: Final = "windows options cannot be set for a linux pod"
# In the order upstream looks; those without a dot are fields of the spec.
_POD_FIELDS: Final = (
    "securityContext.appArmorProfile",
    "securityContext.seLinuxOptions",
    "hostUsers",
    "hostPID",
    "hostIPC",
    "securityContext.seccompProfile",
    "securityContext.fsGroup",
    "securityContext.fsGroupChangePolicy",
    "securityContext.sysctls",
    "shareProcessNamespace",
    "securityContext.runAsUser",
    "securityContext.runAsGroup",
    "securityContext.supplementalGroups",
    "securityContext.supplementalGroupsPolicy",
    "securityContext.seLinuxChangePolicy",
)
_CONTAINER_FIELDS: Final = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)
# False means the same as absent for these.
_FLAGS: Final = frozenset({"hostPID", "hostIPC"})


def visit_containers(spec: Object, path: str) -> Iterator[tuple[Object, str]]:
    """All containers with their paths, in upstream's order: init, regular, ephemeral."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            yield container, f"{path}.{kind}[{index}]"


def has_windows_options(spec: Object) -> bool:
    """Whether the pod or a container of it says anything about Windows."""
    for holder in (
        spec,
        *(spec.get("containers") or ()),
        *(spec.get("initContainers") or ()),
        *(spec.get("ephemeralContainers") or ()),
    ):
        if (context := holder.get("securityContext")) and "windowsOptions" in context:
            return True
    return False


def validate_os(spec: Object, path: str) -> list[FieldError]:
    system = spec.get("os")
    if system is None:
        return []
    match name := system.get("name", ""):
        case "":
            return [required(f"{path}.os.name")]
        case "linux":
            return _validate_linux(spec, path)
        case "windows":
            return _validate_windows(spec, path)
        case _:
            return [not_supported(f"{path}.os", name, ("linux", "windows"))]


def _validate_linux(spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if (spec.get("securityContext") or {}).get("windowsOptions") is not None:
        errors.append(forbidden(f"{path}.securityContext.windowsOptions", _WINDOWS_ONLY))
    for container, at in visit_containers(spec, path):
        if (container.get("securityContext") or {}).get("windowsOptions") is not None:
            errors.append(forbidden(f"{at}.securityContext.windowsOptions", _WINDOWS_ONLY))
    return errors


def _validate_windows(spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    context: Object = spec.get("securityContext") or {}
    for field in _POD_FIELDS:
        holder, _, inner = field.partition(".")
        value = context.get(inner) if inner else spec.get(holder)
        if value is not None and not (field in _FLAGS and not value):
            errors.append(forbidden(f"{path}.{field}", _LINUX_ONLY))
    for container, at in visit_containers(spec, path):
        own: Object = container.get("securityContext") or {}
        errors += [
            forbidden(f"{at}.securityContext.{field}", _LINUX_ONLY)
            for field in _CONTAINER_FIELDS
            if own.get(field) is not None
        ]
    return errors


def validate_host_process(spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    of_pod = _host_process(spec)
    count = hosts = 0
    for container, at in visit_containers(spec, path):
        count += 1
        own = _host_process(container)
        if of_pod is not None and own is not None and of_pod != own:
            was = "true" if of_pod else "false"
            errors.append(
                invalid(
                    f"{at}.securityContext.windowsOptions.hostProcess",
                    own,
                    f"pod hostProcess value must be identical if both are specified, was {was}",
                )
            )
        hosts += bool(of_pod if own is None else own)
    if not hosts:
        return errors
    if hosts != count:
        errors.append(
            invalid(
                path,
                "",
                "If pod contains any hostProcess containers then all containers must be "
                "HostProcess containers",
            )
        )
    if not spec.get("hostNetwork"):
        errors.append(
            invalid(
                f"{path}.hostNetwork",
                False,
                "hostNetwork must be true if pod contains any hostProcess containers",
            )
        )
    return errors


def _host_process(holder: Object) -> bool | None:
    if not (context := holder.get("securityContext")):
        return None
    options = context.get("windowsOptions")
    return options.get("hostProcess") if options else None
