"""Argosy: AI jobs over a fleet of Kubernetes clusters."""

__version__ = "0.1.0"
