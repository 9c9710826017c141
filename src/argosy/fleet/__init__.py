"""Builds clusters: state directory, certificates, kubeconfig, servers."""
