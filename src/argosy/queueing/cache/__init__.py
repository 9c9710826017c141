"""What is used: ClusterQueues, cohorts, flavors, checks and the workloads that hold quota, kept by deltas. Pure."""
