"""The CRD of ClusterProfile, by which other multi-cluster tools learn what is in the fleet."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.kinds import STATUS, Definition, Version
from argosy.api.definitions.metadata import CONDITION
from argosy.api.definitions.vocabulary import (
    anything,
    data,
    flag,
    listed,
    must,
    rule,
    ruled,
    struct,
    text,
    time,
)
from argosy.base.types import Object
from argosy.client.resources import Resource

CLUSTER_PROFILES: Final = Resource(
    "multicluster.x-k8s.io", "v1alpha1", "clusterprofiles", "ClusterProfile"
)

_CLUSTER: Final = struct(
    "How the cluster is reached, as in a kubeconfig.",
    **{
        "certificate-authority": text("A file with the authority that signed its certificate."),
        "certificate-authority-data": data("That authority itself."),
        "disable-compression": flag("Whether answers are sent as they are."),
        "extensions": listed(
            "What tools say beside.",
            struct(
                "One extension.",
                extension=must(anything("What it says.", type="object")),
                name=must(text("Its name.")),
            ),
        ),
        "insecure-skip-tls-verify": flag("Whether its certificate is not looked at."),
        "proxy-url": text("The proxy on the way."),
        "server": must(text("Its address.")),
        "tls-server-name": text("The name that its certificate has."),
    },
)


def _providers(said: str) -> Object:
    return listed(said, struct("One provider.", cluster=_CLUSTER, name=must(text("Its name."))))


CLUSTER_PROFILE: Final = Definition(
    CLUSTER_PROFILES,
    said="A cluster as other tools see it.",
    versions=(Version("v1alpha1", is_stored=True),),
    fields={
        "spec": must(
            struct(
                "Which cluster.",
                clusterManager=must(
                    ruled(
                        struct("Who looks after it.", name=must(text("The name of that."))),
                        rule("ClusterManager is immutable", "self == oldSelf"),
                    )
                ),
                displayName=text("How people call it."),
            )
        ),
        "status": struct(
            "What is known of it.",
            accessProviders=_providers("How it is reached."),
            conditions=listed("What holds for it.", CONDITION),
            credentialProviders=_providers("How it is reached, by the former name of the field."),
            properties=listed(
                "What it says of itself.",
                struct(
                    "One property.",
                    lastObservedTime=time("When it was looked at."),
                    name=must(text("Its name.", minLength=1, maxLength=253)),
                    value=must(text("What it is.", minLength=1, maxLength=1024)),
                ),
            ),
            version=struct("What it runs.", kubernetes=text("Its version of Kubernetes.")),
        ),
    },
    subresources=STATUS,
)
