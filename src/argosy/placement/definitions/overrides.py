"""The CRDs of overrides, which change objects for some clusters, of their snapshots, and of envelopes."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import ALPHA, BETA, PLACEMENT_CATEGORIES, STABLE, grown
from argosy.api.definitions.kinds import Definition
from argosy.api.definitions.vocabulary import (
    anything,
    choice,
    data,
    listed,
    mapped,
    must,
    rule,
    struct,
    text,
)
from argosy.base.types import Json, Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_ENVELOPES,
    CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS,
    CLUSTER_RESOURCE_OVERRIDES,
    RESOURCE_ENVELOPES,
    RESOURCE_OVERRIDE_SNAPSHOTS,
    RESOURCE_OVERRIDES,
    Resource,
)
from argosy.placement.definitions.policies import cluster_selector
from argosy.placement.definitions.selectors import RESOURCE_SELECTOR

_KEPT: Final = rule(
    "The placement field is immutable",
    "(has(oldSelf.placement) && has(self.placement) && oldSelf.placement == self.placement) || "
    "(!has(oldSelf.placement) && !has(self.placement))",
)
_POLICY: Final = struct(
    "What changes on which clusters.",
    overrideRules=must(
        listed(
            "Rules, all of which are followed where they apply, in order.",
            struct(
                "One rule.",
                clusterSelector=cluster_selector(
                    "For which clusters; none without it, all without a term."
                ),
                jsonPatchOverrides=listed(
                    "Changes, in order.",
                    struct(
                        "One change.",
                        op=must(choice("What is done.", "add", "remove", "replace")),
                        path=must(text("Where, as a JSON pointer.")),
                        value=anything(
                            "What is put there. Names and labels of the cluster may stand in it as variables."
                        ),
                    ),
                    minItems=1,
                    maxItems=20,
                ),
                overrideType=choice(
                    "Whether objects are changed there or left out.",
                    "JSONPatch",
                    "Delete",
                    default="JSONPatch",
                ),
            ),
            minItems=1,
            maxItems=20,
        )
    ),
)
_OBJECT: Final = struct(
    "An object in the namespace of the override.",
    group=must(text("The group of its kind; empty for the core group.")),
    kind=must(text("Its kind.")),
    name=must(text("Its name.")),
    version=must(text("The version of its kind.")),
)


def _spec(**selectors: Json) -> Object:
    schema = struct(
        "What is changed, and how.",
        placement=struct(
            "Only for this placement; for all, if not given.",
            name=must(text("Its name.")),
            scope=choice(
                "Whether it is of the cluster or of a namespace.",
                "Cluster",
                "Namespaced",
                default="Cluster",
            ),
        ),
        policy=must(_POLICY),
        **selectors,
    )
    return schema | {"x-kubernetes-validations": grown((_KEPT,))}


_CLUSTER_SPEC: Final = _spec(
    clusterResourceSelectors=must(
        listed("Which objects are changed.", RESOURCE_SELECTOR, minItems=1, maxItems=20)
    )
)
_SPEC: Final = _spec(
    resourceSelectors=must(listed("Which objects are changed.", _OBJECT, minItems=1, maxItems=20))
)


def _snapshot(resource: Resource, said: str, spec: Object) -> Definition:
    kept = struct(
        "What it said.",
        overrideHash=must(data("The hash of what it said.")),
        overrideSpec=must(spec),
    )
    return Definition(
        resource,
        said=said,
        versions=(STABLE, ALPHA, BETA),
        categories=PLACEMENT_CATEGORIES,
        fields={"spec": must(kept)},
    )


def _envelope(resource: Resource, said: str) -> Definition:
    content = mapped(
        "Objects by any names.",
        anything("One object.", type="object"),
        minProperties=1,
        maxProperties=50,
    )
    return Definition(
        resource,
        said=said,
        versions=(BETA,),
        categories=PLACEMENT_CATEGORIES,
        fields={"data": must(content)},
    )


CLUSTER_RESOURCE_OVERRIDE: Final = Definition(
    CLUSTER_RESOURCE_OVERRIDES,
    said="Changes cluster-scoped objects, and all that is in a namespace, for some clusters.",
    versions=(STABLE, ALPHA, BETA),
    categories=PLACEMENT_CATEGORIES,
    fields={"spec": must(_CLUSTER_SPEC)},
    rules=(
        rule(
            "clusterResourceOverride placement reference cannot be Namespaced scope",
            "!has(self.spec.placement) || self.spec.placement.scope != 'Namespaced'",
        ),
    ),
)
RESOURCE_OVERRIDE: Final = Definition(
    RESOURCE_OVERRIDES,
    said="Changes objects of its namespace for some clusters.",
    versions=(STABLE, ALPHA, BETA),
    categories=PLACEMENT_CATEGORIES,
    fields={"spec": must(_SPEC)},
)
CLUSTER_RESOURCE_OVERRIDE_SNAPSHOT: Final = _snapshot(
    CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS,
    "What a ClusterResourceOverride said at one time.",
    _CLUSTER_SPEC,
)
RESOURCE_OVERRIDE_SNAPSHOT: Final = _snapshot(
    RESOURCE_OVERRIDE_SNAPSHOTS, "What a ResourceOverride said at one time.", _SPEC
)
CLUSTER_RESOURCE_ENVELOPE: Final = _envelope(
    CLUSTER_RESOURCE_ENVELOPES, "Cluster-scoped objects for members that the hub is not to have."
)
RESOURCE_ENVELOPE: Final = _envelope(
    RESOURCE_ENVELOPES, "Objects of its namespace for members that the hub is not to have."
)
