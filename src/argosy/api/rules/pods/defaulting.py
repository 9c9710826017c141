"""Defaults of a pod spec, as Kubernetes sets them when it decodes a body.

All functions change their argument in place and are idempotent. A template gets less than a pod: requests from limits,
enableServiceLinks and host ports are set on pods only, so that old templates do not change when they are read again.
The `resources: {}` of a container is no default upstream but always printed, so it is set here too.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.pods.aggregates import (
    HUGE_PAGES_PREFIX,
    container_limits,
    container_requests,
    is_pod_level_resource,
)
from argosy.api.rules.pods.images import pull_policy
from argosy.base.quantities import Quantity
from argosy.base.types import Object

_CONTAINER_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_FILE_MODE: Final = 0o644
_TOKEN_SECONDS: Final = 3600


def default_pod(pod: Object) -> None:
    """Defaults of a Pod: those of its spec, and those no template gets."""
    spec: Object = pod.setdefault("spec", {})
    for kind in ("containers", "initContainers"):
        for container in spec.get(kind) or ():
            _default_requests(container)
    if spec.get("resources"):
        _default_pod_resources(spec)
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    if spec.get("hostNetwork"):
        _default_host_ports(spec)
    default_pod_spec(spec)
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    if status := pod.get("status"):
        _default_addresses(status)


def _default_addresses(status: Object) -> None:
    """podIP is the first of podIPs; where both are given and differ, the singular field wins."""
    first, addresses = status.get("podIP"), status.get("podIPs")
    if first and (not addresses or addresses[0].get("ip") != first):
        status["podIPs"] = [{"ip": first}]
    elif addresses and not first:
        status["podIP"] = addresses[0].get("ip", "")


def default_pod_template(template: Object) -> None:
    """Defaults of the template inside a Job, a Deployment and the like."""
    if template.get("metadata") is None:
        template["metadata"] = {}
    default_pod_spec(template.setdefault("spec", {}))


def default_pod_spec(spec: Object) -> None:
    """Defaults a pod and a template share. About 2 µs plus 2 µs for each container."""
    if not spec.get("dnsPolicy"):
        spec["dnsPolicy"] = "ClusterFirst"
    if not spec.get("restartPolicy"):
        spec["restartPolicy"] = "Always"
    if spec.get("securityContext") is None:
        spec["securityContext"] = {}
    if spec.get("terminationGracePeriodSeconds") is None:
        spec["terminationGracePeriodSeconds"] = 30
    if not spec.get("schedulerName"):
        spec["schedulerName"] = "default-scheduler"
    # The deprecated name of the field is kept in step with the new one.
    if account := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for volume in spec.get("volumes") or ():
        default_volume(volume)
    for kind in _CONTAINER_LISTS:
        for container in spec.get(kind) or ():
            _default_container(container)
    if overhead := spec.get("overhead"):
        round_up(overhead)
    if resources := spec.get("resources"):
        _round_resources(resources)


def round_up(quantities: Object) -> None:
    """Nothing finer than a thousandth is kept of a resource; canonical text shows finer values by their suffix."""
    for name, value in quantities.items():
        if isinstance(value, str) and value[-1:] in {"n", "u"}:
            quantities[name] = f"{Quantity.parse(value).milli()}m"


def _round_resources(resources: Object) -> None:
    if limits := resources.get("limits"):
        round_up(limits)
    if requests := resources.get("requests"):
        round_up(requests)


def _default_container(container: Object) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = pull_policy(container.get("image", ""))
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    for variable in container.get("env") or ():
        if source := variable.get("valueFrom"):
            _default_env_source(source)
    if resources := container.get("resources"):
        _round_resources(resources)
    elif resources is None:
        container["resources"] = {}
    for kind in _PROBES:
        if (probe := container.get(kind)) is not None:
            _default_probe(probe)
    if lifecycle := container.get("lifecycle"):
        for hook in lifecycle.values():
            if isinstance(hook, dict) and (action := hook.get("httpGet")) is not None:
                _default_http_get(action)


def _default_env_source(source: Object) -> None:
    if (field := source.get("fieldRef")) is not None and not field.get("apiVersion"):
        field["apiVersion"] = "v1"
    if (file := source.get("fileKeyRef")) is not None and file.get("optional") is None:
        file["optional"] = False
    if (resource := source.get("resourceFieldRef")) is not None:
        # A quantity without omitempty: always printed, zero by default.
        resource.setdefault("divisor", "0")


def _default_probe(probe: Object) -> None:
    for field, value in (
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ):
        if not probe.get(field):
            probe[field] = value
    if (action := probe.get("httpGet")) is not None:
        _default_http_get(action)
    if (grpc := probe.get("grpc")) is not None and grpc.get("service") is None:
        grpc["service"] = ""


def _default_http_get(action: Object) -> None:
    if not action.get("path"):
        action["path"] = "/"
    if not action.get("scheme"):
        action["scheme"] = "HTTP"


def _default_requests(container: Object) -> None:
    resources = container.get("resources")
    if not resources or not (limits := resources.get("limits")):
        return
    requests = resources.get("requests")
    if requests is None:
        resources["requests"] = dict(limits)
    else:
        for name, value in limits.items():
            requests.setdefault(name, value)


def _default_pod_resources(spec: Object) -> None:
    """Pod-level resources that are partly given are completed from the containers', then from the limits."""
    resources: Object = spec["resources"]
    if not resources.get("limits") and not resources.get("requests"):
        return
    limits: Object = resources.get("limits") or {}
    requests: Object = resources.get("requests") or {}
    for name, amount in container_limits(spec).items():
        if name.startswith(HUGE_PAGES_PREFIX) and name not in requests:
            limits.setdefault(name, str(amount))
    if limits:
        resources["limits"] = limits
        for name, amount in container_requests(spec).items():
            # Huge pages cannot be overcommitted, so their request follows the limit.
            if is_pod_level_resource(name) and not name.startswith(HUGE_PAGES_PREFIX):
                requests.setdefault(name, str(amount))
        for name, limit in limits.items():
            if is_pod_level_resource(name):
                requests.setdefault(name, limit)
        if requests:
            resources["requests"] = requests


