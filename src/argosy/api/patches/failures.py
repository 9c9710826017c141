"""How a patch fails, with the codes Kubernetes answers.

    BadRequest (base.errors)  400  the patch is not of its format
    Unprocessable             422  a JSON patch operation does not fit the object; the text never says which one
    PatchFailed               500  the strategic merge patch contradicts itself or the object; no reason, only the text

That the last is a 500 is upstream's doing: its merge returns plain errors. Clients test for it, so it stays.
"""

from __future__ import annotations

from argosy.base.errors import Details, StatusError, Unclassified


class Unprocessable(StatusError):
    """A JSON patch that cannot be applied. `why` is for logs and tests; the wire carries one text for all."""

    code, reason = 422, "Invalid"

    def __init__(self, why: str) -> None:
        super().__init__(
            "the server rejected our request due to an error in our request", details=Details()
        )
        self.why = why


class PatchFailed(Unclassified):
    """A patch that contradicts itself, the object or its schema."""
