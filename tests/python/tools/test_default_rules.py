"""Defaults that are told, and those that are filled in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.python.support.tool_packages import block, defined, found, tool, with_property

PLACE = "/properties/extra/default"
DIFFERS = {("default-differs", PLACE)}


def told(default: Any, **defaults: Any) -> dict[str, Any]:
    return with_property({"default": default}, **{"x-bascule": block(defaults=defaults)})


@pytest.mark.parametrize(
    ("schema", "warned"),
    [
        (told("a"), {("default-unapplied", PLACE)}),
        (told("a", text="b"), {("default-unapplied", PLACE)}),
        (told("a", extra="a"), set()),
        (told("a", extra="b"), DIFFERS),
        (told(1, extra=1.0), set()),
        (told(1, extra=True), DIFFERS),
        (told(None, extra=None), set()),
        (with_property({"type": "string"}, **{"x-bascule": block(defaults={"extra": "a"})}), set()),
        (with_property(True), set()),
        # Further inside nothing is filled in, and nobody expects it.
        (with_property({"properties": {"inner": {"default": 1}}}), set()),
        (tool(None, **{"x-neuralis": block()}), set()),
    ],
)
def test_what_is_told_and_not_filled_in_is_a_warning(
    schema: Any, warned: set[tuple[str, str]]
) -> None:
    assert found(schema) == warned
    defined(schema)


def test_all_defaults_are_checked_whatever_else_is_wrong_in_the_block() -> None:
    wrong = block(defaults={"text": 7, "extra": 7, "other": 7}, requires={"features": ["a b"]})
    assert found(with_property({"type": "string"}, **{"x-bascule": wrong})) == {
        ("extension-value", "/x-bascule/requires/features"),
        ("default-unknown", "/x-bascule/defaults/other"),
        ("default-value", "/x-bascule/defaults/text"),
        ("default-value", "/x-bascule/defaults/extra"),
    }
