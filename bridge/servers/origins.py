"""The addresses that a bridge is configured with: the app's origin, its page, forwarded hosts.

An origin is compared byte for byte with what browsers send, so it must be given exactly as they
write it. A slip is refused at start-up with the right spelling, not at the first request.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

__all__ = ["ConfigurationError", "check_origin", "check_page", "check_public_host"]

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_NAME: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}")


class ConfigurationError(ValueError):
    """A bridge cannot be started with this configuration. The message is for people."""


def check_origin(text: str) -> str:
    """Return an http(s) origin that is written as browsers write it.

    Raises `ConfigurationError` for any other text, with the right spelling where there is one.
    """
    if text == "null":
        raise ConfigurationError(
            "origin null belongs to every file and sandboxed frame; serve the page over http"
        )
    serialized = _serialize(text)
    if serialized is None:
        raise ConfigurationError(
            "an origin is http:// or https://, a host and perhaps a port, "
            "such as http://127.0.0.1:8765"
        )
    if serialized != text:
        raise ConfigurationError(f"write the origin as browsers do: {serialized}")
    return serialized


def check_page(text: str, origin: str) -> str:
    """Return the URL of the page, which must be of the origin and have no fragment.

    Raises `ConfigurationError`. The fragment is where the attach link puts its secret.
    """
    if not text.isprintable() or not text.isascii() or " " in text:
        raise ConfigurationError("the page's URL has characters that must be percent-encoded")
    if "#" in text:
        raise ConfigurationError("the page's URL must have no fragment: the attach link adds one")
    if text != origin and not text.startswith((origin + "/", origin + "?")):
        raise ConfigurationError(f"the page must be of the origin {origin}")
    return text


def check_public_host(text: str) -> str:
    """Return a `HOST:PORT` by which a forwarded port is reached: loopback literals only.

    Raises `ConfigurationError`. Any other name could be made to point here by somebody else.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not _is_port(port):
        raise ConfigurationError("a public host needs its port, such as localhost:9000")
    if host != "localhost" and not _is_loopback(host):
        raise ConfigurationError("a public host is localhost, 127.x.x.x or [::1], with its port")
    return text


def _serialize(text: str) -> str | None:
    """Return the origin of a URL as browsers write it, or None when it has none of ours."""
    if not text.isprintable() or not text.isascii() or " " in text:
        return None
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        return None
    host = _host(url)
    if url.scheme not in _DEFAULT_PORTS or host is None or port == 0:
        return None
    default = port is None or port == _DEFAULT_PORTS[url.scheme]
    return f"{url.scheme}://{host}" + ("" if default else f":{port}")


def _host(url: SplitResult) -> str | None:
    host = url.hostname
    if not host or "@" in url.netloc:
        return None
    try:
        if ":" in host:
            return f"[{ipaddress.IPv6Address(host).compressed}]"
        if host.rpartition(".")[2].isdigit():
            return str(ipaddress.IPv4Address(host))
    except ValueError:
        return None
    return host if _NAME.fullmatch(host) and len(host) <= 253 else None


def _is_port(text: str) -> bool:
    return bool(_PORT.fullmatch(text)) and int(text) <= 65_535


def _is_loopback(host: str) -> bool:
    if host == "[::1]":
        return True
    try:
        address = ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return address.is_loopback and str(address) == host
