"""Where in a YAML file a field stands, so that a mistake can be told by file, line and field.

Fields are named as Kubernetes names them (`members[2].nodePools[0].machine.cpu`). A key may have dots itself
(`labels.example.com/team`), so of the keys that fit the rest of a path the longest is taken. A field that is not there
stands where its parent stands. The file is read a second time for this, because only files with mistakes need it.
"""

from __future__ import annotations

import re
from typing import Final

import yaml

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INDEX: Final = re.compile(r"\[(\d+)\]").match
_MERGE: Final = "tag:yaml.org,2002:merge"


class Lines:
    """The lines of one file, which has been read without error before."""

    def __init__(self, body: bytes) -> None:
        loader = _LOADER(body)
        try:
            # Of the first document; what may come after it is somebody else's mistake.
            self._root: yaml.Node | None = loader.get_node() if loader.check_node() else None
        finally:
            loader.dispose()

    def of(self, path: str) -> int:
        """The line of a field, or of the innermost part of its path that is there; lines begin with 1."""
        if self._root is None:
            return 1
        node, line = self._root, self._root.start_mark.line
        rest = path
        while rest:
            step = _step(node, rest)
            if step is None:
                break
            node, line, rest = step
        return int(line) + 1


def _step(node: yaml.Node, path: str) -> tuple[yaml.Node, int, str] | None:
    """One step down: the child, its line, and what is left of the path."""
    if isinstance(node, yaml.SequenceNode):
        found = _INDEX(path)
        if found is None or int(found[1]) >= len(node.value):
            return None
        child = node.value[int(found[1])]
        return child, child.start_mark.line, path[found.end() :].removeprefix(".")
    if not isinstance(node, yaml.MappingNode):
        return None
    key = max(_fitting(node, path), key=lambda each: len(each[0].value), default=None)
    if key is None:
        return None
    rest = path[len(key[0].value) :].removeprefix(".")
    return key[1], key[0].start_mark.line, rest


def _fitting(node: yaml.MappingNode, path: str) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    """Entries whose keys the path may begin with; what is merged into a mapping comes after its own."""
    own, merged = [], []
    for key, value in node.value:
        if key.tag == _MERGE:
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for source in sources:
                merged += _fitting(source, path) if isinstance(source, yaml.MappingNode) else []
        elif isinstance(key, yaml.ScalarNode) and _begins(path, key.value):
            own.append((key, value))
    return own + merged


def _begins(path: str, key: str) -> bool:
    return path == key or (path.startswith(key) and path[len(key)] in ".[")
