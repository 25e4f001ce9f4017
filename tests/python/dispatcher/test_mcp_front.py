"""What a server answers of itself, and what it passes on to an app."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.mcp_messages import LEGACY, MODERN, OLDER, Era
from bridge.contract.strict_json import loads
from bridge.dispatcher.mcp_catalog import INSTRUCTIONS, TOOLS, Catalog
from bridge.dispatcher.mcp_front import (
    Answered,
    AppRequest,
    Cancelled,
    Ignored,
    McpFront,
    ServerInfo,
)

P = "io.modelcontextprotocol/"
META = {P + "protocolVersion": MODERN, P + "clientCapabilities": {}}
HELLO = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
INFO = {"name": "test", "title": "Test", "version": "1"}


def front(*, accept_older: bool = False) -> McpFront:
    return McpFront(ServerInfo("test", "1", "Test"), accept_older=accept_older)


def line_of(method: str, params: Any = None, request_id: Any = 1) -> str:
    more = {} if params is None else {"params": params}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, **more})


def modern(method: str, /, **params: Any) -> str:
    return line_of(method, {"_meta": META, **params})


def answer(line: bytes | str, *, accept_older: bool = False) -> Any:
    taken = front(accept_older=accept_older).take(line)
    assert isinstance(taken, Answered)
    return json.loads(taken.line)


def error_number(line: bytes | str) -> int:
    number: int = answer(line)["error"]["code"]
    return number


def request(line: str) -> AppRequest:
    taken = front().take(line)
    assert isinstance(taken, AppRequest)
    return taken


def test_discover_tells_revisions_capabilities_and_instructions() -> None:
    assert answer(modern("server/discover"))["result"] == {
        "resultType": "complete",
        "supportedVersions": [MODERN, LEGACY],
        "capabilities": {"tools": {}, "resources": {}},
        "instructions": INSTRUCTIONS,
        "ttlMs": 3_600_000,
        "cacheScope": "private",
        "_meta": {P + "serverInfo": INFO},
    }


@pytest.mark.parametrize(
    ("offered", "answered"),
    [(LEGACY, LEGACY), (OLDER, LEGACY), ("2024-11-05", LEGACY), (MODERN, LEGACY), ("", LEGACY)],
)
def test_initialize_gets_its_revision_or_a_counter_offer(offered: str, answered: str) -> None:
    told = answer(line_of("initialize", {**HELLO, "protocolVersion": offered}))
    assert told["result"] == {
        "protocolVersion": answered,
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": INFO,
        "instructions": INSTRUCTIONS,
    }


def test_an_older_revision_is_answered_as_offered_only_where_that_was_asked_for() -> None:
    older = line_of("initialize", {**HELLO, "protocolVersion": OLDER})
    assert answer(older, accept_older=True)["result"]["protocolVersion"] == OLDER
    for offered in (LEGACY, MODERN, "2024-11-05"):
        line = line_of("initialize", {**HELLO, "protocolVersion": offered})
        assert answer(line, accept_older=True)["result"]["protocolVersion"] == LEGACY


def test_one_front_answers_both_revisions_in_turn() -> None:
    both = front(accept_older=True)
    for _ in range(2):
        for line, keys in (
            (modern("tools/list"), {"resultType", "tools", "ttlMs", "cacheScope", "_meta"}),
            (line_of("tools/list"), {"tools"}),
            (line_of("initialize", HELLO), {"protocolVersion", "capabilities", "serverInfo",
                                            "instructions"}),
        ):  # fmt: skip
            taken = both.take(line)
            assert isinstance(taken, Answered)
            assert json.loads(taken.line)["result"].keys() == keys


def test_all_tools_are_listed_in_their_order_and_there_is_no_further_page() -> None:
    for line in (modern("tools/list"), line_of("tools/list", {})):
        assert answer(line)["result"]["tools"] == TOOLS
    for cursor in ("", "1", 5):
        assert error_number(modern("tools/list", cursor=cursor)) == -32602


def test_ping_is_of_the_legacy_revision_and_initialize_is_not_of_the_modern_one() -> None:
    assert answer(line_of("ping"))["result"] == {}
    assert error_number(modern("ping")) == -32601
    assert error_number(line_of("initialize", {**HELLO, "_meta": META})) == -32601


@pytest.mark.parametrize("token", ["0", "-1", "1.0", "9" * 40, '""', '"a\\u00e9"'])
def test_an_id_comes_back_with_its_type_and_token(token: str) -> None:
    taken = front().take('{"jsonrpc":"2.0","id":' + token + ',"method":"ping"}')
    assert isinstance(taken, Answered)
    expected = token.replace("\\u00e9", "é")
    assert taken.line == '{"jsonrpc":"2.0","id":' + expected + ',"result":{}}'


@pytest.mark.parametrize(
    ("params", "number"),
    [
        # Each has the fault that is checked last before its number, and all that come later.
        ({"_meta": {P + "protocolVersion": "1"}}, -32602),
        ({"_meta": {P + "protocolVersion": "1", P + "clientCapabilities": 5}}, -32602),
        ({"_meta": {**META, P + "protocolVersion": 1, "progressToken": None}}, -32602),
        ({"_meta": {**META, P + "protocolVersion": "1", "progressToken": None}}, -32022),
        ({"_meta": {**META, "progressToken": None}}, -32601),
    ],
)
def test_a_modern_request_is_checked_in_order(params: Any, number: int) -> None:
    assert error_number(line_of("nothing", params)) == number


@pytest.mark.parametrize(
    "line",
    [
        line_of("server/discover"),
        line_of("server/discover", []),
        line_of("tools/list", []),
        line_of("tools/list", {"_meta": 5}),
        modern("tools/call"),
        modern("tools/call", name=5),
        modern("tools/call", name="nothing"),
        line_of("tools/call", {"name": "nothing"}),
        modern("tools/call", name="actions_search", arguments=[]),
        modern("tools/call", name="actions_search", arguments=None),
        modern("resources/read"),
        modern("resources/read", uri=5),
        modern("resources/list", cursor=5),
        line_of("resources/templates/list", {"cursor": None}),
        line_of("initialize"),
        line_of("initialize", {**HELLO, "protocolVersion": 1}),
        line_of("initialize", {**HELLO, "capabilities": []}),
        line_of("initialize", {"protocolVersion": LEGACY, "capabilities": {}}),
    ],
)
def test_what_is_malformed_is_invalid_params(line: str) -> None:
    assert error_number(line) == -32602


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff", -32700),
        (b'{"id":1,"id":1}', -32700),
        (b"[]", -32600),
        (b"5", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b" " * 1_048_577, 1015),
    ],
)
def test_what_cannot_be_tied_to_an_id_is_answered_without_one(line: bytes, number: int) -> None:
    told = answer(line)
    assert told["error"]["code"] == number
    assert told.keys() == {"jsonrpc", "error"}


def test_an_array_is_not_told_of_another_protocols_batches() -> None:
    assert "actions/batch" not in answer("[]")["error"]["message"]


def test_a_message_without_jsonrpc_is_refused_with_its_id() -> None:
    assert answer('{"id":1,"method":"ping"}') == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32600, "message": 'A request has jsonrpc "2.0" and a method.'},
    }


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","method":"nothing"}',
        '{"jsonrpc":"2.0","method":"tools/list","params":5}',
        '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"actions_search"}}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":true}}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5}}',
        '{"jsonrpc":"2.0","id":1,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"error":{}}',
        '{"jsonrpc":"2.0","id":null,"error":{}}',
        '{"id":1,"result":{}}',
    ],
)
def test_notifications_and_responses_are_not_answered(line: str) -> None:
    assert front().take(line) == Ignored()


@pytest.mark.parametrize("request_id", [0, 1, "", "a"])
def test_a_cancellation_names_its_request(request_id: object) -> None:
    line = json.dumps(
        {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": request_id, "reason": "r"},
        }
    )
    assert front().take(line) == Cancelled(request_id)  # type: ignore[arg-type]


def test_what_needs_an_app_is_passed_on_whole() -> None:
    meta = {**META, "progressToken": "p"}
    params = {"_meta": meta, "name": "actions_execute", "arguments": {"action": "a", "more": 1}}
    expected = AppRequest(1, "tools/call", params, Era.MODERN, "p")
    assert request(line_of("tools/call", params)) == expected
    plain = {"name": "actions_search"}
    expected = AppRequest("x", "tools/call", plain, Era.LEGACY, None)
    assert request(line_of("tools/call", plain, "x")) == expected
    for method in ("resources/list", "resources/templates/list"):
        assert request(line_of(method)).method == method
        assert request(modern(method, cursor="")).params["cursor"] == ""
    assert request(modern("resources/read", uri="a:b")).params["uri"] == "a:b"


def call(era: Era) -> AppRequest:
    return AppRequest(7, "tools/call", {}, era, None)


def test_a_tools_result_is_told_as_structure_and_as_the_same_text() -> None:
    structured = {"status": "completed", "output": {"é😀\u2028": [1, 1e300, None]}}
    told = json.loads(front().tool_result(call(Era.LEGACY), structured))
    (block,) = told["result"]["content"]
    assert told["result"] == {"content": [block], "structuredContent": structured}
    assert block["type"] == "text"
    assert json.loads(block["text"]) == structured
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    told = json.loads(front().tool_result(call(Era.MODERN), structured, [image]))
    assert told["result"] == {
        "resultType": "complete",
        "content": [block, image],
        "structuredContent": structured,
        "_meta": {P + "serverInfo": INFO},
    }


def test_the_text_is_one_block_up_to_200_000_bytes_and_is_cut_between_characters_beyond() -> None:
    def blocks(output: str) -> list[str]:
        told = json.loads(front().tool_result(call(Era.MODERN), {"a": output}))
        return [block["text"] for block in told["result"]["content"]]

    around = len('{"a":""}')
    assert len(blocks("x" * (200_000 - around))) == 1
    assert [len(text) for text in blocks("x" * (200_001 - around))] == [200_000, 1]
    for character in ("é", "€", "😀"):
        texts = blocks(character * (220_000 // len(character.encode())))
        assert len(texts) == 2
        assert 200_000 - 4 < len(texts[0].encode()) <= 200_000
        assert json.loads("".join(texts))["a"][0] == character


def test_a_long_result_is_told_once_and_one_that_is_too_long_says_that_it_has_run() -> None:
    once = {"a": ["x" * 250_000] * 3}
    told = json.loads(front().tool_result(call(Era.MODERN), once))
    assert told["result"]["structuredContent"] == once
    assert told["result"]["content"] == [
        {"type": "text", "text": "The result is in structuredContent."}
    ]
    for over, limit in (({"a": ["x" * 262_144] * 4}, "encodedBytes"), ({"a": 10**1_100}, None)):
        line = front().tool_result(call(Era.MODERN), over)
        told = json.loads(line)["result"]
        assert told["isError"] is True
        error = told["structuredContent"]["error"]
        assert error["data"]["code"] == "LIMIT_EXCEEDED"
        assert error["message"].startswith("The action has run")
        assert limit is None or error["data"]["limit"] == limit
        loads(line.encode())


def test_a_failure_is_told_whole_as_structure_and_as_text() -> None:
    error = {"code": 1008, "message": "Stale.", "data": {"expected": 1, "code": "STALE_REVISION"}}
    told = json.loads(front().tool_failure(call(Era.MODERN), error))["result"]
    assert told["isError"] is True
    assert told["structuredContent"] == {"error": error}
    message, _, text = told["content"][0]["text"].partition("\n")
    assert message == "Stale."
    assert json.loads(text) == {"error": error}


@pytest.mark.parametrize(
    "error",
    [
        {"code": 1, "message": "x" * 300_000, "data": {"code": "C"}},
        {"code": 1, "message": "m", "data": {"a": ["x" * 262_140] * 5, "code": "C"}},
        {"code": 1, "message": "m", "data": {"f": print, "code": "C"}},
    ],
)
def test_an_error_that_cannot_be_sent_keeps_its_code(error: dict[str, Any]) -> None:
    told = json.loads(front().tool_failure(call(Era.LEGACY), error))["result"]
    assert told["structuredContent"]["error"] == {
        "code": 1,
        "message": "The error cannot be told in full.",
        "data": {"code": "C"},
    }
    line = json.loads(front().error(call(Era.LEGACY), 1, error["message"], error["data"]))
    assert line == {"jsonrpc": "2.0", "id": 7, "error": told["structuredContent"]["error"]}


def test_an_error_that_fits_once_is_told_as_structure_and_in_short() -> None:
    data = {"errors": [{"path": "/a", "message": "No."}] * 5, "hint": "Look.", "code": "C"}
    error = {"code": 1, "message": "m", "data": {"a": ["x" * 200_000] * 3, **data}}
    told = json.loads(front().tool_failure(call(Era.LEGACY), error))["result"]
    assert told["structuredContent"] == {"error": error}
    short = "C: m\n/a: No.\n/a: No.\n/a: No.\nLook.\nThe error is in structuredContent."
    assert told["content"] == [{"type": "text", "text": short}]


def test_a_result_says_for_how_long_it_may_be_kept_in_the_modern_revision_only() -> None:
    result: dict[str, Any] = {"contents": []}
    told = json.loads(front().result(call(Era.MODERN), result, ttl_ms=0))["result"]
    assert told == {
        "resultType": "complete",
        "contents": [],
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {P + "serverInfo": INFO},
    }
    assert json.loads(front().result(call(Era.LEGACY), result, ttl_ms=0))["result"] == result
    over = {"a": ["x" * 262_144] * 4}
    told = json.loads(front().result(call(Era.MODERN), over))
    assert told["error"]["data"]["code"] == "LIMIT_EXCEEDED"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
METHODS = ["tools/list", "tools/call", "resources/read", "server/discover", "initialize", "ping"]
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": st.integers() | st.text(max_size=4) | JSON_VALUES,
        "method": st.sampled_from(METHODS) | JSON_VALUES,
        "params": JSON_VALUES
        | st.fixed_dictionaries(
            {},
            optional={
                "_meta": st.just(META) | JSON_VALUES,
                "name": st.sampled_from(["actions_search", "x"]) | JSON_VALUES,
                "arguments": JSON_VALUES,
                "uri": JSON_VALUES,
                "cursor": JSON_VALUES,
                "protocolVersion": JSON_VALUES,
            },
        ),
        "result": JSON_VALUES,
    },
)


@settings(deadline=None)
@given(st.binary(max_size=40) | st.text(max_size=40) | MESSAGES.map(json.dumps))
def test_any_line_is_taken(line: bytes | str) -> None:
    taken = front().take(line)
    if isinstance(taken, Answered):
        message: Any = loads(taken.line.encode())
        assert message["jsonrpc"] == "2.0"
        assert message.get("id", 0) is not None
        assert ("result" in message) is not ("error" in message)


def test_a_front_brings_in_no_dispatcher_no_validator_and_no_event_loop() -> None:
    script = "import sys, bridge.dispatcher.mcp_front; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "bridge.dispatcher.mcp_catalog" in loaded
    heavy = {"bridge.dispatcher.dispatcher", "bridge.contract.schema", "asyncio", "msgspec"}
    assert not heavy & set(loaded)


GREET = {"name": "greet", "inputSchema": {"type": "object"}}
LEAVE = {"name": "leave", "inputSchema": {"type": "object"}}
TWO_PAGES = Catalog(
    {"greet": GREET, "leave": LEAVE}, ((GREET,), (LEAVE,)), "Greets and leaves.", {"tools": {}}
)


def two_pages(line: str) -> Any:
    taken = McpFront(ServerInfo("test", "1"), catalog=TWO_PAGES).take(line)
    assert isinstance(taken, Answered)
    return json.loads(taken.line)


def test_another_catalog_is_listed_page_by_page() -> None:
    first = two_pages(line_of("tools/list"))["result"]
    assert first == {"tools": [GREET], "nextCursor": "1"}
    assert two_pages(line_of("tools/list", {"cursor": "1"}))["result"] == {"tools": [LEAVE]}


@pytest.mark.parametrize("cursor", ["0", "2", "01", "-1", "+1", "", "x", 1, None, ["1"]])
def test_a_cursor_that_was_never_told_is_refused(cursor: object) -> None:
    assert two_pages(line_of("tools/list", {"cursor": cursor}))["error"]["code"] == -32602


def test_another_catalog_says_what_it_is() -> None:
    told = two_pages(line_of("initialize", HELLO))["result"]
    assert told["instructions"] == "Greets and leaves."
    assert told["capabilities"] == {"tools": {}}


def test_only_tools_of_the_catalog_are_called() -> None:
    front = McpFront(ServerInfo("test", "1"), catalog=TWO_PAGES)
    assert isinstance(front.take(line_of("tools/call", {"name": "greet"})), AppRequest)
    refused = two_pages(line_of("tools/call", {"name": "actions_search"}))
    assert refused["error"] == {"code": -32602, "message": "No such tool; see tools/list."}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "app:1"}),
    ],
)
def test_a_catalog_without_resources_has_no_method_for_them(method: str, params: Any) -> None:
    assert two_pages(line_of(method, params))["error"]["code"] == -32601
    assert isinstance(request(line_of(method, params)), AppRequest)
