"""Who runs next in a cluster: Kueue's API and behavior."""
