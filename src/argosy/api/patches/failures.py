"""How a patch fails, with the codes Kubernetes answers.

    BadRequest (base.errors)  400  the patch is not of its format
    Unprocessable             422  a JSON patch operation does not fit the object; the text never says which one
    PatchFailed               400  the patch contradicts itself, the object or its schema

For the last upstream answers 500, because its merge returns plain errors; the text is the same.
"""

from __future__ import annotations

from argosy.base.errors import BadRequest, Details, StatusError


class Unprocessable(StatusError):
    """A JSON patch that cannot be applied. `why` is for logs and tests; the wire carries one text for all."""

    code, reason = 422, "Invalid"

    def __init__(self, why: str) -> None:
        super().__init__(
            "the server rejected our request due to an error in our request", details=Details()
        )
        self.why = why


class PatchFailed(BadRequest):
    """A patch that contradicts itself, the object or its schema."""
