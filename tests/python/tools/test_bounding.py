"""Bounded results: within every limit, the same when bounded again, and never a tombstone."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.strict_json import dumps
from bridge.tools import bounding, json_fit
from bridge.tools.bounding import NotJsonError, bound, bound_async
from bridge.tools.result_limits import RESULT_LIMITS
from bridge.tools.text_clip import json_bytes
from bridge.tools.tool_result import ToolResult, error_result, read_result, to_wire
from tests.python.support.calm import calm

SMALL = RESULT_LIMITS._replace(
    max_blocks=4,
    max_text_chars=2_000,
    max_text_bytes=4_096,
    max_content_bytes=16_384,
    max_media_chars=4_000,
    max_structured_bytes=4_096,
    max_meta_bytes=14_336,
    max_string_chars=512,
    max_members=64,
    max_depth=6,
)
CHARS = st.characters(exclude_categories=["Cs"])
BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, st.text(CHARS, max_size=3_000)),
    st.builds(lambda n: {"type": "image", "data": "A" * n, "mimeType": "image/png"},
              st.integers(0, 6_000)),
    st.builds(lambda text: {"type": "resource", "resource": {"uri": "a:b", "text": text}},
              st.text("\0ä", max_size=2_000)),
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(CHARS, max_size=700),
    lambda inner: st.lists(inner, max_size=90) | st.dictionaries(st.text(CHARS), inner),
    max_leaves=30,
)
OBJECTS = st.dictionaries(st.text(CHARS, max_size=9), VALUES, max_size=6)
RESULTS = st.builds(
    ToolResult,
    st.lists(BLOCKS, max_size=7).map(tuple),
    st.none() | OBJECTS,
    st.booleans(),
    OBJECTS,
)


def text_of(result: ToolResult) -> str:
    return "".join(block["text"] for block in result.content)


def sizes(result: ToolResult) -> tuple[int, int, int]:
    wire = to_wire(result)
    return tuple(  # type: ignore[return-value]
        len(dumps(wire[name])) if name in wire else 0
        for name in ("content", "structuredContent", "_meta")
    )


@given(RESULTS)
@calm(max_examples=50)
def test_a_bounded_result_is_within_every_limit(result: ToolResult) -> None:
    bounded = bound(result, SMALL)
    content, structured, meta = sizes(bounded)
    assert content <= SMALL.max_content_bytes
    assert structured <= SMALL.max_structured_bytes
    assert meta <= SMALL.max_meta_bytes
    assert len(bounded.content) <= SMALL.max_blocks
    texts = [each.get("text", each.get("resource", {}).get("text", "")) for each in bounded.content]
    assert sum(map(len, texts)) <= SMALL.max_text_chars
    assert max(map(json_bytes, texts), default=0) <= SMALL.max_text_bytes
    assert bounded.is_error == result.is_error


@given(RESULTS)
@calm(max_examples=50)
def test_bounding_twice_is_bounding_once(result: ToolResult) -> None:
    once = bound(result, SMALL)
    assert bound(once, SMALL) == once


@given(RESULTS)
@calm(max_examples=30)
def test_with_the_product_s_own_limits_as_well(result: ToolResult) -> None:
    once = bound(result)
    assert bound(once) == once
    assert once.structured_content == result.structured_content
    if result.content:
        assert once.content == result.content


def test_the_largest_bounded_result_can_be_sent_in_one_line() -> None:
    media = {"type": "image", "data": "A" * RESULT_LIMITS.max_media_chars, "mimeType": "image/png"}
    resource = {"type": "resource", "resource": {"uri": "\0" * 100, "text": "\0" * 100_000}}
    result = ToolResult(
        (media, media, *[resource] * 100),
        {"rows": ["\0" * 5_000] * 1_000},
        True,
        {"a": ["\u2028" * 5_000] * 1_000},
    )
    line = {"jsonrpc": "2.0", "id": 1, "result": {"output": to_wire(bound(result))}}
    assert 500_000 < len(dumps(line)) < 1_048_576


@pytest.mark.parametrize("character", ["\U0001f600", "\0", "é", "\u2028"])
def test_the_longest_text_can_be_sent_in_one_line(character: str) -> None:
    text = character * RESULT_LIMITS.max_text_chars
    for block in (
        {"type": "text", "text": text},
        {"type": "resource", "resource": {"uri": "a:b", "text": text}},
    ):
        bounded = bound(ToolResult((block,)))
        assert dumps(to_wire(bounded))
        # No more is cut than has to be.
        assert len(dumps(to_wire(bounded))) > 199_000
        assert bound(bounded) == bounded


def test_the_deepest_bounded_result_can_be_sent_in_a_batch() -> None:
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    wire = to_wire(bound(ToolResult((), {"deep": deep})))
    envelope: Any = wire
    for _ in range(9):
        envelope = [envelope]
    assert dumps(envelope)


def test_a_short_text_beside_a_long_one_stays_whole() -> None:
    bounded = bound(read_result([{"type": "text", "text": "x" * 500_000},
                                 {"type": "text", "text": "the total is 42"}]))  # fmt: skip
    long, short = bounded.content
    assert short["text"] == "the total is 42"
    assert long["text"].endswith("kept]")
    assert "[cut: 500000 characters, " in long["text"]
    assert 99_000 < len(text_of(bounded)) <= RESULT_LIMITS.max_text_chars


@pytest.mark.parametrize(("length", "is_cut"), [(100_000, False), (100_001, True)])
def test_a_text_at_the_limit_stays_and_one_longer_is_cut(length: int, is_cut: bool) -> None:
    assert ("[cut:" in text_of(bound(read_result("x" * length)))) is is_cut


@pytest.mark.parametrize(("length", "stays"), [(262_144, True), (262_145, False)])
def test_a_picture_at_the_limit_stays_and_a_larger_one_is_told_of(length: int, stays: bool) -> None:
    (block,) = bound(
        ToolResult(({"type": "image", "data": "A" * length, "mimeType": "image/png"},))
    ).content
    assert (block["type"] == "image") is stays
    if not stays:
        assert block["text"] == "[Left out: image/png (image), 262145 characters of base64.]"


def test_too_many_blocks_lose_the_last_ones_and_say_so() -> None:
    blocks = [{"type": "text", "text": str(n)} for n in range(100)]
    bounded = bound(read_result(blocks))
    assert len(bounded.content) == RESULT_LIMITS.max_blocks
    assert bounded.content[:63] == tuple(blocks[:63])
    assert bounded.content[63]["text"] == "[More than 64 blocks: the others are left out.]"


def test_what_was_cut_of_the_structure_stands_in_meta_beside_what_was_there() -> None:
    result = ToolResult((), {"rows": list(range(10_000))}, False, {"bascule": {"cost": 3}, "a": 1})
    bounded = bound(result)
    kept = len((bounded.structured_content or {})["rows"])
    assert kept == RESULT_LIMITS.max_members
    assert bounded.meta == {
        "bascule": {
            "cost": 3,
            "truncated": [{"path": "/rows", "original": 10_000, "kept": kept}],
        },
        "a": 1,
    }


def test_what_was_cut_is_told_beside_meta_that_is_too_much_itself() -> None:
    for meta in ({"notes": ["x" * 200] * 1_000}, {f"note_{n}": n for n in range(5_000)}):
        bounded = bound(ToolResult((), {"rows": list(range(10_000))}, False, meta))
        assert [each["path"] for each in bounded.meta["bascule"]["truncated"]] == ["/rows"]
        assert len(str(bounded.meta)) > 1_000
        assert sizes(bounded)[2] <= RESULT_LIMITS.max_meta_bytes


def test_what_stands_around_a_text_counts_as_well() -> None:
    resource = {"uri": "\0" * 160, "mimeType": "\0" * 40, "text": "\0" * 500}
    block = {"type": "resource", "resource": resource}
    limits = SMALL._replace(max_content_bytes=10_000)
    bounded = bound(ToolResult((block,) * 4), limits)
    assert len(bounded.content) == 4
    assert 4_000 < sizes(bounded)[0] <= limits.max_content_bytes


def test_structure_without_content_is_told_as_text() -> None:
    assert text_of(bound(ToolResult((), {"ok": True}))) == '{"ok":true}'
    assert text_of(bound(ToolResult((), {"rows": [0] * 9_000}))).startswith('{"rows":[0,0,')
    assert bound(ToolResult()).content == ()


def test_a_bounded_result_shares_nothing_with_what_the_handler_keeps() -> None:
    for rows in ([1, 2], list(range(9_000))):
        structured = {"rows": rows}
        block = {"type": "text", "text": "rows"}
        bounded = bound(ToolResult((block,), structured))
        assert bounded.structured_content is not None
        assert bounded.structured_content["rows"] is not rows
        before = to_wire(bounded)["structuredContent"]["rows"][:2]
        rows[0] = "changed"  # type: ignore[call-overload]
        block["text"] = "changed"
        assert bounded.structured_content["rows"][:2] == before
        assert text_of(bounded) == "rows"


def test_an_error_is_bounded_alike() -> None:
    assert len(text_of(bound(error_result("x" * 500_000, "BUSY")))) == 100_000


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(NotJsonError, match="/a/0 is nan"):
        bound(ToolResult((), {"a": [float("nan")]}))


async def test_a_large_result_is_bounded_in_a_thread_and_a_small_one_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[threading.Thread] = []
    fit = json_fit.fit

    def noted(*arguments: Any) -> Any:
        threads.append(threading.current_thread())
        return fit(*arguments)

    monkeypatch.setattr(bounding, "fit", noted)
    large = ToolResult((), {"rows": list(range(100_000))})
    bounded = await bound_async(large)
    assert bounded == bound(large)
    assert threads[0] is not threading.current_thread()
    threads.clear()
    assert await bound_async(ToolResult((), {"rows": [1]})) == bound(ToolResult((), {"rows": [1]}))
    assert threads == []


async def test_the_loop_goes_on_while_a_large_result_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = asyncio.get_running_loop()
    turned = threading.Event()
    fit = json_fit.fit

    def waits_for_the_loop(*arguments: Any) -> Any:
        loop.call_soon_threadsafe(turned.set)
        assert turned.wait(30), "the loop did not go on"
        return fit(*arguments)

    monkeypatch.setattr(bounding, "fit", waits_for_the_loop)
    bounded = await bound_async(ToolResult((), {"rows": list(range(100_000))}))
    assert bounded.structured_content is not None
