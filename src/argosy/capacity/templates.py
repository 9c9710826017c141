"""Templates of pods, read as the pods that will be made of them."""

from __future__ import annotations

import msgspec

from argosy.api.objects import PodSpec
from argosy.api.objects.pods import ResourceRequirements


def defaulted(spec: PodSpec) -> PodSpec:
    """What containers limit and do not request, they request as well, once the API has made a pod of them."""
    containers, init_containers = (
        tuple(msgspec.structs.replace(one, resources=_requesting(one.resources)) for one in given)
        for given in (spec.containers, spec.init_containers)
    )
    return msgspec.structs.replace(spec, containers=containers, init_containers=init_containers)


def _requesting(resources: ResourceRequirements) -> ResourceRequirements:
    requests = {**resources.limits, **resources.requests}
    return msgspec.structs.replace(resources, requests=requests)
