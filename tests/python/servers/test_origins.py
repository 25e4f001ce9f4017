"""Configured origins are taken exactly as browsers write them, and nothing else is."""

from __future__ import annotations

import pytest

from bridge.servers.origins import ConfigurationError, check_origin, check_page, check_public_host


@pytest.mark.parametrize(
    "origin",
    [
        "http://127.0.0.1:8765",
        "http://localhost",
        "https://app.example",
        "https://app.example:8443",
        "http://[::1]:3000",
        "https://xn--bcher-kva.example",
        "https://my_app.example",
    ],
)
def test_an_origin_as_browsers_write_it_is_taken(origin: str) -> None:
    assert check_origin(origin) == origin


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("https://App.example", "https://app.example"),
        ("https://app.example/", "https://app.example"),
        ("https://app.example:443", "https://app.example"),
        ("http://app.example:80", "http://app.example"),
        ("https://app.example/page?x#y", "https://app.example"),
        ("HTTPS://app.example", "https://app.example"),
        ("http://[0:0::1]", "http://[::1]"),
    ],
)
def test_a_slip_is_refused_with_the_right_spelling(wrong: str, right: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"{right.replace('[', chr(92) + '[')}$"):
        check_origin(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "", "*", "null", "app.example", "//app.example", "ftp://app.example", "file:///x",
        "http://", "http://user@app.example", "http://app.example:0", "http://app.example:65536",
        "http://app.example:x", "http://bücher.example", "http://a b", "http://a\n", "http://-a",
        "http://a..b", "http://1.2.3.4.5", "http://256.1.1.1", "http://[::g]", "http://" + "a" * 64,
    ],
)  # fmt: skip
def test_what_is_no_origin_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError):
        check_origin(text)


def test_a_page_is_of_the_origin_and_has_no_fragment() -> None:
    origin = "https://app.example"
    for page in (origin, f"{origin}/", f"{origin}/a?b=c", f"{origin}?b"):
        assert check_page(page, origin) == page
    for page in (f"{origin}/#x", "https://app.example.evil/", "/", f"{origin}/a b", f"{origin}/é"):
        with pytest.raises(ConfigurationError):
            check_page(page, origin)


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1:1", "127.8.8.8:65535", "[::1]:80"])
def test_a_loopback_public_host_is_taken(host: str) -> None:
    assert check_public_host(host) == host


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "127.0.0.1", "localhost:0", "localhost:65536", "localhost:", ":80",
        "evil.example:80", "10.0.0.1:80", "0.0.0.0:80", "LOCALHOST:80", "localhost.evil:80",
        "127.1:80", "127.0.0.01:80", "[::]:80", "::1:80", "localhost:80:80", "http://localhost:80",
    ],
)  # fmt: skip
def test_any_other_public_host_is_refused(host: str) -> None:
    with pytest.raises(ConfigurationError):
        check_public_host(host)
