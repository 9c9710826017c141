"""Hashes of templates; the expected ones are upstream's own (k8s.io/kubernetes v1.35.4, templates as protobuf carries
them).
"""

from __future__ import annotations

import pytest

from argosy.base.types import Object
from argosy.workloads.apps.hashes import go_json, revision_hash, template_hash

PLAIN: Object = {
    "metadata": {"labels": {"app": "a"}},
    "spec": {"containers": [{"image": "x", "name": "main"}]},
}
RICH: Object = {
    "metadata": {
        "annotations": {"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"},
        "labels": {"app": "web"},
    },
    "spec": {
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "z", "operator": "In", "values": ["a", "b"]}]}
                    ]
                }
            },
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "podAffinityTerm": {
                            "labelSelector": {"matchLabels": {"app": "web"}},
                            "topologyKey": "kubernetes.io/hostname",
                        },
                        "weight": 100,
                    }
                ]
            },
        },
        "containers": [
            {
                "env": [
                    {"name": "A", "value": "1"},
                    {
                        "name": "B",
                        "valueFrom": {
                            "resourceFieldRef": {"divisor": "0", "resource": "limits.cpu"}
                        },
                    },
                    {
                        "name": "C",
                        "valueFrom": {
                            "configMapKeyRef": {"key": "k", "name": "cm", "optional": True}
                        },
                    },
                ],
                "image": "nginx:1",
                "imagePullPolicy": "IfNotPresent",
                "lifecycle": {"preStop": {"exec": {"command": ["a", "b"]}}},
                "livenessProbe": {
                    "failureThreshold": 3,
                    "httpGet": {"path": "/", "port": "http", "scheme": "HTTP"},
                    "periodSeconds": 10,
                    "successThreshold": 1,
                    "timeoutSeconds": 1,
                },
                "name": "é<x>",
                "ports": [{"containerPort": 80, "protocol": "TCP"}],
                "readinessProbe": {"tcpSocket": {"port": 80}},
                "resources": {
                    "limits": {
                        "cpu": "2",
                        "ephemeral-storage": "10G",
                        "memory": "128Mi",
                        "nvidia.com/gpu": "8",
                    }
                },
                "securityContext": {"capabilities": {"drop": ["ALL"]}, "privileged": False},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
            }
        ],
        "dnsPolicy": "ClusterFirst",
        "hostAliases": [{"hostnames": ["a"], "ip": "1.1.1.1"}],
        "imagePullSecrets": [{"name": "s"}],
        "initContainers": [{"image": "i", "name": "i", "resources": {}, "restartPolicy": "Always"}],
        "nodeSelector": {"a": "2", "b": "1"},
        "os": {"name": "linux"},
        "overhead": {"cpu": "250m"},
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "schedulingGates": [{"name": "g"}],
        "securityContext": {},
        "serviceAccount": "sa",
        "serviceAccountName": "sa",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [
            {"effect": "NoExecute", "key": "k", "operator": "Exists", "tolerationSeconds": 300}
        ],
        "topologySpreadConstraints": [
            {
                "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule",
            }
        ],
        "volumes": [
            {"emptyDir": {"sizeLimit": "1Gi"}, "name": "v"},
            {
                "configMap": {
                    "defaultMode": 420,
                    "items": [{"key": "a", "path": "b"}],
                    "name": "cm",
                },
                "name": "w",
            },
            {
                "name": "p",
                "projected": {
                    "sources": [
                        {"serviceAccountToken": {"expirationSeconds": 3600, "path": "t"}},
                        {
                            "downwardAPI": {
                                "items": [
                                    {
                                        "fieldRef": {
                                            "apiVersion": "v1",
                                            "fieldPath": "metadata.labels",
                                        },
                                        "path": "l",
                                    }
                                ]
                            }
                        },
                    ]
                },
            },
            {
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "metadata": {"labels": {"x": "y"}},
                        "spec": {
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "8Gi"}},
                        },
                    }
                },
                "name": "e",
            },
        ],
    },
}
QUANTITIES: Object = {
    "spec": {
        "containers": [
            {
                "image": "i",
                "name": "x",
                "resources": {
                    "requests": {
                        "example.com/0": "0",
                        "example.com/1": "10",
                        "example.com/10": "12E",
                        "example.com/11": "-5Mi",
                        "example.com/2": "250m",
                        "example.com/3": "1500m",
                        "example.com/4": "1k",
                        "example.com/5": "7Gi",
                        "example.com/6": "64Gi",
                        "example.com/7": "12345678",
                        "example.com/8": "5n",
                        "example.com/9": "1e3",
                    }
                },
            }
        ]
    }
}

HASHES: dict[str, tuple[Object, int | None, str]] = {
    "the least there is": ({}, None, "7dbfdbdbc9"),
    "labels and an image": (PLAIN, None, "854fd865cc"),
    "after no collision": (PLAIN, 0, "668685445c"),
    "after three collisions": (PLAIN, 3, "7d4f4c6894"),
    "nearly everything": (RICH, None, "675bd5d5bd"),
    "quantities of all forms": (QUANTITIES, None, "66945cdc98"),
}


@pytest.mark.parametrize(("template", "collisions", "want"), HASHES.values(), ids=HASHES.keys())
def test_template_hash(template: Object, collisions: int | None, want: str) -> None:
    assert template_hash(template, collisions) == want


def test_what_is_empty_is_not_there() -> None:
    empty = {"metadata": {"annotations": {}}, "spec": {"containers": [], "nodeSelector": None}}
    assert template_hash(empty) == template_hash({})


def test_quantities_out_of_range_still_differ() -> None:
    def hashed(amount: str) -> str:
        return template_hash({"spec": {"overhead": {"cpu": amount}}})

    assert len({hashed("1Ei"), hashed("2Ei"), hashed("1234567890123456789")}) == 3


def test_json_as_go_writes_it() -> None:
    got = go_json({"b": [1, 2.5, None, True], "a": "<é&\u2028>"})
    assert got == '{"a":"\\u003cé\\u0026\\u2028\\u003e","b":[1,2.5,null,true]}'.encode()


def test_revision_hash_counts_collisions() -> None:
    data = {"spec": {"template": {"$patch": "replace"}}}
    assert revision_hash(data, 0) != revision_hash(data, 1)
