"""Parts of what an app has too much of for one answer: checked.

A resource is the app's own; its `uri` is never a path of a file. Contract: resources.
"""

from __future__ import annotations

from typing import cast

from bridge.dispatcher.host import Resource

__all__ = ["checked_resource"]


def checked_resource(found: Resource, offset: int, limit: int) -> Resource:
    """Believe a host's answer as far as its numbers fit together, and copy it.

    `limit` is how many bytes were asked for. Raises `TypeError` and `ValueError`.
    """
    mime_type, size, data = cast("tuple[object, object, object]", found)
    if (
        not isinstance(mime_type, str)
        or not isinstance(size, int)
        or isinstance(size, bool)
        or not isinstance(data, bytes | bytearray | memoryview)
    ):
        raise TypeError("a resource is a media type, a size and bytes")
    held = bytes(data)
    if size < 0 or len(held) > limit or len(held) > max(size - offset, 0):
        raise ValueError("the host gave more of a resource than there is, or was asked for")
    if not held and offset < size:
        raise ValueError("the host gave nothing of a resource that goes on")
    return Resource(str(mime_type), int(size), held)
