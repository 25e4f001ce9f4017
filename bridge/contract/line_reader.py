"""Cuts a stream of bytes into lines of bounded length, at line feeds only.

Works on bytes, so that it does not matter where a read ends: within a character as well as
within a line. Does no input itself. Contract: control protocol 1, framing.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["LineReader"]


class LineReader:
    """Collects bytes and gives lines, without their line break; None for one that is too long.

    What is too long is not kept, whatever its length, and the line after it is read as any other.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._line = bytearray()
        self._too_long = False

    @property
    def has_part(self) -> bool:
        """Whether the beginning of a line waits for its end."""
        return bool(self._line) or self._too_long

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """Take what was read and yield the lines that it completes."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            if self._line or self._too_long or len(piece) > self._max_bytes:
                self._collect(piece)
                yield self._take()
            else:
                yield piece.removesuffix(b"\r")
        if rest:
            self._collect(rest)

    def finish(self) -> Iterator[bytes | None]:
        """Yield the last line, where the stream ended without a line break."""
        if self._line or self._too_long:
            yield self._take()

    def _collect(self, piece: bytes) -> None:
        # One more than the limit may still be the carriage return of a line that is within it.
        if not self._too_long and len(self._line) + len(piece) <= self._max_bytes + 1:
            self._line += piece
        elif piece:
            self._too_long = True
            self._line.clear()

    def _take(self) -> bytes | None:
        line = bytes(self._line).removesuffix(b"\r")
        too_long = self._too_long or len(line) > self._max_bytes
        self._line.clear()
        self._too_long = False
        return None if too_long else line
