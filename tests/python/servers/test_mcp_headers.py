"""Which headers go with which message, over HTTP (Contract: MCP)."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from bridge.contract.mcp_messages import META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION, MODERN
from bridge.servers.bridge_gate import RequestHead
from bridge.servers.mcp_headers import (
    accepts_both,
    claims_modern,
    legacy_header_refusal,
    modern_header_refusal,
)

META = {META_PROTOCOL_VERSION: MODERN, META_CLIENT_CAPABILITIES: {}}


def head(*headers: tuple[str, str]) -> RequestHead:
    raw = tuple((name.encode(), value.encode()) for name, value in headers)
    return RequestHead("POST", "/mcp", raw)


def encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def refused(named: str | None, method: str = "tools/call", **params: Any) -> int | None:
    """Return the number with which a request with this Mcp-Name is refused."""
    names = [] if named is None else [("mcp-name", named)]
    given = head(("MCP-Protocol-Version", MODERN), ("MCP-METHOD", method), *names)
    refusal = modern_header_refusal(given, method, {"_meta": META, **params})
    return None if refusal is None else refusal.number


@pytest.mark.parametrize(
    "accept",
    [
        [],
        ["application/json, text/event-stream"],
        ["text/event-stream;q=0.5 , APPLICATION/JSON; charset=utf-8"],
        ["application/json", "text/event-stream"],
        ["*/*"],
        ["application/*, text/*"],
        ["application/json, */*;q=0.1"],
        ["application/json, text/event-stream, */*;q=0"],
        ["application/*;q=0, application/json, text/*"],
        ["*/*;q=0.001"],
    ],
)
def test_an_accept_that_admits_both_forms_is_taken(accept: list[str]) -> None:
    assert accepts_both([value.encode() for value in accept])


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "application/json",
        "text/event-stream",
        "text/html, application/xml",
        "application/json, text/event-stream;q=0",
        "application/json;q=0.000, text/event-stream",
        "application/jsonx, text/event-stream",
        "*/*, text/event-stream;q=0",
        "application/*;q=0, text/event-stream, */*",
        "text/event-stream, application/json, application/json; Q = 0.0",
        "\xff",
    ],
)
def test_an_accept_that_lacks_one_form_is_refused(accept: str) -> None:
    assert not accepts_both([accept.encode("latin-1")])


def test_headers_that_repeat_the_message_pass() -> None:
    assert refused("a_tool", name="a_tool") is None
    assert refused("doc:/x", "resources/read", uri="doc:/x") is None
    assert refused("a", "prompts/get", name="a") is None
    assert refused(None, "tools/list") is None
    assert refused("whatever", "tools/list", name="other") is None


@pytest.mark.parametrize("name", [None, "other", "A_TOOL", "a_tool,a_tool", "", encoded("other")])
def test_a_name_that_is_not_the_message_s_is_a_mismatch(name: str | None) -> None:
    assert refused(name, name="a_tool") == -32020
    assert refused(name, "resources/read", uri="a_tool") == -32020


@pytest.mark.parametrize("name", ["a_tool", "é", "\U0001f600", "", " a ", "=?base64?YQ==?="])
def test_a_name_may_come_as_base64(name: str) -> None:
    assert refused(encoded(name), name=name) is None


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("=?base64?SGVsbG8?=", "Hello"),
        ("=?base64?SGVs!!!bG8=?=", "Hello"),
        ("=?base64?SGVsbG8==?=", "Hello"),
        ("=?base64?/w==?=", "\xff"),
        ("=?base64?!?=", "=?base64?!?="),
        ("é", "é"),
    ],
)
def test_a_name_that_no_client_may_write_so_is_a_mismatch(header: str, name: str) -> None:
    assert refused(header, name=name) == -32020


@pytest.mark.parametrize("name", ["SGVsbG8=", "=?base64?SGVsbG8=", "SGVsbG8=?="])
def test_what_only_resembles_base64_is_a_name_as_it_stands(name: str) -> None:
    assert refused(name, name=name) is None


def test_white_space_around_a_value_is_no_part_of_it() -> None:
    assert refused(" \ta_tool ", name="a_tool") is None


def test_a_name_that_both_lack_is_for_the_message_s_own_checks() -> None:
    assert refused(None) is None
    assert refused(None, name=7) is None
    assert refused("7", name=7) == -32020
    assert refused("x") == -32020


@pytest.mark.parametrize(
    "headers",
    [
        (("Mcp-Method", "tools/list"),),
        (("MCP-Protocol-Version", MODERN),),
        (("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/list")),
        (("MCP-Protocol-Version", MODERN), ("Mcp-Method", "TOOLS/LIST")),
        (("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call")),
        (("MCP-Protocol-Version", MODERN),) * 2 + (("Mcp-Method", "tools/list"),),
        (("MCP-Protocol-Version", MODERN),) + (("Mcp-Method", "tools/list"),) * 2,
    ],
)
def test_version_and_method_are_there_once_and_as_in_the_message(
    headers: tuple[tuple[str, str], ...],
) -> None:
    refusal = modern_header_refusal(head(*headers), "tools/list", {"_meta": META})
    assert refusal is not None
    assert refusal.number == -32020


def test_a_version_that_is_no_text_matches_no_header() -> None:
    params = {"_meta": {**META, META_PROTOCOL_VERSION: 7}}
    given = head(("MCP-Protocol-Version", "7"), ("Mcp-Method", "tools/list"))
    refusal = modern_header_refusal(given, "tools/list", params)
    assert refusal is not None
    assert refusal.number == -32020


@pytest.mark.parametrize("versions", [[], ["2025-03-26"], ["2025-06-18"], [" 2025-11-25 "]])
def test_a_legacy_message_comes_with_a_legacy_version_or_none(versions: list[str]) -> None:
    given = head(*(("mcp-protocol-version", version) for version in versions))
    assert legacy_header_refusal(given) is None


@pytest.mark.parametrize("versions", [[""], ["2024-11-05"], ["1"], ["2025-11-25"] * 2, [MODERN]])
def test_a_legacy_message_with_another_version_is_refused(versions: list[str]) -> None:
    given = head(*(("mcp-protocol-version", version) for version in versions))
    refusal = legacy_header_refusal(given)
    assert refusal is not None
    assert refusal.number == -32600


def test_only_the_modern_version_alone_claims_it() -> None:
    assert claims_modern(head(("Mcp-Protocol-Version", MODERN)))
    assert not claims_modern(head())
    assert not claims_modern(head(("Mcp-Protocol-Version", "2025-11-25")))
