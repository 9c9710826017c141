"""Scenarios played on a real kube-controller-manager and on Argosy's controllers: the same objects must come of it."""
