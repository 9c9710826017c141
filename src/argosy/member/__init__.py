"""KubeFleet's member agent: what a cluster of the fleet does for the hub.

`joining` reports to the hub that the cluster is there, healthy, and what it has (`properties`); `applying` makes the
cluster what its Works say and tells how that went. It reaches the hub as an identity that sees its own namespace only,
and its own cluster as an administrator.
"""
