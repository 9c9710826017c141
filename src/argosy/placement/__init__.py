"""KubeFleet's hub: from an object to the right clusters, and the truth back.

A placement is selected (`selecting`), kept as snapshots (`snapshotting`), given clusters (`scheduling`), let out in
steps (`rollouts`, or `updateruns` where people decide), changed per cluster (`overriding`), sent as Works (`working`)
and told about (`statuses`). `membership` is who belongs to the fleet, `evictions` who has to leave a cluster. Every
step is a pure decider under a thin controller; they meet in the objects they write, which each reads in `views`.
"""
