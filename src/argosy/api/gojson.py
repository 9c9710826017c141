"""JSON as Go's encoding/json writes it, for hashes that have to equal upstream's.

Go escapes what could end a script in a web page: `<`, `>`, `&` and the two line separators of Unicode.
"""

from __future__ import annotations

from typing import Final

import msgspec

_ESCAPES: Final = (
    (b"&", rb"\u0026"),
    (b"<", rb"\u003c"),
    (b">", rb"\u003e"),
    ("\u2028".encode(), rb"\u2028"),
    ("\u2029".encode(), rb"\u2029"),
)


def go_json(value: object) -> bytes:
    """The value's JSON. Structs keep the order of their fields; dicts are written as they are."""
    body = msgspec.json.encode(value)
    for plain, escaped in _ESCAPES:
        if plain in body:
            body = body.replace(plain, escaped)
    return body
