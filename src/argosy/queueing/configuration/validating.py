"""What a Configuration may say, as Kubernetes' field errors in upstream's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.api.rules.labels import validate_label_selector
from argosy.base import quantities
from argosy.base.durations import format_duration
from argosy.base.fielderrors import (
    FieldError,
    Printed,
    duplicate,
    invalid,
    not_supported,
    required,
    too_many,
)
from argosy.base.names import is_label_value, is_qualified_name
from argosy.base.selectors import labels as selectors
from argosy.base.selectors.labels import SelectorError
from argosy.queueing.configuration import settings
from argosy.queueing.configuration.frameworks import FRAMEWORKS, parse_external
from argosy.queueing.configuration.gates import validate_gates
from argosy.queueing.configuration.settings import Configuration, Duration

_NEGATIVE: Final = "must be greater than or equal to 0"
_SYSTEM: Final = "kube-system"
_MOST_MAPPINGS: Final = 16
_MOST_CLASSES: Final = 8
_STRATEGIES: Final = (
    (settings.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,),
    (settings.LESS_THAN_INITIAL_SHARE,),
    (settings.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE, settings.LESS_THAN_INITIAL_SHARE),
)


def validate(read: Configuration) -> list[FieldError]:
    """Everything that is wrong, block by block."""
    return [
        *_waiting(read),
        *_integrations(read),
        *_multi_kueue(read),
        *_fair_sharing(read),
        *_admission_fair_sharing(read),
        *_resources(read),
        *_namespaces(read),
        *_retention(read),
        *_metrics(read),
        *validate_gates(read.feature_gates, "featureGates"),
    ]


def _negative(path: str, value: Duration | None) -> Iterator[FieldError]:
    if value is not None and value < 0:
        yield invalid(path, Printed(f'"{format_duration(value)}"'), _NEGATIVE)


def _waiting(read: Configuration) -> Iterator[FieldError]:
    waiting = read.wait_for_pods_ready
    if waiting is None:
        return
    yield from _negative("waitForPodsReady.timeout", waiting.timeout)
    yield from _negative("waitForPodsReady.recoveryTimeout", waiting.recovery_timeout)
    strategy, at = waiting.requeuing_strategy, "waitForPodsReady.requeuingStrategy"
    if strategy.timestamp not in {settings.CREATION, settings.EVICTION}:
        allowed = (settings.CREATION, settings.EVICTION)
        yield not_supported(f"{at}.timestamp", strategy.timestamp, allowed)
    for name, value in (
        ("backoffLimitCount", strategy.backoff_limit_count),
        ("backoffBaseSeconds", strategy.backoff_base_seconds),
        ("backoffMaxSeconds", strategy.backoff_max_seconds),
    ):
        if value is not None and value < 0:
            yield invalid(f"{at}.{name}", value, _NEGATIVE)


def _integrations(read: Configuration) -> Iterator[FieldError]:
    managed = set()
    for index, name in enumerate(read.integrations.frameworks):
        at = f"integrations.frameworks[{index}]"
        if name not in FRAMEWORKS:
            yield not_supported(at, name, FRAMEWORKS)
        elif FRAMEWORKS[name] in managed:
            yield duplicate(at, name)
        else:
            managed.add(FRAMEWORKS[name])
    for index, name in enumerate(read.integrations.external_frameworks):
        at = f"integrations.externalFrameworks[{index}]"
        kind = parse_external(name)
        if kind is None:
            yield invalid(at, name, "must be format, 'Kind.version.group.com'")
        elif kind in managed:
            yield duplicate(at, name)
        else:
            managed.add(kind)
    for index, key in enumerate(read.integrations.label_keys_to_copy):
        for problem in is_qualified_name(key):
            yield invalid(f"integrations.labelKeysToCopy[{index}]", key, problem)


def _multi_kueue(read: Configuration) -> Iterator[FieldError]:
    block = read.multi_kueue
    yield from _negative("multiKueue.gcInterval", block.gc_interval)
    yield from _negative("multiKueue.workerLostTimeout", block.worker_lost_timeout)
    if problems := is_label_value(block.origin):
        yield invalid("multiKueue.origin", block.origin, ",".join(problems))
    seen = set()
    for index, framework in enumerate(block.external_frameworks):
        at = f"multiKueue.externalFrameworks[{index}].name"
        kind = parse_external(framework.name)
        if kind is None:
            yield invalid(at, framework.name, "must be format, 'Kind.version.group.com'")
        elif kind in seen:
            yield duplicate(at, framework.name)
        else:
            seen.add(kind)


def _fair_sharing(read: Configuration) -> Iterator[FieldError]:
    sharing = read.fair_sharing
    if sharing is not None and sharing.preemption_strategies not in _STRATEGIES:
        at = "fairSharing.preemptionStrategies"
        allowed = (",".join(each) for each in _STRATEGIES)
        yield not_supported(at, list(sharing.preemption_strategies), allowed)


def _admission_fair_sharing(read: Configuration) -> Iterator[FieldError]:
    sharing, at = read.admission_fair_sharing, "admissionFairSharing"
    if sharing is None:
        return
    yield from _negative(f"{at}.usageHalfLifeTime", sharing.usage_half_life_time)
    if sharing.usage_sampling_interval <= 0:
        shown = Printed(f'"{format_duration(sharing.usage_sampling_interval)}"')
        yield invalid(f"{at}.usageSamplingInterval", shown, "must be greater than 0")
    for resource, weight in sorted(sharing.resource_weights.items()):
        if weight < 0:
            yield invalid(f"{at}.resourceWeights[{resource}]", weight, _NEGATIVE)


def _resources(read: Configuration) -> Iterator[FieldError]:
    block = read.resources
    allowed = (settings.BLOCK_UNDECLARED, settings.IGNORE_UNDECLARED)
    if block.quota_check_strategy not in allowed:
        yield not_supported("resources.quotaCheckStrategy", block.quota_check_strategy, allowed)
    seen = set()
    for index, rule in enumerate(block.transformations):
        at = f"resources.transformations[{index}]"
        if rule.strategy not in {settings.RETAIN, settings.REPLACE}:
            yield not_supported(
                f"{at}.strategy", rule.strategy, (settings.RETAIN, settings.REPLACE)
            )
        if rule.input in seen:
            yield duplicate(f"{at}.input", rule.input)
        seen.add(rule.input)
        for resource, amount in sorted(rule.outputs.items()):
            try:
                quantities.parse(amount)
            except ValueError as error:
                yield invalid(f"{at}.outputs[{resource}]", amount, str(error))
    yield from _device_classes(block)


def _device_classes(block: settings.Resources) -> Iterator[FieldError]:
    mappings, path = block.device_class_mappings, "resources.deviceClassMappings"
    if len(mappings) > _MOST_MAPPINGS:
        yield too_many(path, len(mappings), _MOST_MAPPINGS)
    names, classes = set(), set()
    for index, mapping in enumerate(mappings):
        at = f"{path}[{index}]"
        if mapping.name in names:
            yield duplicate(f"{at}.name", mapping.name)
        names.add(mapping.name)
        if not mapping.device_class_names:
            yield required(f"{at}.deviceClassNames", "at least one device class name is required")
        if len(mapping.device_class_names) > _MOST_CLASSES:
            yield too_many(f"{at}.deviceClassNames", len(mapping.device_class_names), _MOST_CLASSES)
        for number, name in enumerate(mapping.device_class_names):
            if name in classes:
                yield duplicate(f"{at}.deviceClassNames[{number}]", name)
            classes.add(name)


def _namespaces(read: Configuration) -> Iterator[FieldError]:
    """Pods of the system are never held back, so no selector may match their namespaces."""
    selector, path = read.managed_jobs_namespace_selector, "managedJobsNamespaceSelector"
    if selector is None:
        return
    errors = validate_label_selector(selector, path)
    yield from errors
    try:
        matching = selectors.from_object(selector)
    except SelectorError:
        return
    for name in (_SYSTEM, read.namespace):
        if not errors and matching.matches({"kubernetes.io/metadata.name": name}):
            yield invalid(path, selector, f'should not match the "{name}" namespace')


def _retention(read: Configuration) -> Iterator[FieldError]:
    block, at = read.object_retention_policies.workloads, "objectRetentionPolicies.workloads"
    yield from _negative(f"{at}.afterFinished", block.after_finished)
    yield from _negative(f"{at}.afterDeactivatedByKueue", block.after_deactivated_by_kueue)


def _metrics(read: Configuration) -> Iterator[FieldError]:
    selector = read.metrics.local_queue_metrics.local_queue_selector
    if selector is None:
        return
    at = "metrics.localQueueMetrics.localQueueSelector"
    if isinstance(selector, dict):
        yield from validate_label_selector(selector, at)
    else:
        yield invalid(at, selector, "must be an object with matchLabels or matchExpressions")
