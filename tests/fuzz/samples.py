"""A good object of every kind users write, the seed of everything that is made bad here."""

from __future__ import annotations

from typing import Any

Raw = dict[str, Any]

NAMESPACE = "default"


def obj(api_version: str, kind: str, name: str = "x", **more: Any) -> Raw:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **more}


_LABELS = {"app": "x"}
_CONTAINER = {
    "name": "main",
    "image": "app:v1",
    "command": ["true"],
    "env": [{"name": "A", "value": "b"}],
    "ports": [{"containerPort": 80}],
    "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "1Gi"}},
    "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    "livenessProbe": {"httpGet": {"path": "/", "port": 80}},
}
_POD_SPEC = {
    "containers": [_CONTAINER],
    "volumes": [{"name": "v", "emptyDir": {}}],
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "nodeSelector": {"a": "b"},
}
_TEMPLATE = {
    "metadata": {"labels": _LABELS},
    "spec": {"containers": [_CONTAINER], "volumes": _POD_SPEC["volumes"]},
}
_JOB_SPEC = {"template": {"spec": {**_POD_SPEC, "restartPolicy": "Never"}}}
_SELECTOR = {"matchLabels": _LABELS}
_REPLICATED = {"replicas": 1, "selector": _SELECTOR, "template": _TEMPLATE}
_RULES = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
_ROLE_REF = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
_SUBJECTS = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}]
_LIMITS = [
    {"type": "Pod", "max": {"cpu": "900"}},
    {"type": "Container", "default": {"memory": "2Gi"}, "defaultRequest": {"memory": "1Mi"}},
]
_REGARDING = {"kind": "Pod", "name": "x", "namespace": NAMESPACE}

SAMPLES: tuple[Raw, ...] = (
    obj("v1", "Namespace", "more"),
    obj("v1", "Pod", spec=_POD_SPEC),
    obj("v1", "ConfigMap", data={"a": "1"}, binaryData={"b": "AAAA"}),
    obj("v1", "Secret", type="Opaque", stringData={"a": "b"}),
    obj("v1", "Service", spec={"selector": _LABELS, "ports": [{"port": 80, "targetPort": 8080}]}),
    obj("v1", "ServiceAccount"),
    obj(
        "v1",
        "Node",
        spec={"podCIDR": "10.1.0.0/24", "taints": [{"key": "a", "effect": "NoSchedule"}]},
    ),
    obj(
        "v1",
        "ReplicationController",
        spec={"replicas": 1, "selector": _LABELS, "template": _TEMPLATE},
    ),
    obj("v1", "PodTemplate", template=_TEMPLATE),
    obj("v1", "Endpoints", subsets=[{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]),
    obj("v1", "LimitRange", spec={"limits": _LIMITS}),
    obj("v1", "ResourceQuota", spec={"hard": {"pods": "900", "configmaps": "900"}}),
    obj(
        "v1",
        "PersistentVolume",
        spec={
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/v"},
        },
    ),
    obj(
        "v1",
        "PersistentVolumeClaim",
        spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    ),
    obj("v1", "Event", involvedObject=_REGARDING, reason="R", message="m", type="Normal"),
    obj(
        "events.k8s.io/v1",
        "Event",
        "y",
        regarding=_REGARDING,
        eventTime="2026-01-02T03:04:05.000000Z",
        reportingController="a/b",
        reportingInstance="i",
        action="A",
        reason="R",
        type="Normal",
    ),
    obj("apps/v1", "Deployment", spec=_REPLICATED),
    obj("apps/v1", "ReplicaSet", spec=_REPLICATED),
    obj("apps/v1", "StatefulSet", spec={**_REPLICATED, "serviceName": "x"}),
    obj("apps/v1", "DaemonSet", spec={"selector": _SELECTOR, "template": _TEMPLATE}),
    obj("apps/v1", "ControllerRevision", revision=1, data={"a": 1}),
    obj("batch/v1", "Job", spec={**_JOB_SPEC, "completions": 2, "parallelism": 1}),
    obj("batch/v1", "CronJob", spec={"schedule": "@daily", "jobTemplate": {"spec": _JOB_SPEC}}),
    obj(
        "coordination.k8s.io/v1", "Lease", spec={"holderIdentity": "me", "leaseDurationSeconds": 5}
    ),
    obj("scheduling.k8s.io/v1", "PriorityClass", value=10),
    obj("policy/v1", "PodDisruptionBudget", spec={"minAvailable": 1, "selector": _SELECTOR}),
    obj("rbac.authorization.k8s.io/v1", "Role", rules=_RULES),
    obj("rbac.authorization.k8s.io/v1", "ClusterRole", rules=_RULES),
    obj("rbac.authorization.k8s.io/v1", "RoleBinding", roleRef=_ROLE_REF, subjects=_SUBJECTS),
    obj(
        "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", roleRef=_ROLE_REF, subjects=_SUBJECTS
    ),
    obj("storage.k8s.io/v1", "StorageClass", provisioner="example.com/p"),
    obj("storage.k8s.io/v1", "CSIDriver", spec={"attachRequired": True}),
    obj("storage.k8s.io/v1", "CSINode", spec={"drivers": [{"name": "d", "nodeID": "n"}]}),
    obj(
        "storage.k8s.io/v1",
        "VolumeAttachment",
        spec={"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "x"}},
    ),
    obj("node.k8s.io/v1", "RuntimeClass", handler="runc"),
    obj(
        "networking.k8s.io/v1",
        "Ingress",
        spec={
            "rules": [
                {
                    "host": "a.example",
                    "http": {
                        "paths": [
                            {
                                "path": "/",
                                "pathType": "Prefix",
                                "backend": {"service": {"name": "x", "port": {"number": 80}}},
                            }
                        ]
                    },
                }
            ]
        },
    ),
    obj("networking.k8s.io/v1", "IngressClass", spec={"controller": "example.com/i"}),
    obj(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec={"podSelector": _SELECTOR, "ingress": [{"from": [{"podSelector": {}}]}]},
    ),
    obj(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        addressType="IPv4",
        endpoints=[{"addresses": ["10.0.0.1"]}],
        ports=[{"port": 80}],
    ),
    obj(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        spec={
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"},
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {
                        "name": "cpu",
                        "target": {"type": "Utilization", "averageUtilization": 50},
                    },
                }
            ],
        },
    ),
    obj(
        "autoscaling/v1",
        "HorizontalPodAutoscaler",
        "y",
        spec={
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"},
        },
    ),
    obj(
        "example.com/v1",
        "Widget",
        spec={
            "size": 3,
            "parts": [{"name": "a", "count": 1}],
            "tags": ["x"],
            "port": "http",
            "any": {"deep": [1, {"b": 2}]},
            "names": {"a": "b"},
            "when": "2026-01-02T03:04:05Z",
        },
    ),
)

