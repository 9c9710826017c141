"""From the bytes of a file to a Configuration: YAML, known fields only, types, defaults, rules.

Every problem of a kind is told at once: all unknown fields in Kubernetes' words for strict decoding, then all broken
rules as field errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

import msgspec

from argosy.api.schema.syntax import Malformed
from argosy.api.schema.yamls import parse_yaml, yaml_problem
from argosy.base.durations import parse_duration
from argosy.base.fielderrors import quote
from argosy.base.types import Json, Object
from argosy.queueing.configuration import gates, versions
from argosy.queueing.configuration.settings import (
    Amount,
    Configuration,
    Duration,
    FairSharing,
    Setting,
)
from argosy.queueing.configuration.validating import validate

GROUP: Final = "config.kueue.x-k8s.io"
KIND: Final = "Configuration"
VERSIONS: Final = ("v1beta1", "v1beta2")
_TYPE_META: Final = frozenset({"apiVersion", "kind"})


class ConfigurationError(ValueError):
    """A file that is no Configuration, or one with broken rules; the message names each of its `problems`."""

    def __init__(self, name: str, *problems: str, strict: bool = False) -> None:
        """`strict`: fields that nobody knows, or that are there twice."""
        text = ", ".join(problems)
        if strict:
            text = f"strict decoding error: {text}"
        elif len(problems) > 1:
            text = f"[{text}]"
        super().__init__(f"{name}: {text}")
        self.problems = problems


def decode(body: bytes, *, name: str = "the configuration") -> Configuration:
    """Read a file. Raises ConfigurationError; `name` tells the reader which file is meant."""
    try:
        raw, twice = parse_yaml(body)
    except Malformed as error:
        raise ConfigurationError(name, str(error)) from error
    if not isinstance(raw, dict):
        raise ConfigurationError(name, "expected an object with apiVersion and kind")
    if twice:
        raise ConfigurationError(name, yaml_problem(twice), strict=True)
    version = _version(raw, name)
    settings = {field: value for field, value in raw.items() if field not in _TYPE_META}
    if version == "v1beta1":
        settings = versions.from_v1beta1(settings)
    settings = _without_nulls(settings)
    if unknown := [f"unknown field {quote(path)}" for path in _unknown(settings, Configuration)]:
        raise ConfigurationError(name, *unknown, strict=True)
    return _checked(_completed(_converted(settings, name), settings, version), name)


def _version(raw: Object, name: str) -> str:
    group, _, version = str(raw.get("apiVersion") or "").rpartition("/")
    kind = raw.get("kind")
    if group != GROUP or kind != KIND or version not in VERSIONS:
        known = " or ".join(f"{GROUP}/{each}" for each in VERSIONS)
        got = f'no kind "{kind or ""}" is registered for version "{raw.get("apiVersion") or ""}"'
        raise ConfigurationError(name, f"{got}; expected kind {KIND} of {known}")
    return version


def _without_nulls(value: Json) -> Json:
    """In Go a null leaves a field as it is."""
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def _unknown(value: Json, kind: type[Setting], path: str = "") -> Iterator[str]:
    """The paths of fields that no setting has, in the order they stand in the file."""
    if not isinstance(value, dict):
        return
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for name, each in value.items():
        at = f"{path}.{name}" if path else str(name)
        if name not in fields:
            yield at
        elif (inner := _block(fields[name])) is None:
            continue
        elif isinstance(each, list):
            for index, item in enumerate(each):
                yield from _unknown(item, inner, f"{at}[{index}]")
        else:
            yield from _unknown(each, inner, at)


def _block(declared: Json) -> type[Setting] | None:
    """The block a field holds, or a list of; None where it holds something else."""
    for kind in (declared, *get_args(declared)):
        if isinstance(kind, type) and issubclass(kind, Setting):
            return kind
    return None


def _converted(settings: Object, name: str) -> Configuration:
    try:
        return msgspec.convert(settings, Configuration, dec_hook=_read)
    except msgspec.ValidationError as error:
        raise ConfigurationError(name, str(error)) from error


def _read(kind: type, value: Json) -> Json:
    """Durations are texts; a number is nanoseconds in Go, which nobody means."""
    if kind is Duration:
        if not isinstance(value, str):
            raise ValueError(f"Expected a duration such as `5m`, got `{value}`")
        return Duration(parse_duration(value))
    if kind is Amount:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError(f"Expected a quantity such as `500m`, got `{value}`")
        return Amount(value)
    raise NotImplementedError(f"no reading of {kind}")


def _completed(read: Configuration, given: Object, version: str) -> Configuration:
    """Defaults that depend on more than their own field."""
    waiting = read.wait_for_pods_ready
    is_said = "waitForPodsReady" in given
    if (not is_said and not versions.waits_unless_told(version)) or read.feature_gates.get(
        gates.DISABLE_WAIT_FOR_PODS_READY
    ):
        waiting = None
    if waiting is not None and is_said:
        recovery = waiting.recovery_timeout
        if recovery is None:
            waiting = msgspec.structs.replace(waiting, recovery_timeout=waiting.timeout)
        elif not recovery:
            waiting = msgspec.structs.replace(waiting, recovery_timeout=None)
    sharing = read.fair_sharing
    if sharing is not None and "preemptionStrategies" not in given["fairSharing"]:
        # v1beta2 wants them named.
        sharing = FairSharing(())
    return msgspec.structs.replace(read, wait_for_pods_ready=waiting, fair_sharing=sharing)


def _checked(read: Configuration, name: str) -> Configuration:
    if problems := validate(read):
        raise ConfigurationError(name, *map(str, problems))
    return read
