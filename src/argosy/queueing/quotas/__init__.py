"""The quota tree: who may use how much, who uses how much, and whose share is how large. Pure.

Mirrors Kueue's `resource_node.go` and `fair_sharing.go`. ClusterQueues are leaves and cohorts inner nodes; amounts are
whole numbers in fixed-order vectors, one order for all nodes of a tree.
"""
