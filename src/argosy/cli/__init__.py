"""The argosy command."""
