"""The controller runtime: informers, work queues, reconcilers, events, leases, metrics."""