_WIDGET_SCHEMA: Raw = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "x-kubernetes-validations": [
                {"rule": "self.size <= 10 || has(self.mode)", "message": "too big"},
                {"rule": "!has(oldSelf.mode) || self.mode == oldSelf.mode", "fieldPath": ".mode"},
            ],
            "properties": {
                "size": {"type": "integer", "minimum": 0, "maximum": 100},
                "mode": {"type": "string", "enum": ["fast", "slow"], "maxLength": 10},
                "ratio": {"type": "number", "multipleOf": 0.5},
                "port": {"x-kubernetes-int-or-string": True},
                "when": {"type": "string", "format": "date-time"},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "names": {"type": "object", "additionalProperties": {"type": "string"}},
                "tags": {
                    "type": "array",
                    "maxItems": 4,
                    "items": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8},
                    "x-kubernetes-list-type": "set",
                },
                "parts": {
                    "type": "array",
                    "maxItems": 4,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {
                            "name": {"type": "string"},
                            "count": {"type": "integer", "format": "int32", "default": 1},
                        },
                    },
                },
                "replicas": {"type": "integer", "nullable": True},
            },
        },
        "status": {
            "type": "object",
            "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"}},
        },
    },
}

WIDGETS: Raw = obj(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "widgets.example.com",
    spec={
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "shortNames": ["wd"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": _WIDGET_SCHEMA},
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.replicas",
                        "statusReplicasPath": ".status.replicas",
                        "labelSelectorPath": ".status.selector",
                    },
                },
                "additionalPrinterColumns": [
                    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                    {"name": "When", "type": "date", "jsonPath": ".spec.when"},
                ],
            }
        ],
    },
)

DEFINITIONS: tuple[Raw, ...] = (WIDGETS,)

_CLUSTER_WIDE = frozenset({
    "Namespace", "Node", "PersistentVolume", "PriorityClass", "ClusterRole", "ClusterRoleBinding", "StorageClass",
    "CSIDriver", "CSINode", "VolumeAttachment", "RuntimeClass", "IngressClass", "CustomResourceDefinition",
})  # fmt: skip
_PLURALS = {
    "Ingress": "ingresses",
    "IngressClass": "ingressclasses",
    "NetworkPolicy": "networkpolicies",
    "PriorityClass": "priorityclasses",
    "RuntimeClass": "runtimeclasses",
    "StorageClass": "storageclasses",
    "Endpoints": "endpoints",
}


def path_of(raw: Raw, *, named: bool = False) -> str:
    """Where the object's kind is served; with `named`, where the object is."""
    version, kind = raw["apiVersion"], raw["kind"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    space = "" if kind in _CLUSTER_WIDE else f"/namespaces/{NAMESPACE}"
    plural = _PLURALS.get(kind, f"{kind.lower()}s")
    name = f"/{raw['metadata']['name']}" if named else ""
    return f"{root}{space}/{plural}{name}"
