"""How fast Jobs run: one Argosy cluster with simulated nodes, and kwok on a real control plane."""
