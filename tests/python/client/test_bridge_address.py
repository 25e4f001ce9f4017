"""Addresses that a terminal may give, and those that it may not."""

from __future__ import annotations

import pytest

from bridge.client.bridge_address import parse_address


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("end", ["", "/"])
@pytest.mark.parametrize("port", [1, 80, 65_535])
def test_a_loopback_name_with_a_port_is_an_address(host: str, end: str, port: int) -> None:
    address = parse_address(f"http://{host}:{port}{end}")
    assert (address.host, address.port) == (host, port)
    assert address.url == f"http://{host}:{port}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "127.0.0.1:80",
        "http://127.0.0.1",
        "http://127.0.0.1:0",
        "http://127.0.0.1:65536",
        "http://127.0.0.1:080",
        "http://127.0.0.1:80/rpc",
        "http://127.0.0.1:80?x",
        "http://127.0.0.1:80\n",
        "https://127.0.0.1:80",
        "http://0.0.0.0:80",
        "http://[::1]:80",
        "http://127.0.0.2:80",
        "http://127.1:80",
        "http://localhost.evil.example:80",
        "http://evil.example:80",
        "http://127.0.0.1:80@evil.example",
        "http://user:pw@127.0.0.1:80",
        "http://LOCALHOST:80",
    ],
)
def test_anything_else_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r"http://127\.0\.0\.1:PORT"):
        parse_address(text)
