"""Which form an Accept header gets."""

from __future__ import annotations

import pytest

from argosy.apiserver.negotiation import JSON, Form, negotiate
from argosy.base.errors import NotAcceptable

TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"
FORMS = {
    "": JSON,
    "application/json": JSON,
    "*/*": JSON,
    "application/*": JSON,
    "application/yaml": Form(yaml=True),
    TABLE: Form(transform="Table"),
    "application/json;as=Table;g=meta.k8s.io;v=v1beta1": Form(transform="Table", version="v1beta1"),
    f"application/json;as=Table;g=other;v=v1, {TABLE}": Form(transform="Table"),
    f"{TABLE},application/json": Form(transform="Table"),
    "application/json;as=Unknown;g=meta.k8s.io;v=v1,application/json": JSON,
    "application/vnd.kubernetes.protobuf,application/json": JSON,
    "application/json;q=0.5, application/yaml": Form(yaml=True),
    "application/yaml;q=0.1,*/*;q=0.1": Form(yaml=True),
    "text/html, application/yaml;q=0.9, */*;q=0.8": Form(yaml=True),
    "application/json;q=nonsense": JSON,
    "application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": Form(
        yaml=True, transform="PartialObjectMetadata"
    ),
}


@pytest.mark.parametrize("accept", FORMS)
def test_the_best_form_wins(accept: str) -> None:
    assert negotiate(accept) == FORMS[accept]


KNOWN = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
REFUSALS = {
    "image/png": f"406: Not Acceptable\n\nAvailable representations: {KNOWN}",
    "text/plain": f"406: Not Acceptable\n\nAvailable representations: {KNOWN}",
    "application/json;as=Table;g=meta.k8s.io;v=v9": f"only the following media types are accepted: {KNOWN}",
    "application/vnd.kubernetes.protobuf": f"only the following media types are accepted: {KNOWN}",
}


@pytest.mark.parametrize("accept", REFUSALS)
def test_refusals(accept: str) -> None:
    with pytest.raises(NotAcceptable) as got:
        negotiate(accept)
    assert got.value.message == REFUSALS[accept]
