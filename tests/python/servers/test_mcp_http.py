"""What a POST to `/mcp` is answered, by status and body, and what goes to the page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import __version__
from bridge.broker.effects import Accepted, Failure, RawResponse
from bridge.broker.events import CallLabel
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.contract.jsonrpc import IntegerId, StringId
from bridge.contract.limits import BRIDGE_LIMITS
from bridge.contract.mcp_messages import (
    LEGACY,
    META_CLIENT_CAPABILITIES,
    META_LOG_LEVEL,
    META_PROTOCOL_VERSION,
    META_SERVER_INFO,
    MODERN,
    Era,
)
from bridge.servers.bridge_answers import ERROR_TEXTS, HttpAnswer
from bridge.servers.bridge_gate import RequestHead
from bridge.servers.mcp_http import LEGACY_SESSION, MODERN_SESSION, McpHttp, McpRequest

HTTP = McpHttp(BRIDGE_LIMITS)
META: dict[str, Any] = {META_PROTOCOL_VERSION: MODERN, META_CLIENT_CAPABILITIES: {}}
BOTH = "application/json, text/event-stream"
INITIALIZE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "c"}}
NAMED = {"tools/call": "name", "resources/read": "uri"}


def message(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    given = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": 7, "method": method, **given, **more}


def modern(method: str, **params: Any) -> dict[str, Any]:
    return message(method, {"_meta": META, **params})


def headers_of(value: dict[str, Any]) -> dict[str, str]:
    """Return the headers that go with a modern message."""
    params = value.get("params", {})
    meta = params.get("_meta", {}) if isinstance(params, dict) else {}
    found = {"MCP-Protocol-Version": meta.get(META_PROTOCOL_VERSION, MODERN)}
    found["Mcp-Method"] = value.get("method", "")
    name = params.get(NAMED.get(found["Mcp-Method"], "")) if isinstance(params, dict) else None
    return found | ({"Mcp-Name": name} if isinstance(name, str) else {})


def take(value: Any, headers: dict[str, str] | None = None) -> HttpAnswer | McpRequest:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    given = {"Accept": BOTH, **(headers or {})}
    raw = tuple((name.encode(), text.encode()) for name, text in given.items())
    return HTTP.take(RequestHead("POST", "/mcp", raw), body)


def answered(value: Any, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """Return the status and the body of what is answered without a page."""
    answer = take(value, headers)
    assert isinstance(answer, HttpAnswer), answer
    return answer.status, json.loads(answer.body) if answer.body else None


def error_of(value: Any, headers: dict[str, str] | None = None) -> tuple[int, int, Any]:
    """Return the status, the number and the id of an error."""
    status, body = answered(value, headers)
    return status, body["error"]["code"], body.get("id", "none")


def request(value: Any, headers: dict[str, str] | None = None) -> McpRequest:
    taken = take(value, headers)
    assert isinstance(taken, McpRequest), taken
    return taken


# ---- answered here


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
def test_modern_requests_without_an_app_are_answered(method: str) -> None:
    value = modern(method)
    status, body = answered(value, headers_of(value))
    assert (status, body["id"], body["result"]["resultType"]) == (200, 7, "complete")
    info = body["result"]["_meta"][META_SERVER_INFO]
    assert info == {"name": "bascule", "title": "Bascule", "version": __version__}


def test_legacy_requests_without_an_app_are_answered() -> None:
    status, body = answered(message("initialize", INITIALIZE))
    assert (status, body["result"]["protocolVersion"]) == (200, LEGACY)
    assert answered(message("ping")) == (200, {"jsonrpc": "2.0", "id": 7, "result": {}})
    status, body = answered(message("tools/list"), {"MCP-Protocol-Version": "2025-06-18"})
    assert (status, set(body["result"])) == (200, {"tools"})


@pytest.mark.parametrize(
    "value",
    [
        message("notifications/initialized"),
        message("notifications/cancelled", {"requestId": 1}),
        message("notifications/unknown", {"_meta": META}),
        {"jsonrpc": "2.0", "method": "", "params": "x"},
        message("tools/call", {"name": "no such tool"}),
    ],
)
@pytest.mark.parametrize("version", [None, LEGACY, MODERN])
def test_a_notification_is_taken_and_has_an_empty_answer(value: Any, version: str | None) -> None:
    headers = {} if version is None else {"MCP-Protocol-Version": version}
    notification = {name: member for name, member in value.items() if name != "id"}
    assert take(notification, headers) == HttpAnswer(202, b"", content_type="")


def test_a_response_is_taken_and_nothing_comes_of_it() -> None:
    assert take({"jsonrpc": "2.0", "id": 1, "result": {}}) == HttpAnswer(202, b"", content_type="")


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (b"", -32700),
        (b'{"jsonrpc":"2.0",', -32700),
        (b'{"a":1,"a":2}', -32700),
        (b'"\xff"', -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b"[" * 33 + b"]" * 33, 1015),
    ],
)
def test_what_is_no_message_is_a_bad_request_without_an_id(body: bytes, number: int) -> None:
    assert error_of(body) == (400, number, "none")


def test_a_message_that_has_an_id_and_no_more_is_answered_by_it() -> None:
    assert error_of({"id": 7, "method": "ping"}) == (400, -32600, 7)


def test_a_message_of_one_mib_is_read_and_one_byte_more_is_too_large() -> None:
    start = json.dumps(message("ping")).encode()
    assert answered(start + b" " * (1_048_576 - len(start)))[0] == 200
    assert error_of(start + b" " * (1_048_577 - len(start))) == (413, 1015, "none")


def test_a_client_that_does_not_take_both_forms_is_refused() -> None:
    assert error_of(message("ping"), {"Accept": "application/json"}) == (406, -32600, "none")
    assert answered(message("ping"), {"Accept": "*/*"})[0] == 200


# ---- the ladder, in its order


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    meta = {name: member for name, member in META.items() if name != key}
    return {**value, "params": {**value["params"], "_meta": meta}}


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "initialize", "unknown"])
@pytest.mark.parametrize("key", [META_PROTOCOL_VERSION, META_CLIENT_CAPABILITIES])
def test_a_missing_key_comes_before_the_headers(method: str, key: str) -> None:
    value = without(modern(method), key)
    assert error_of(value, headers_of(value)) == (400, -32602, 7)
    assert error_of(value, {"Mcp-Method": "wrong"}) == (400, -32602, 7)


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "server/discover"])
@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}, {"_meta": 7}, []])
def test_a_request_that_claims_the_modern_revision_has_its_keys(method: str, params: Any) -> None:
    value = message(method, params)
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    assert error_of(value, headers) == (400, -32602, 7)


@pytest.mark.parametrize("name", ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"])
@pytest.mark.parametrize("wrong", [None, "wrong"])
def test_a_header_that_is_missing_or_differs_is_a_mismatch(name: str, wrong: str | None) -> None:
    value = modern("tools/call", name="actions_search")
    headers = headers_of(value)
    assert isinstance(take(value, headers), McpRequest)
    changed = {key: text for key, text in headers.items() if key != name}
    assert error_of(value, changed | ({} if wrong is None else {name: wrong})) == (400, -32020, 7)


def test_the_headers_come_before_the_version_and_the_version_before_the_method() -> None:
    value = message("unknown", {"_meta": {**META, META_PROTOCOL_VERSION: "v999"}})
    headers = headers_of(value)
    assert error_of(value, headers | {"MCP-Protocol-Version": MODERN}) == (400, -32020, 7)
    status, body = answered(value, headers)
    assert (status, body["error"]["code"]) == (400, -32022)
    assert body["error"]["data"] == {"supported": [MODERN, LEGACY], "requested": "v999"}


@pytest.mark.parametrize(
    "method", ["unknown", "initialize", "ping", "logging/setLevel", "subscriptions/listen"]
)
def test_a_method_that_the_modern_revision_does_not_have_is_not_found(method: str) -> None:
    value = modern(method)
    assert error_of(value, headers_of(value)) == (404, -32601, 7)


def test_a_malformed_key_is_a_bad_request_and_bad_params_are_an_answer() -> None:
    value = message("tools/list", {"_meta": {**META, META_LOG_LEVEL: "loud"}})
    assert error_of(value, headers_of(value)) == (400, -32602, 7)
    for value in (modern("tools/list", cursor="x"), modern("tools/call", name="no_such_tool")):
        assert error_of(value, headers_of(value)) == (200, -32602, 7)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (message("unknown"), -32601),
        (message("server"), -32601),
        (message("tools/call", {"name": "no_such_tool"}), -32602),
        (message("tools/list", []), -32602),
    ],
)
def test_errors_of_the_legacy_revision_are_answers(value: Any, number: int) -> None:
    assert error_of(value) == (200, number, 7)


def test_a_legacy_message_with_a_version_that_is_not_served_is_a_bad_request() -> None:
    wrong = {"MCP-Protocol-Version": "1999-01-01"}
    assert error_of(message("tools/list"), wrong) == (400, -32600, 7)
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert error_of(notification, wrong) == (400, -32600, "none")
    # What the versions are is only agreed on here.
    assert answered(message("initialize", INITIALIZE), wrong)[0] == 200


# ---- what goes to the page


def test_a_modern_request_goes_to_the_page_as_it_is() -> None:
    body = (
        b'{"jsonrpc":"2.0","id":1e3,"method":"tools/call",\r\n"params":{"name":"actions_execute",'
        b'"arguments":{"action":"a.b","input":{"n":1.0}},"_meta":'
        + json.dumps(META).encode()
        + b"}}"
    )
    taken = request(body, headers_of(json.loads(body)))
    assert taken.line == body.replace(b"\r\n", b"  ")
    assert (taken.session, taken.opening) == (MODERN_SESSION, None)
    assert taken.request_id == IntegerId("1e3")
    assert taken.label == CallLabel("tools/call", "a.b")
    # By its own token: 1000 would be another id.
    assert taken.cancellation == (
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1e3}}'
    )


def test_a_legacy_request_goes_to_a_session_that_is_opened_first() -> None:
    taken = request(message("resources/list", id="x"))
    assert (taken.session, taken.request_id) == (LEGACY_SESSION, StringId("x"))
    assert taken.label == CallLabel("resources/list")
    assert taken.cancellation is None
    assert taken.opening is not None
    opening = json.loads(taken.opening.request)
    assert (opening["method"], opening["params"]["protocolVersion"]) == ("initialize", LEGACY)
    assert taken.opening.request_id == StringId(opening["id"])


def told(taken: McpRequest, answer: Any) -> Any:
    return json.loads(HTTP.answered(taken.request, answer))


def test_what_the_page_answers_is_told_byte_for_byte() -> None:
    taken = request(message("tools/call", {"name": "state_inspect"}))
    body = b'{"jsonrpc":"2.0","id":7,"result":{"n": 1e0}}'
    assert HTTP.answered(taken.request, RawResponse(body)) == body


@pytest.mark.parametrize("era", list(Era))
@pytest.mark.parametrize("code", [BridgeErrorCode.NOT_ATTACHED, BridgeErrorCode.TIMEOUT])
def test_a_call_that_the_bridge_could_not_bring_through_is_a_tool_s_error(
    era: Era, code: BridgeErrorCode
) -> None:
    params = {"name": "state_inspect"}
    value = modern("tools/call", **params) if era is Era.MODERN else message("tools/call", params)
    taken = request(value, headers_of(value) if era is Era.MODERN else None)
    result = told(taken, Failure(code, Outcome.UNKNOWN))["result"]
    error = result["structuredContent"]["error"]
    assert result["isError"] is True
    assert (error["code"], error["message"]) == (-32000, ERROR_TEXTS[code].message)
    assert (error["data"]["code"], error["data"]["outcome"]) == (code, "unknown")
    assert error["data"]["hint"].startswith("The call may have run")
    assert error["data"]["hint"] in result["content"][0]["text"]
    assert ("resultType" in result) == (era is Era.MODERN)


@pytest.mark.parametrize(
    ("method", "member"),
    [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")],
)
def test_with_nothing_attached_there_is_nothing_to_list(method: str, member: str) -> None:
    value = modern(method)
    taken = request(value, headers_of(value))
    nobody = Failure(BridgeErrorCode.NOT_ATTACHED, Outcome.NOT_DELIVERED)
    result = told(taken, nobody)["result"]
    assert (result[member], result["ttlMs"], result["cacheScope"]) == ([], 0, "private")
    error = told(taken, Failure(BridgeErrorCode.QUEUE_FULL, Outcome.NOT_DELIVERED))["error"]
    assert (error["code"], error["data"]["code"]) == (-32603, "QUEUE_FULL")


def test_a_resource_that_nobody_can_give_is_an_error() -> None:
    taken = request(message("resources/read", {"uri": "doc:/a"}))
    error = told(taken, Failure(BridgeErrorCode.NOT_ATTACHED, Outcome.NOT_DELIVERED))["error"]
    assert (error["code"], error["data"]["code"]) == (-32603, "NOT_ATTACHED")
    assert "bascule open" in error["data"]["hint"]


def test_a_request_is_answered_by_nothing_else() -> None:
    taken = request(message("tools/call", {"name": "state_inspect"}))
    with pytest.raises(ValueError, match="Accepted"):
        HTTP.answered(taken.request, Accepted())


HEADER_VALUES = st.sampled_from(
    [b"", MODERN.encode(), LEGACY.encode(), b"tools/call", b"tools/list", b"\xff", b"=?base64?YQ?="]
) | st.binary(max_size=12)
HEADER_NAMES = st.sampled_from([b"MCP-Protocol-Version", b"Mcp-Method", b"mcp-name", b"Accept"])
METHODS = st.sampled_from(["tools/call", "tools/list", "initialize", "server/discover", "x", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)
PARAMS = VALUES | st.fixed_dictionaries(
    {},
    optional={
        "_meta": st.just(META) | VALUES | st.fixed_dictionaries({META_PROTOCOL_VERSION: VALUES}),
        "name": st.just("state_inspect") | VALUES,
        "uri": VALUES,
        "arguments": VALUES,
    },
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={"id": VALUES, "method": METHODS, "params": PARAMS, "result": VALUES},
).map(lambda value: json.dumps(value).encode())


@given(
    headers=st.lists(st.tuples(HEADER_NAMES, HEADER_VALUES), max_size=5),
    body=MESSAGES | st.binary(max_size=40),
)
def test_whatever_comes_has_an_answer_or_goes_to_the_page(
    headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    taken = HTTP.take(RequestHead("POST", "/mcp", tuple(headers)), body)
    if isinstance(taken, McpRequest):
        assert taken.line == body.replace(b"\n", b" ").replace(b"\r", b" ")
    elif taken.status == 202:
        assert taken.body == b""
    else:
        value = json.loads(taken.body)
        assert value["jsonrpc"] == "2.0"
        assert ("result" in value) != ("error" in value)
        assert taken.status in ({200} if "result" in value else {200, 400, 404, 406, 413})