def _default_host_ports(spec: Object) -> None:
    for kind in ("containers", "initContainers"):
        for container in spec.get(kind) or ():
            for port in container.get("ports") or ():
                if not port.get("hostPort") and port.get("containerPort"):
                    port["hostPort"] = port["containerPort"]


def default_volume(volume: Object) -> None:
    """A volume that names no source is an emptyDir."""
    if not volume.keys() - {"name"}:
        volume["emptyDir"] = {}
        return
    for kind, source in volume.items():
        if source is not None and (default := _VOLUME_DEFAULTS.get(kind)) is not None:
            default(source)


def _default_mode(source: Object) -> None:
    if source.get("defaultMode") is None:
        source["defaultMode"] = _FILE_MODE


def _default_downward_items(source: Object) -> None:
    for item in source.get("items") or ():
        _default_env_source(item)


def _default_downward(source: Object) -> None:
    _default_mode(source)
    _default_downward_items(source)


def _default_projected(source: Object) -> None:
    _default_mode(source)
    for each in source.get("sources") or ():
        if (downward := each.get("downwardAPI")) is not None:
            _default_downward_items(downward)
        token = each.get("serviceAccountToken")
        if token is not None and token.get("expirationSeconds") is None:
            token["expirationSeconds"] = _TOKEN_SECONDS


def default_host_path(source: Object) -> None:
    if source.get("type") is None:
        source["type"] = ""


def default_iscsi(source: Object) -> None:
    if not source.get("iscsiInterface"):
        source["iscsiInterface"] = "default"


def default_rbd(source: Object) -> None:
    for field, value in (("pool", "rbd"), ("user", "admin"), ("keyring", "/etc/ceph/keyring")):
        if not source.get(field):
            source[field] = value


def default_azure_disk(source: Object) -> None:
    for field, value in (
        ("cachingMode", "ReadWrite"),
        ("fsType", "ext4"),
        ("readOnly", False),
        ("kind", "Shared"),
    ):
        if source.get(field) is None:
            source[field] = value


def default_scale_io(source: Object) -> None:
    for field, value in (("storageMode", "ThinProvisioned"), ("fsType", "xfs")):
        if not source.get(field):
            source[field] = value


def _default_image(source: Object) -> None:
    if not source.get("pullPolicy"):
        source["pullPolicy"] = pull_policy(source.get("reference", ""))


def _default_ephemeral(source: Object) -> None:
    if template := source.get("volumeClaimTemplate"):
        if template.get("metadata") is None:
            template["metadata"] = {}
        claim: Object = template.setdefault("spec", {})
        if claim.get("volumeMode") is None:
            claim["volumeMode"] = "Filesystem"
        if resources := claim.get("resources"):
            _round_resources(resources)
        elif resources is None:
            claim["resources"] = {}


_VOLUME_DEFAULTS: Final = {
    "azureDisk": default_azure_disk,
    "configMap": _default_mode,
    "downwardAPI": _default_downward,
    "ephemeral": _default_ephemeral,
    "hostPath": default_host_path,
    "image": _default_image,
    "iscsi": default_iscsi,
    "projected": _default_projected,
    "rbd": default_rbd,
    "scaleIO": default_scale_io,
    "secret": _default_mode,
}
