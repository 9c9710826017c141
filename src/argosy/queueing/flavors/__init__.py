"""Which flavors a workload would get, and whether it fits there now, after preemption, or not at all. Pure."""
