"""Whether a cluster's API server answers, as the code of an HTTP answer.

Upstream asks `/readyz`. An agent has a Client, which may be of this process, so it asks for the cheapest list there is;
one that does not come in time counts as a server that gave up.
"""

from __future__ import annotations

import asyncio
from typing import Final

from argosy.base.errors import StatusError, Timeout
from argosy.client.protocol import Client
from argosy.client.resources import NAMESPACES

_PATIENCE_SECONDS: Final = 10.0
_OK: Final = 200


async def probe(client: Client) -> int:
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await client.list(NAMESPACES, limit=1)
    except StatusError as error:
        return error.code
    except TimeoutError:
        return Timeout.code
    return _OK
