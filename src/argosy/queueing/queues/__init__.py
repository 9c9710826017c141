"""What waits: a line and a parking place per ClusterQueue, and who is asked next. Pure; the caller has the clock."""
