"""Who belongs to the fleet.

A MemberCluster gets a namespace on the hub, the right to read and write there and nowhere else, and an
InternalMemberCluster in it, where its agent reports (`grants`). What the agent says is copied to the MemberCluster
(`statuses`). Deleting it asks the agent to leave first (`leaving`). `members` is the controller of all that, `profiles`
shows members as ClusterProfiles where that API is served.
"""

from argosy.placement.membership.members import Membership

__all__ = ["Membership"]
