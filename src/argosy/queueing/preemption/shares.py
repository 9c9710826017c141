"""Shares of nodes during one search, each worked out once and again only after usage below it changed."""

from __future__ import annotations

from typing import Final

from argosy.queueing.quotas.nodes import Node
from argosy.queueing.quotas.shares import Share, share_of


class Shares:
    """What `share_of` says of the tree as it is, remembered."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: Final[dict[Node, Share]] = {}

    def of(self, node: Node) -> Share:
        share = self._known.get(node)
        if share is None:
            share = self._known[node] = share_of(node)
        return share

    def forget(self, queue: Node) -> None:
        """The usage of a ClusterQueue changed, and with it that of its cohorts."""
        for node in queue.path():
            self._known.pop(node, None)
