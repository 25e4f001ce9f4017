"""A bridge's address, as a terminal may give it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["LOOPBACK", "BridgeAddress", "parse_address"]

LOOPBACK: Final = "127.0.0.1"
"""What is dialled, whatever name was given: a name may be answered by somebody else."""

_URL: Final = re.compile(r"http://(127\.0\.0\.1|localhost):([1-9][0-9]{0,4})/?")


class BridgeAddress(NamedTuple):
    """A port on this machine's loopback address."""

    host: str
    """The name that was given: 127.0.0.1 or localhost."""
    port: int

    @property
    def url(self) -> str:
        """The address as it is written."""
        return f"http://{self.host}:{self.port}"


def parse_address(text: str) -> BridgeAddress:
    """Read `http://127.0.0.1:PORT` or `http://localhost:PORT`. Raises `ValueError`."""
    match = _URL.fullmatch(text)
    if match is None or int(match[2]) > 65_535:
        raise ValueError("a bridge's address is http://127.0.0.1:PORT or http://localhost:PORT")
    return BridgeAddress(match[1], int(match[2]))
