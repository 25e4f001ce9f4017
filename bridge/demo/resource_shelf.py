"""Files that the app has made and whoever asked may read in parts. In memory, and bounded.

Names are the app's own, never paths of files.
"""

from __future__ import annotations

from typing import Final

from bridge.dispatcher.host import Resource

__all__ = ["ResourceShelf"]

_MAX_FILES: Final = 32
_MAX_BYTES: Final = 16 * 1_048_576


class ResourceShelf:
    """The newest 32 files, of at most 16 MiB together; older ones make room."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[str, bytes]] = {}
        self._bytes = 0

    def put(self, uri: str, mime_type: str, data: bytes) -> None:
        """Keep a file. One of the same name is replaced."""
        self._drop(uri)
        self._files[uri] = (mime_type, data)
        self._bytes += len(data)
        while len(self._files) > 1 and (len(self._files) > _MAX_FILES or self._bytes > _MAX_BYTES):
            self._drop(next(iter(self._files)))

    def read(self, uri: str, offset: int, limit: int) -> Resource | None:
        """Return a part of a file; None for one that there is not, or no more."""
        found = self._files.get(uri)
        if found is None:
            return None
        mime_type, data = found
        return Resource(mime_type, len(data), data[offset : offset + limit])

    def listed(self) -> list[dict[str, str | int]]:
        """Tell of all files, in the order in which they came."""
        return [
            {"uri": uri, "name": uri.partition(":")[2], "mimeType": mime_type, "size": len(data)}
            for uri, (mime_type, data) in self._files.items()
        ]

    def _drop(self, uri: str) -> None:
        _, data = self._files.pop(uri, ("", b""))
        self._bytes -= len(data)
