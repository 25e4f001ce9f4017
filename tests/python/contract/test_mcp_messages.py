"""Each message alone says of which revision it is, and whether it is one of MCP at all."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.contract.mcp_messages import (
    LEGACY,
    META_CLIENT_CAPABILITIES,
    META_LOG_LEVEL,
    META_PROTOCOL_VERSION,
    MODERN,
    Era,
    era_of,
    meta_refusal,
    method_refusal,
    progress_token,
    selects_mcp,
    shape_refusal,
    version_refusal,
)

META = {META_PROTOCOL_VERSION: MODERN, META_CLIENT_CAPABILITIES: {}}


@pytest.mark.parametrize(
    ("method", "params", "era"),
    [
        ("tools/list", {"_meta": META}, Era.MODERN),
        ("tools/list", {"_meta": {META_PROTOCOL_VERSION: 5}}, Era.MODERN),
        ("tools/list", {"_meta": {META_CLIENT_CAPABILITIES: None}}, Era.MODERN),
        ("server/discover", {}, Era.MODERN),
        ("initialize", {"_meta": META}, Era.MODERN),
        ("initialize", {}, Era.LEGACY),
        ("tools/list", {}, Era.LEGACY),
        ("tools/list", {"_meta": {"progressToken": 1}}, Era.LEGACY),
        ("tools/list", {"_meta": [META_PROTOCOL_VERSION]}, Era.LEGACY),
        ("tools/list", {META_PROTOCOL_VERSION: MODERN}, Era.LEGACY),
    ],
)
def test_the_era_is_told_by_the_envelope_or_by_discover(
    method: str, params: dict[str, Any], era: Era
) -> None:
    assert era_of(method, params) is era


def test_only_an_envelope_discover_or_initialize_selects_mcp() -> None:
    assert selects_mcp("tools/call", {"_meta": META})
    assert selects_mcp("agent/info", {"_meta": META})
    assert selects_mcp("server/discover", {})
    assert selects_mcp("initialize", {})
    assert not selects_mcp("tools/call", {})
    assert not selects_mcp("ping", {})
    assert not selects_mcp("resources/read", {"_meta": {}})


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"_meta": []},
        {"_meta": {META_PROTOCOL_VERSION: MODERN}},
        {"_meta": {META_CLIENT_CAPABILITIES: {}}},
        {"_meta": {**META, META_CLIENT_CAPABILITIES: []}},
    ],
)
def test_an_envelope_without_what_it_must_have_is_refused(params: dict[str, Any]) -> None:
    refusal = meta_refusal(params)
    assert refusal is not None
    assert refusal.number == -32602
    assert meta_refusal({"_meta": META}) is None


def test_one_revision_is_served_by_envelope_and_others_are_told_which_there_are() -> None:
    assert version_refusal({"_meta": META}) is None
    for other in (LEGACY, "2099-01-01", ""):
        refusal = version_refusal({"_meta": {**META, META_PROTOCOL_VERSION: other}})
        assert refusal is not None
        assert refusal.number == -32022
        assert refusal.data == {"supported": [MODERN, LEGACY], "requested": other}
    refusal = version_refusal({"_meta": {**META, META_PROTOCOL_VERSION: 1}})
    assert refusal is not None
    assert refusal.number == -32602


def test_each_era_has_methods_of_its_own() -> None:
    for method in ("initialize", "ping"):
        assert method_refusal(method, Era.LEGACY) is None
        assert method_refusal(method, Era.MODERN) is not None
    assert method_refusal("server/discover", Era.MODERN) is None
    assert method_refusal("server/discover", Era.LEGACY) is not None
    for era in Era:
        assert method_refusal("tools/call", era) is None
        for undeclared in ("prompts/list", "logging/setLevel", "tasks/get", "resources/subscribe"):
            refusal = method_refusal(undeclared, era)
            assert refusal is not None
            assert refusal.number == -32601


def test_a_progress_token_is_a_text_or_an_integer() -> None:
    for token in ("a", "", 0, 7):
        params: dict[str, Any] = {"_meta": {"progressToken": token}}
        assert progress_token(params) == token
        assert shape_refusal(params, Era.LEGACY) is None
    bad: Any
    for bad in (None, True, 1.5, [], {}):
        params = {"_meta": {"progressToken": bad}}
        assert progress_token(params) is None
        assert shape_refusal(params, Era.LEGACY) is not None
    assert progress_token({}) is None


def test_a_log_level_is_one_of_eight_where_the_revision_knows_it() -> None:
    assert shape_refusal({"_meta": {META_LOG_LEVEL: "notice"}}, Era.MODERN) is None
    for bad in ("loud", 3, None):
        assert shape_refusal({"_meta": {META_LOG_LEVEL: bad}}, Era.MODERN) is not None
        assert shape_refusal({"_meta": {META_LOG_LEVEL: bad}}, Era.LEGACY) is None


def test_a_meta_that_is_no_object_is_refused() -> None:
    assert shape_refusal({"_meta": 5}, Era.LEGACY) is not None
    assert shape_refusal({"_meta": {}}, Era.LEGACY) is None
    assert shape_refusal({}, Era.LEGACY) is None
