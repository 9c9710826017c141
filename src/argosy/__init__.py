"""Argosy: AI jobs over a fleet of Kubernetes clusters.

`argosy.Fleet` and `argosy.AsyncFleet` are the Python SDK (`argosy.sdk`), loaded when first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argosy.sdk import AsyncFleet, Fleet

__version__ = "0.1.0"
__all__ = ["AsyncFleet", "Fleet", "__version__"]


def __getattr__(name: str) -> object:
    if name in {"AsyncFleet", "Fleet"}:
        from argosy import sdk

        return getattr(sdk, name)
    raise AttributeError(f"module 'argosy' has no attribute '{name}'")
