"""Kueue: who runs next in a cluster. The pure heart, and the controllers around it."""
