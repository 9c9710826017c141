"""Deployments: templates rolled out over ReplicaSets."""

from __future__ import annotations

from argosy.workloads.apps.deployments.controllers import Deployments

__all__ = ["Deployments"]
