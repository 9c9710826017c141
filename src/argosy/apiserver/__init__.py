"""The Kubernetes HTTP API over a store."""
