"""Writes PNG files of RGB pixels, a few rows at a time. Contract: the PNG specification."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from typing import Final

__all__ = ["PNG_SIGNATURE", "PngWriter"]

PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_RGB: Final = 2


class PngWriter:
    """One file: all rows from the top, then `finish`."""

    def __init__(self, width: int, height: int) -> None:
        header = struct.pack(">IIBBBBB", width, height, 8, _RGB, 0, 0, 0)
        self._parts = [PNG_SIGNATURE, _chunk(b"IHDR", header)]
        self._compress = zlib.compressobj(6)

    def write(self, rows: Iterable[bytes | memoryview]) -> None:
        """Add rows of three bytes for each pixel."""
        # Each row begins with the number of its filter: none.
        lines = b"".join(part for row in rows for part in (b"\0", row))
        data = self._compress.compress(lines)
        if data:
            self._parts.append(_chunk(b"IDAT", data))

    def finish(self) -> bytes:
        """Return the file."""
        self._parts.append(_chunk(b"IDAT", self._compress.flush()))
        self._parts.append(_chunk(b"IEND", b""))
        return b"".join(self._parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
