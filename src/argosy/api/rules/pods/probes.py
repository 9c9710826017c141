"""Probes and lifecycle hooks: what a kubelet does to a running container."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.names import is_http_header_name, is_port_name, is_port_number
from argosy.api.rules.wording import NOT_NEGATIVE
from argosy.base.fielderrors import FieldError, forbidden, invalid, not_supported, required
from argosy.base.types import Json, Object

_PROBE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_PROBE_COUNTS: Final = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def validate_probes(container: Object, grace_seconds: int | None, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if (probe := container.get("livenessProbe")) is not None:
        at = f"{path}.livenessProbe"
        errors += _validate_probe(probe, grace_seconds, at)
        errors += _validate_success_once(probe, at)
    if (probe := container.get("readinessProbe")) is not None:
        at = f"{path}.readinessProbe"
        errors += _validate_probe(probe, grace_seconds, at)
        if (seconds := probe.get("terminationGracePeriodSeconds")) is not None:
            errors.append(
                invalid(
                    f"{at}.terminationGracePeriodSeconds",
                    seconds,
                    "must not be set for readinessProbes",
                )
            )
    if (probe := container.get("startupProbe")) is not None:
        at = f"{path}.startupProbe"
        errors += _validate_probe(probe, grace_seconds, at)
        errors += _validate_success_once(probe, at)
    return errors


def _validate_success_once(probe: Object, path: str) -> list[FieldError]:
    if (threshold := probe.get("successThreshold", 0)) != 1:
        return [invalid(f"{path}.successThreshold", threshold, "must be 1")]
    return []


def _validate_probe(probe: Object, grace_seconds: int | None, path: str) -> list[FieldError]:
    errors = _validate_handler(probe, _PROBE_HANDLERS, grace_seconds, path)
    errors += [
        invalid(f"{path}.{field}", probe[field], NOT_NEGATIVE)
        for field in _PROBE_COUNTS
        if probe.get(field, 0) < 0
    ]
    seconds = probe.get("terminationGracePeriodSeconds")
    if seconds is not None and seconds <= 0:
        errors.append(
            invalid(f"{path}.terminationGracePeriodSeconds", seconds, "must be greater than 0")
        )
    return errors


def validate_lifecycle(lifecycle: Object, grace_seconds: int | None, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for hook in ("postStart", "preStop"):
        if (handler := lifecycle.get(hook)) is not None:
            errors += _validate_handler(handler, _HOOK_HANDLERS, grace_seconds, f"{path}.{hook}")
    return errors


def _validate_handler(
    holder: Object, kinds: tuple[str, ...], grace_seconds: int | None, path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    found = False
    for kind in kinds:
        if (action := holder.get(kind)) is None:
            continue
        at = f"{path}.{kind}"
        if found:
            errors.append(forbidden(at, "may not specify more than 1 handler type"))
            continue
        found = True
        match kind:
            case "exec":
                if not action.get("command"):
                    errors.append(required(f"{at}.command"))
            case "httpGet":
                errors += _validate_http_get(action, at)
            case "sleep":
                errors += _validate_sleep(action, grace_seconds, at)
            case _:
                errors += validate_port_number_or_name(action.get("port", 0), f"{at}.port")
    if not found:
        errors.append(required(path, "must specify a handler type"))
    return errors


def _validate_http_get(action: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not action.get("path"):
        errors.append(required(f"{path}.path"))
    errors += validate_port_number_or_name(action.get("port", 0), f"{path}.port")
    if (scheme := action.get("scheme", "")) not in {"HTTP", "HTTPS"}:
        errors.append(not_supported(f"{path}.scheme", scheme, ("HTTP", "HTTPS")))
    for header in action.get("httpHeaders") or ():
        name = header.get("name", "")
        errors += [invalid(f"{path}.httpHeaders", name, text) for text in is_http_header_name(name)]
    return errors


def _validate_sleep(action: Object, grace_seconds: int | None, path: str) -> list[FieldError]:
    seconds = action.get("seconds", 0)
    if grace_seconds is None or 0 <= seconds <= grace_seconds:
        return []
    return [
        invalid(
            path,
            seconds,
            f"must be non-negative and less than terminationGracePeriodSeconds ({grace_seconds})",
        )
    ]


def validate_port_number_or_name(port: Json, path: str) -> list[FieldError]:
    problems = is_port_name(port) if isinstance(port, str) else is_port_number(port)
    return [invalid(path, port, text) for text in problems]
