"""AdmissionCheck, MultiKueueCluster and MultiKueueConfig between their versions."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.queueing.conversion.parts import within, without


def admission_check_to_v1beta2(obj: Object) -> Object:
    return within(obj, ("spec",), lambda spec: without(spec, "retryDelayMinutes"))


def admission_check_to_v1beta1(obj: Object) -> Object:
    return obj


def cluster_to_v1beta2(obj: Object) -> Object:
    return within(obj, ("spec",), _cluster_spec_to_v1beta2)


def cluster_to_v1beta1(obj: Object) -> Object:
    return within(obj, ("spec",), _cluster_spec_to_v1beta1)


def _cluster_spec_to_v1beta2(spec: Object) -> Object:
    source: Object = {}
    config, profile = spec.get("kubeConfig"), spec.get("clusterProfileRef")
    if config is not None and (not isinstance(config, dict) or config.get("location")):
        source["kubeConfig"] = config
    if profile is not None:
        source["clusterProfileRef"] = profile
    return {**without(spec, "kubeConfig", "clusterProfileRef"), "clusterSource": source}


def _cluster_spec_to_v1beta1(spec: Object) -> Object:
    """v1beta1 always has a kubeconfig, be it an empty one."""
    out: Object = {"kubeConfig": {"location": "", "locationType": ""}}
    source = spec.get("clusterSource")
    if isinstance(source, dict):
        out |= source
    return without(spec, "clusterSource") | out


def config_to_v1beta2(obj: Object) -> Object:
    return obj


def config_to_v1beta1(obj: Object) -> Object:
    return within(obj, ("spec",), lambda spec: without(spec, "quotaManagement"))
