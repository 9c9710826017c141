"""How queueing is set up, in Kueue's own file format (config.kueue.x-k8s.io, `Configuration`).

`decode` reads a file of either version, fills in what it leaves out and refuses what is wrong, naming every field;
`Configuration()` is what holds without a file.
"""

from __future__ import annotations

from argosy.queueing.configuration.decoding import ConfigurationError, decode
from argosy.queueing.configuration.settings import Configuration, WaitForPodsReady

__all__ = ["Configuration", "ConfigurationError", "WaitForPodsReady", "decode"]
