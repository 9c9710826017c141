"""The Client protocol: local (a store in this process) and remote (any Kubernetes API server)."""
