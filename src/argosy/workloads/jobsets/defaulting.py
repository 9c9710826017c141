"""What a JobSet does not say itself: the part of its defaults that depends on other fields.

Upstream's mutating webhook does this; plain defaults (groupName, replicas, restartStrategy) stand in the schema. A
field that is null counts as missing: upstream's typed objects do not know the difference. The subdomain is not filled
in here: a JobSet with generateName has no name yet.
"""

from __future__ import annotations

from argosy.base.types import Object


def default_jobset(jobset: Object) -> None:
    """Fill in a JobSet, in place. Parts of the wrong type are left to the schema to refuse."""
    spec = jobset.setdefault("spec", {})
    if not isinstance(spec, dict):
        return
    _drop_nulls(spec)
    spec.setdefault("successPolicy", {"operator": "All"})
    spec.setdefault("startupPolicy", {"startupPolicyOrder": "AnyOrder"})
    for job in _entries(spec, "replicatedJobs"):
        _default_template(job)
    network = spec.setdefault("network", {})
    if isinstance(network, dict):
        _drop_nulls(network)
        network.setdefault("enableDNSHostnames", True)
        network.setdefault("publishNotReadyAddresses", True)
    policy = spec.get("failurePolicy")
    if isinstance(policy, dict):
        for index, rule in enumerate(_entries(policy, "rules")):
            if not rule.get("name"):
                rule["name"] = f"failurePolicyRule{index}"


def _default_template(job: Object) -> None:
    _drop_nulls(job)
    template = job.get("template")
    spec = template.get("spec") if isinstance(template, dict) else None
    if not isinstance(spec, dict):
        return
    _drop_nulls(spec)
    spec.setdefault("completionMode", "Indexed")
    pod = spec.get("template")
    pod_spec = pod.get("spec") if isinstance(pod, dict) else None
    if isinstance(pod_spec, dict) and not pod_spec.get("restartPolicy"):
        pod_spec["restartPolicy"] = "OnFailure"


def _drop_nulls(fields: Object) -> None:
    for name in [name for name, value in fields.items() if value is None]:
        del fields[name]


def _entries(parent: Object, field: str) -> list[Object]:
    found = parent.get(field)
    if not isinstance(found, list):
        return []
    return [entry for entry in found if isinstance(entry, dict)]
