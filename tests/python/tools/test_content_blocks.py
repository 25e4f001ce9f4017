"""Blocks of content: four kinds are read, two become one of them, all others are left out."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.tools.content_blocks import read_block, read_blocks, read_text
from bridge.tools.result_limits import RESULT_LIMITS

TEXT = {"type": "text", "text": "hello"}
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}
RESOURCE = {"type": "resource", "resource": {"uri": "note:1", "text": "hello"}}
BLOB = {
    "type": "resource",
    "resource": {"uri": "clip:1", "mimeType": "video/mp4", "blob": "aGk="},
}


@pytest.mark.parametrize("block", [TEXT, IMAGE, AUDIO, RESOURCE, BLOB])
def test_a_known_block_stays(block: dict[str, Any]) -> None:
    assert read_block(block) == block


@pytest.mark.parametrize(
    "block",
    [
        {"type": "tool_use", "id": "1"},
        {"type": "Text", "text": "hello"},
        {"type": ["text"], "text": "hello"},
        {"text": "hello"},
        {"type": "text"},
        {"type": "text", "text": 1},
        {"type": "image", "data": "aGk="},
        {"type": "image", "data": b"hi", "mimeType": "image/png"},
        {"type": "audio", "data": "aGk=", "mimeType": ""},
        {"type": "video", "data": "aGk=", "mimeType": "image/png"},
        {"type": "resource"},
        {"type": "resource", "resource": {"text": "hello"}},
        {"type": "resource", "resource": {"uri": "note:1"}},
        {"type": "resource", "resource": {"uri": "x" * 2_000, "text": "hello"}},
        {"type": "resource_link", "name": "without an address"},
        "text",
        None,
        ["text", "hello"],
    ],
)
def test_any_other_block_is_left_out(block: object) -> None:
    assert read_block(block) is None
    assert read_blocks([TEXT, block, IMAGE]) == (TEXT, IMAGE)


def test_a_link_becomes_a_resource_that_tells_what_the_link_told() -> None:
    link = {
        "type": "resource_link",
        "uri": "file:///report.pdf",
        "name": "report.pdf",
        "title": "Report",
        "description": "Of the year",
        "mimeType": "application/pdf",
    }
    assert read_block(link) == {
        "type": "resource",
        "resource": {
            "uri": "file:///report.pdf",
            "mimeType": "text/plain",
            "text": "Report: report.pdf: Of the year (application/pdf)",
        },
    }


def test_a_bare_link_tells_its_address() -> None:
    assert read_block({"type": "resource_link", "uri": "note:1"}) == {
        "type": "resource",
        "resource": {"uri": "note:1", "text": "note:1"},
    }


def test_a_video_becomes_a_resource_with_a_blob() -> None:
    video = {"type": "video", "data": "aGk=", "mimeType": "video/mp4", "uri": "clip:1"}
    assert read_block(video) == BLOB
    del video["uri"]
    named = read_block(video)
    assert named is not None
    assert named["resource"]["uri"] == "attachment:video"


def test_members_that_are_not_of_the_kind_are_left_out() -> None:
    assert read_block({**TEXT, "_meta": {"secret": 1}, "data": "x"}) == TEXT
    noisy = {"type": "resource", "resource": {**RESOURCE["resource"], "_meta": {}}}  # type: ignore[dict-item]
    assert read_block(noisy) == RESOURCE


def test_annotations_that_are_known_stay() -> None:
    known = {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"}
    assert read_block({**TEXT, "annotations": {**known, "other": 1}}) == {
        **TEXT,
        "annotations": known,
    }


@pytest.mark.parametrize(
    ("name", "known", "wrong"),
    [
        ("audience", ["user", "assistant"], ["user", "assistant", "user"]),
        ("audience", ["assistant"], ["root"]),
        ("audience", ["user"], "user"),
        ("priority", 0, -0.1),
        ("priority", 1, 1.1),
        ("priority", 1.0, True),
        ("lastModified", "x" * 64, "x" * 65),
        ("lastModified", "2026", 2026),
    ],
)
def test_an_annotation_is_what_mcp_says_or_left_out(name: str, known: Any, wrong: Any) -> None:
    block = {**TEXT, "annotations": {name: known}}
    assert read_block(block) == block
    assert read_block({**TEXT, "annotations": {name: wrong}}) == TEXT


@pytest.mark.parametrize(("uri", "stays"), [("a" * 1_022, True), ("a" * 1_023, False),
                                            ("\0" * 170, True), ("\0" * 171, False)])  # fmt: skip
def test_an_address_is_no_longer_as_json_than_one_may_be(uri: str, stays: bool) -> None:
    block = {"type": "resource", "resource": {"uri": uri, "text": "a"}}
    assert read_block(block) == (block if stays else None)


def test_half_characters_are_replaced_and_whole_ones_are_not() -> None:
    assert read_text("a\ud800b") == ({"type": "text", "text": "a\ufffdb"},)
    assert read_text("a\N{GRINNING FACE}b") == ({"type": "text", "text": "a\N{GRINNING FACE}b"},)


def test_no_more_blocks_are_read_than_could_stay_and_one() -> None:
    assert len(read_blocks([TEXT] * 1_000)) == RESULT_LIMITS.max_blocks + 1
    assert len(read_blocks([TEXT] * 3)) == 3
