"""Messages of the worst shapes: as large and as branchy as the limits allow, and beyond."""

from __future__ import annotations

from bridge.contract.limits import JSON_LIMITS

__all__ = ["hostile_bodies", "largest_request"]

_ROOM = JSON_LIMITS.max_encoded_bytes


def largest_request() -> bytes:
    """Return one request at the limits: as many values as may be, and a mebibyte of text."""
    rows = (JSON_LIMITS.max_values - 24) // 4_000
    values = b",".join(b"[" + b",".join([b"[]"] * 3_990) + b"]" for _ in range(rows))
    head = b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"v":[' + values + b'],"t":["'
    left = _ROOM - len(head) - 40
    texts = []
    while left > 0:
        size = min(left, JSON_LIMITS.max_string_bytes)
        texts.append(b"x" * size)
        left -= size + 3
    return head + b'","'.join(texts) + b'"]}}'


def _filled(unit: bytes, before: bytes = b"", after: bytes = b"") -> bytes:
    return before + unit * ((_ROOM - len(before) - len(after)) // len(unit)) + after


def hostile_bodies() -> dict[str, bytes]:
    """Return bodies of `/rpc` that try to hold the event loop, by what they do."""
    requests = {
        "at the limits": largest_request(),
        "empty arrays": _filled(b"[],", b'{"v":[', b"0]}"),
        "small numbers": _filled(b"1,", b'{"v":[', b"0]}"),
        "empty strings": _filled(b'"",', b'{"v":[', b"0]}"),
        "escaped backslashes": _filled(b'"\\\\",', b'{"v":[', b"0]}"),
        "deep arrays": _filled(b"["),
        "deep objects": _filled(b'{"a":'),
        "one long number": b'{"v":' + _filled(b"9") + b"}",
        "commas in strings": _filled(b'"' + b"," * 100 + b'",', b'{"v":[', b"0]}"),
        "escapes": b'{"v":"' + _filled(b"\\u0041", b"", b"") + b'"}',
        "16,000 fractions": b'{"v":['
        + b",".join([b"[" + b",".join([b"1.50"] * 4_000) + b"]"] * 4)
        + b"]}",
        "white space": _filled(b" "),
    }
    return {
        name: b'{"session":"s","request":' + request[:_ROOM] + b"}"
        for name, request in requests.items()
    }
