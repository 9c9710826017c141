"""What a cluster of the fleet has: nodes, amounts of every resource, prices, places and queues.

Beyond upstream, whose collectors know CPU and memory only: every resource that a node offers is counted. `counting` and
`waiting` keep sums by deltas, so a report costs the same on five nodes and on five thousand; `facts` puts them into
the words of a MemberCluster; `collecting` feeds them from a cluster's informers.
"""

from argosy.member.properties.collecting import Collector
from argosy.member.properties.facts import Collected

__all__ = ["Collected", "Collector"]
