"""Names of container images: `[domain/]repository[:tag][@digest]`, as container runtimes read them.

Only what the API server asks of a name is here: is it one, and does it mean `latest`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_DOMAIN: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST: Final = rf"(?:{_DOMAIN}(?:\.{_DOMAIN})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_COMPONENT: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REMOTE: Final = rf"{_COMPONENT}(?:/{_COMPONENT})*"
_TAG: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"

_host = re.compile(_HOST).fullmatch
_remote = re.compile(rf"{_REMOTE}(?::(?P<tag>{_TAG}))?(?P<digest>@{_DIGEST})?").fullmatch
_identifier = re.compile("[a-f0-9]{64}").fullmatch

_LONGEST_NAME: Final = 255


@lru_cache(maxsize=4096)
def pull_policy(image: str) -> str:
    """Always for the tag `latest`, said or implied; any other tag, a digest or no image name at all is IfNotPresent."""
    if _identifier(image):
        return "IfNotPresent"
    first, slash, rest = image.partition("/")
    # The first part is a host where it cannot be a part of a repository.
    if slash and (first == "localhost" or "." in first or ":" in first or first != first.lower()):
        if not _host(first):
            return "IfNotPresent"
        found = _remote(rest)
    else:
        found = _remote(image)
    if found is None or len(image) > _LONGEST_NAME + 128:
        return "IfNotPresent"
    tag, digest = found["tag"], found["digest"]
    return "Always" if tag == "latest" or (tag is None and digest is None) else "IfNotPresent"
