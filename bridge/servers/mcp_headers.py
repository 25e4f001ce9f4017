"""The headers of a request to `/mcp`, judged together with its message. Pure.

The modern revision repeats parts of the message in headers, so that what stands between may route
by them: where the two differ, somebody was told something else than the app. Contract: MCP.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bridge.contract.error_codes import JsonRpcErrorNumber
from bridge.contract.mcp_messages import (
    LEGACY,
    META_PROTOCOL_VERSION,
    MODERN,
    OLDER,
    McpErrorNumber,
    Refusal,
)
from bridge.servers.bridge_gate import RequestHead

__all__ = [
    "EVENT_STREAM",
    "accepts_both",
    "claims_modern",
    "legacy_header_refusal",
    "modern_header_refusal",
]

EVENT_STREAM: Final = "text/event-stream"
_LEGACY_VERSIONS: Final = frozenset({LEGACY.encode(), OLDER.encode(), b"2025-03-26"})
"""The last is what a legacy request without the header is taken for."""
_NAMED_BY: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}
_ENCODED: Final = re.compile(rb"=\?base64\?([A-Za-z0-9+/]*={0,2})\?=")
_NO_QUALITY: Final = re.compile(r"q[ \t]*=[ \t]*0(?:\.0{0,3})?")


def accepts_both(accept: Sequence[bytes]) -> bool:
    """Say whether `Accept` admits both forms of an answer; without the header it admits all."""
    if not accept:
        return True
    ranges: dict[str, bool] = {}
    for entry in b",".join(accept).decode("latin-1").lower().split(","):
        media, *parameters = (part.strip() for part in entry.split(";"))
        refused = any(_NO_QUALITY.fullmatch(parameter) for parameter in parameters)
        ranges[media] = ranges.get(media, True) and not refused
    return _admits(ranges, "application/json") and _admits(ranges, EVENT_STREAM)


def _admits(ranges: Mapping[str, bool], wanted: str) -> bool:
    """Judge by the range that says most about a type: one refused by name is refused."""
    for each in (wanted, wanted.partition("/")[0] + "/*", "*/*"):
        if each in ranges:
            return ranges[each]
    return False


def claims_modern(head: RequestHead) -> bool:
    """Say whether the headers are of the modern revision, whatever the message is."""
    return _versions(head) == [MODERN.encode()]


def modern_header_refusal(
    head: RequestHead, method: str, params: Mapping[str, Any]
) -> Refusal | None:
    """Compare the headers of a modern request with its message."""
    version = params["_meta"][META_PROTOCOL_VERSION]
    return (
        _mismatch("MCP-Protocol-Version", _versions(head), version)
        or _mismatch("Mcp-Method", head.values(b"mcp-method"), method)
        or _name_refusal(head, method, params)
    )


def legacy_header_refusal(head: RequestHead) -> Refusal | None:
    """Check the only header of a legacy message. One that lacks it is taken as it is."""
    versions = _versions(head)
    if not versions or (len(versions) == 1 and versions[0] in _LEGACY_VERSIONS):
        return None
    text = "The header MCP-Protocol-Version names no revision that is served here."
    return Refusal(JsonRpcErrorNumber.INVALID_REQUEST, text)


def _versions(head: RequestHead) -> list[bytes]:
    return [value.strip(b" \t") for value in head.values(b"mcp-protocol-version")]


def _name_refusal(head: RequestHead, method: str, params: Mapping[str, Any]) -> Refusal | None:
    member = _NAMED_BY.get(method)
    names = head.values(b"mcp-name")
    if member is None or (not names and not isinstance(params.get(member), str)):
        # That a name is missing from both is for the tool's own checks to say.
        return None
    return _mismatch("Mcp-Name", names, params.get(member))


def _mismatch(name: str, values: Sequence[bytes], wanted: object) -> Refusal | None:
    if len(values) == 1 and isinstance(wanted, str) and _decoded(values[0]) == wanted:
        return None
    how = "does not match the message" if len(values) == 1 else "must be there exactly once"
    return Refusal(McpErrorNumber.HEADER_MISMATCH, f"The header {name} {how}.")


def _decoded(value: bytes) -> str | None:
    """Return what a header's value stands for; None for what no client may send."""
    value = value.strip(b" \t")
    encoded = _ENCODED.fullmatch(value)
    try:
        if encoded is not None:
            return b64decode(encoded[1], validate=True).decode()
        if value.startswith(b"=?base64?") and value.endswith(b"?="):
            return None
        return value.decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return None
