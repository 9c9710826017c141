"""CronJobs: Jobs that are made again and again, by the clock."""

from __future__ import annotations

from argosy.workloads.cronjobs.controllers import CronJobs

__all__ = ["CronJobs"]
