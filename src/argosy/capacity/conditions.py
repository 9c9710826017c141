"""What is said of ProvisioningRequests: conditions with cluster-autoscaler's reasons and messages."""

from __future__ import annotations

from typing import Final, NamedTuple


class Said(NamedTuple):
    """A condition without its times."""

    type: str
    status: str
    reason: str
    message: str


ACCEPTED: Final = Said(
    "Accepted", "True", "Accepted", "ProvisioningRequest is accepted by ClusterAutoscaler"
)
FOUND: Final = Said("Provisioned", "True", "CapacityIsFound", "Capacity is found in the cluster")
GROWN: Final = Said(
    "Provisioned", "True", "CapacityIsProvisioned", "Capacity is found in the cluster"
)
LATER: Final = Said(
    "Provisioned",
    "False",
    "CapacityIsNotFound",
    "Capacity is not found, CA will try to find it later.",
)
NEVER: Final = Said("Failed", "True", "CapacityIsNotFound", "CA could not find requested capacity")
EXPIRED: Final = Said("Failed", "True", "Expired", "ProvisioningRequest is expired")
TIME_OVER: Final = Said(
    "BookingExpired",
    "True",
    "CapacityReservationTimeExpired",
    "Capacity reservation time is expired",
)
CONSUMED: Final = Said(
    "BookingExpired",
    "True",
    "CapacityBookingConsumed",
    "All pods of the ProvisioningRequest are scheduled",
)
REVOKED: Final = Said(
    "CapacityRevoked",
    "True",
    "CapacityIsNotFound",
    "The capacity that was booked is no longer in the cluster",
)


def no_templates(referenced: int, missing: list[str]) -> Said:
    message = (
        f"missing pod templates, {referenced} pod templates were referenced, {len(missing)} templates were missing: "
        f"{','.join(missing)}"
    )
    return Said("Failed", "True", "FailedToCreatePods", message)
