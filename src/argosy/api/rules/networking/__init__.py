"""Rules of networking.k8s.io: what reaches a service from outside, who may talk to whom, and the addresses of services.

`references` is the one check that Ingresses and IngressClasses share.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.networking.ingressclasses import INGRESS_CLASS
from argosy.api.rules.networking.ingresses import INGRESS
from argosy.api.rules.networking.networkpolicies import NETWORK_POLICY
from argosy.api.rules.networking.serviceranges import IP_ADDRESS, SERVICE_CIDR

RULES: Final[dict[str, Rules]] = {
    "Ingress": INGRESS,
    "IngressClass": INGRESS_CLASS,
    "IPAddress": IP_ADDRESS,
    "NetworkPolicy": NETWORK_POLICY,
    "ServiceCIDR": SERVICE_CIDR,
}
