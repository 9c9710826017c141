"""The CRD of JobSet v1alpha2: upstream's structure, defaults, rules and columns.

The Job template is not written out: `x-embedded` stands for this project's own schema of batch/v1 JobTemplateSpec, so
the definition has 6 KiB instead of upstream's 780. What upstream leaves to its webhooks is in `defaulting` and
`validating`.
"""

from __future__ import annotations

from typing import Final

from argosy.base.types import Json, Object
from argosy.workloads.jobsets.names import JOB_SETS

_IMMUTABLE: Final = [{"rule": "self == oldSelf", "message": "Value is immutable"}]
_EXCLUSIVE: Final = [
    {
        "rule": "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' "
        "&& self.replicatedJobs.exists(x, has(x.dependsOn)))",
        "message": "StartupPolicy and DependsOn APIs are mutually exclusive",
    }
]
_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_INTEGER: Final = {"type": "integer"}
_INT32: Final = {"type": "integer", "format": "int32"}

_CONDITION_TYPE: Final = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
_CONDITION_REASON: Final = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"

# Title, type, path, description.
_COLUMNS: Final = (
    ("TerminalState", "string", ".status.terminalState", "Final state of JobSet"),
    ("Restarts", "string", ".status.restarts", "Number of restarts"),
    ("Completed", "string", '.status.conditions[?(@.type=="Completed")].status', ""),
    ("Suspended", "string", ".spec.suspend", "JobSet suspended"),
    ("Age", "date", ".metadata.creationTimestamp", "Time this JobSet was created"),
)


def definitions() -> list[Object]:
    """JobSet, to be applied before its controller runs."""
    return [
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": JOB_SETS.qualified},
            "spec": {
                "group": JOB_SETS.group,
                "scope": "Namespaced",
                "names": {
                    "kind": JOB_SETS.kind,
                    "listKind": "JobSetList",
                    "plural": JOB_SETS.plural,
                    "singular": "jobset",
                },
                "versions": [
                    {
                        "name": JOB_SETS.version,
                        "served": True,
                        "storage": True,
                        "schema": {"openAPIV3Schema": _schema()},
                        "subresources": {"status": {}},
                        "additionalPrinterColumns": [_column(*column) for column in _COLUMNS],
                    }
                ],
            },
        }
    ]


def _column(name: str, type_: str, path: str, description: str) -> Object:
    column: Object = {"name": name, "type": type_, "jsonPath": path}
    if description:
        column["description"] = description
    return column


def _schema() -> Object:
    return _object(
        apiVersion=_TEXT, kind=_TEXT, metadata={"type": "object"}, spec=_spec(), status=_status()
    )


def _spec() -> Object:
    spec = _object(
        replicatedJobs=_list(_replicated_job(), key="name"),
        network=_fixed(enableDNSHostnames=_FLAG, subdomain=_TEXT, publishNotReadyAddresses=_FLAG),
        successPolicy=_fixed(
            required=["operator"], operator=_choice("All", "Any"), targetReplicatedJobs=_names()
        ),
        failurePolicy=_fixed(
            maxRestarts=_INT32,
            restartStrategy=_choice("Recreate", "BlockingRecreate") | {"default": "Recreate"},
            rules={"type": "array", "items": _failure_rule()},
        ),
        startupPolicy=_fixed(
            required=["startupPolicyOrder"], startupPolicyOrder=_choice("AnyOrder", "InOrder")
        ),
        suspend=_FLAG,
        coordinator=_object(
            required=["replicatedJob"], replicatedJob=_TEXT, jobIndex=_INTEGER, podIndex=_INTEGER
        ),
        managedBy=_TEXT,
        ttlSecondsAfterFinished=_INT32 | {"minimum": 0},
    )
    return spec | {"x-kubernetes-validations": _EXCLUSIVE}


def _replicated_job() -> Object:
    depends_on = _list(
        _object(required=["name", "status"], name=_TEXT, status=_choice("Ready", "Complete")),
        key="name",
    )
    return _object(
        required=["name", "template"],
        name=_TEXT,
        groupName=_TEXT | {"default": "default"},
        template={"x-embedded": "batch/v1 JobTemplateSpec"},
        replicas=_INT32 | {"default": 1},
        dependsOn=depends_on | {"maxItems": 5, "x-kubernetes-validations": _IMMUTABLE},
    )


def _failure_rule() -> Object:
    texts = {"type": "array", "items": _TEXT}
    return _object(
        required=["action", "name"],
        name=_TEXT,
        action=_choice("FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"),
        onJobFailureReasons=texts,
        onJobFailureMessagePatterns=texts,
        targetReplicatedJobs=_names(),
    )


def _status() -> Object:
    counters = ("active", "failed", "ready", "succeeded", "suspended")
    return _object(
        conditions=_list(_condition(), key="type"),
        restarts=_INT32,
        restartsCountTowardsMax=_INT32,
        terminalState=_TEXT,
        replicatedJobsStatus=_list(
            _object(
                required=["name", *counters],
                name=_TEXT,
                **dict.fromkeys(counters, _INT32),
            ),
            key="name",
        ),
    )


def _condition() -> Object:
    return _object(
        required=["lastTransitionTime", "message", "reason", "status", "type"],
        lastTransitionTime={"type": "string", "format": "date-time"},
        message=_TEXT | {"maxLength": 32768},
        observedGeneration={"type": "integer", "format": "int64", "minimum": 0},
        reason=_TEXT | {"minLength": 1, "maxLength": 1024, "pattern": _CONDITION_REASON},
        status=_choice("True", "False", "Unknown"),
        type=_TEXT | {"maxLength": 316, "pattern": _CONDITION_TYPE},
    )


def _object(required: list[str] | None = None, **properties: Json) -> Object:
    schema: Object = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def _fixed(required: list[str] | None = None, **properties: Json) -> Object:
    """An object that stays as it was created."""
    return _object(required, **properties) | {"x-kubernetes-validations": _IMMUTABLE}


def _list(items: Object, *, key: str) -> Object:
    return {
        "type": "array",
        "items": items,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": [key],
    }


def _names() -> Object:
    return {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "atomic"}


def _choice(*values: str) -> Object:
    return {"type": "string", "enum": list(values)}
