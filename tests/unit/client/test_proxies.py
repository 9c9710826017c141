"""Proxies of the environment, as Go reads them."""

from __future__ import annotations

import pytest

from argosy.client.proxies import proxy_of

SERVER = "https://api.example.com:6443"
PROXY = {"HTTPS_PROXY": "http://proxy:3128"}
USED = "http://proxy:3128"

CASES: dict[str, tuple[str, dict[str, str], str]] = {
    "nothing is set": (SERVER, {}, ""),
    "it is set": (SERVER, PROXY, USED),
    "in lower case, which wins": (
        SERVER,
        {**PROXY, "https_proxy": "http://lower:1"},
        "http://lower:1",
    ),
    "without a scheme": (SERVER, {"HTTPS_PROXY": "proxy:3128"}, USED),
    "for the other scheme only": (SERVER, {"HTTP_PROXY": "http://proxy:3128"}, ""),
    "for plain HTTP": ("http://api.example.com", {"HTTP_PROXY": "http://proxy:3128"}, USED),
    "never for this machine": ("https://127.0.0.1:6443", PROXY, ""),
    "nor by its name": ("https://localhost:6443", PROXY, ""),
    "nor over IPv6": ("https://[::1]:6443", PROXY, ""),
    "everything direct": (SERVER, {**PROXY, "NO_PROXY": "*"}, ""),
    "a domain and below": (SERVER, {**PROXY, "NO_PROXY": "other.org, example.com"}, ""),
    "below a domain": (SERVER, {**PROXY, "NO_PROXY": ".example.com"}, ""),
    "below does not mean itself": (
        "https://example.com",
        {**PROXY, "NO_PROXY": ".example.com"},
        USED,
    ),
    "a name that ends alike": (SERVER, {**PROXY, "NO_PROXY": "ple.com"}, USED),
    "its port": (SERVER, {**PROXY, "NO_PROXY": "api.example.com:6443"}, ""),
    "another port": (SERVER, {**PROXY, "NO_PROXY": "api.example.com:443"}, USED),
    "the usual port": ("https://api.example.com", {**PROXY, "NO_PROXY": "api.example.com:443"}, ""),
    "an address": ("https://10.1.2.3:6443", {**PROXY, "NO_PROXY": "10.1.2.3"}, ""),
    "a network": ("https://10.1.2.3:6443", {**PROXY, "NO_PROXY": "10.0.0.0/8"}, ""),
    "another network": ("https://10.1.2.3:6443", {**PROXY, "NO_PROXY": "192.168.0.0/16"}, USED),
    "no network": ("https://10.1.2.3:6443", {**PROXY, "NO_PROXY": "10.0.0.0/99"}, USED),
    "an IPv6 network": ("https://[fd00::1]:6443", {**PROXY, "NO_PROXY": "fd00::/8"}, ""),
    "empty entries": (SERVER, {**PROXY, "NO_PROXY": " , ,"}, USED),
}


@pytest.mark.parametrize(("server", "env", "want"), CASES.values(), ids=CASES.keys())
def test_which_proxy(server: str, env: dict[str, str], want: str) -> None:
    assert proxy_of(server, env) == want
