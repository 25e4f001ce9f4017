"""What an app tells of its resources, and parts of them: checked.

A resource is the app's own; its `uri` is never a path of a file. Contract: resources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, cast

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.limits import PROTOCOL_LIMITS
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.eventually import Eventually, Later
from bridge.dispatcher.host import Resource
from bridge.dispatcher.runtime import Runtime

__all__ = ["WholeRead", "checked_resource", "checked_resources", "checked_templates"]

_TEXTS: Final = ("title", "description", "mimeType")


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


def checked_resources(listed: object) -> list[dict[str, Any]]:
    """Copy what a host lists. Raises `AppError` `INVALID_OUTPUT`."""
    return _entries(
        listed, "uri", "What the app tells of its resources is not a list of objects with uri and"
        " name."
    )  # fmt: skip


def checked_templates(listed: object) -> list[dict[str, Any]]:
    """Copy what a host lists of the forms of names. Raises `AppError` `INVALID_OUTPUT`."""
    return _entries(
        listed, "uriTemplate", "What the app tells of its resource templates is not a list of"
        " objects with uriTemplate and name."
    )  # fmt: skip


def _entries(listed: object, member: str, refusal: str) -> list[dict[str, Any]]:
    if isinstance(listed, list | tuple):
        entries = [_entry(each, member) for each in listed]
        if None not in entries:
            return cast("list[dict[str, Any]]", entries)
    raise AppError(AppErrorCode.INVALID_OUTPUT, refusal)


def _entry(listed: object, member: str) -> dict[str, Any] | None:
    """Copy the members that are known; None where one is not what it must be."""
    if not isinstance(listed, Mapping):
        return None
    entry: dict[str, Any] = {}
    for name in (member, "name", *_TEXTS):
        if name in listed:
            if not isinstance(listed[name], str):
                return None
            entry[name] = str.__str__(listed[name])
    if not entry.get(member) or not entry.get("name"):
        return None
    if "size" in listed and member == "uri":
        size = listed["size"]
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            return None
        entry["size"] = int(size)
    return entry


class WholeRead:
    """One resource, read part by part. `read` gives a part, checked: uri, offset, limit."""

    def __init__(
        self,
        read: Callable[[str, int, int], Eventually[Resource | None]],
        uri: str,
        max_bytes: int,
        runtime: Runtime,
    ) -> None:
        self._read = read
        self._uri = uri
        self._max_bytes = max_bytes
        self._data = bytearray()
        self._whole: Later[Resource | None] = Later(runtime)

    def run(self) -> Eventually[Resource | None]:
        """Read it: None for what there is not. One that is too large is not read to its end."""
        self._go_on()
        return self._whole.result() if self._whole.settled else self._whole

    def _go_on(self) -> None:
        # A loop and no recursion: an app may give it byte by byte.
        limit = PROTOCOL_LIMITS.max_resource_chunk_bytes
        try:
            while not self._whole.settled:
                part = self._read(self._uri, len(self._data), limit)
                if isinstance(part, Later) and not part.settled:
                    part.when_settled(partial(self._resume, part))
                    return
                self._take(part.result() if isinstance(part, Later) else part)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
            self._whole.fail(error)

    def _resume(self, part: Later[Resource | None]) -> None:
        try:
            self._take(part.result())
        except BaseException as error:  # noqa: BLE001 - as above
            self._whole.fail(error)
        self._go_on()

    def _take(self, part: Resource | None) -> None:
        if part is None:
            self._whole.settle(None)
            return
        self._data += part.data
        if len(self._data) >= part.size or part.size > self._max_bytes:
            data = b"" if part.size > self._max_bytes else bytes(self._data)
            self._whole.settle(Resource(part.mime_type, part.size, data))
