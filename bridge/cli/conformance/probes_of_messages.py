"""Probes of what holds for every message: ids, notifications, strict JSON, versions, limits."""

from __future__ import annotations

from typing import Any, Final

from bridge.cli.conformance.probe import (
    Broken,
    Probe,
    ProbePeer,
    error_of,
    expect,
    is_number,
    is_text,
)
from bridge.cli.output.json_text import NumberText
from bridge.contract.limits import JSON_LIMITS

__all__ = ["PROBES"]

_LARGE: Final = NumberText("9007199254740993")


def _string_id(peer: ProbePeer) -> None:
    peer.ask("agent/info", id="é-😀")


def _large_id(peer: ProbePeer) -> None:
    peer.ask("agent/info", id=_LARGE)


def _unknown_method(peer: ProbePeer) -> None:
    peer.refusal(-32601, None, "no/such-method")


def _unknown_members(peer: ProbePeer) -> None:
    expect("result" in peer.ask("agent/info", more=True), "unknown members are ignored")


def _params_of_another_kind(peer: ProbePeer) -> None:
    peer.refusal(-32602, None, "actions/list", {"limit": "many"})
    peer.refusal(-32602, None, "actions/describe", {})
    peer.refusal(-32602, None, "actions/list", {"limit": NumberText(0)})


def _version(peer: ProbePeer) -> None:
    peer.result("agent/info", {"protocolVersion": "1"})


def _other_version(peer: ProbePeer) -> None:
    data = peer.refusal(
        1016, "UNSUPPORTED_PROTOCOL_VERSION", "agent/info", {"protocolVersion": "7"}
    )
    supported = data.get("supported")
    listed = isinstance(supported, list) and any(is_text(v) and v == "1" for v in supported)
    expect(listed, 'data.supported has "1"')


def _notification(peer: ProbePeer) -> None:
    peer.notify("agent/info")
    # An answer to it would come before this one's, whose id it has not.
    peer.ask("agent/info")


def _no_request(peer: ProbePeer) -> None:
    _null(peer.line(b'{"id":null,"method":7}'), -32600, None)


def _array(peer: ProbePeer) -> None:
    response = peer.line(b'[{"jsonrpc":"2.0","id":1,"method":"agent/info"}]')
    _null(response, -32600, None)
    named = "actions/batch" in str(response["error"].get("message"))
    expect(named, "the message of that error names actions/batch")


def _no_json(peer: ProbePeer) -> None:
    for line in (
        b"{",
        b"NaN",
        b'{"a":01}',
        b"\xff",
        b'{"a":1,"a":2}',
        b'"\\ud800"',
        b"\xef\xbb\xbf{}",
    ):
        try:
            _null(peer.line(line), -32700, None)
        except Broken as how:
            raise Broken(f"{line!r}: {how}") from None


def _too_deep(peer: ProbePeer) -> None:
    depth = JSON_LIMITS.max_depth
    _limit(peer.line(b"[" * (depth + 1) + b"]" * (depth + 1)), depth)


def _too_long(peer: ProbePeer) -> None:
    most = JSON_LIMITS.max_encoded_bytes
    _limit(peer.line(b"{" + b" " * (most - 1) + b"}"), most)


def _still_there(peer: ProbePeer) -> None:
    peer.result("agent/info")


def _limit(response: Any, maximum: int) -> None:  # noqa: ANN401 - a JSON value
    data = _null(response, 1015, "LIMIT_EXCEEDED")
    expect(is_number(data.get("maximum"), maximum), f"data.maximum is {maximum}")


def _null(response: Any, number: int, code: str | None) -> dict[str, Any]:  # noqa: ANN401
    if not isinstance(response, dict):
        raise Broken("the answer is no object")
    expect("id" in response and response["id"] is None, "its answer has a null id")
    return error_of(response, number, code)


PROBES: Final = (
    Probe("id.string", "A string id comes back as it is.", _string_id),
    Probe("id.large", "An integer id past 2^53 comes back with all its digits.", _large_id),
    Probe("method.unknown", "An unknown method is -32601.", _unknown_method),
    Probe("message.members", "Unknown members of a message are ignored.", _unknown_members),
    Probe("params.shape", "Params of another shape are -32602.", _params_of_another_kind),
    Probe("version.one", 'params.protocolVersion "1" may be given.', _version),
    Probe("version.other", "Another version is 1016, which names those there are.", _other_version),
    Probe("notification", "A message without an id is never answered.", _notification),
    Probe("request.shape", "What is no request is -32600.", _no_request),
    Probe("request.array", "An array is -32600, which names actions/batch.", _array),
    Probe("json.strict", "What is no strict JSON is -32700.", _no_json),
    Probe("limit.depth", "JSON that is nested too deeply is 1015.", _too_deep),
    Probe("limit.bytes", "A line of more than 1 MiB is 1015.", _too_long),
    Probe("message.after", "After all of these, calls are answered as before.", _still_there),
)
