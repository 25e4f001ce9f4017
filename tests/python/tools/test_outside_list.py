"""A server's list that changes after it was imported."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from bridge.tools.imported_tools import MAX_TOOLS
from bridge.tools.outside_list import OutsideList
from tests.python.support.handlers import turns

TAKES = {"type": "object", "properties": {"a": {"type": "integer"}}}
OTHER = {"type": "object"}


def tool(name: str = "echo", **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": TAKES, **more}


class Server:
    """What a server lists now, and how often it was asked."""

    def __init__(self, *tools: dict[str, Any]) -> None:
        self.tools: list[dict[str, Any]] = list(tools)
        self.asked = 0

    async def __call__(self) -> Iterable[dict[str, Any]]:
        self.asked += 1
        return self.tools


def imported(server: Server, told: list[str] | None = None) -> OutsideList:
    words = [] if told is None else told
    now = OutsideList("notes", lambda: words.append("changed"))
    now.begin()
    now.imported(server.tools)
    return now


@pytest.mark.parametrize(
    ("then", "since", "why"),
    [
        ([tool()], [tool()], None),
        ([tool()], [tool(), tool("more")], None),
        ([tool()], [tool(description="Another one.", annotations={"title": "T"})], None),
        ([tool()], [], "taken this tool from its list"),
        ([tool()], [tool("other")], "taken this tool from its list"),
        ([tool()], [tool(inputSchema=OTHER)], "changed what this tool takes or gives"),
        ([tool()], [tool(outputSchema=OTHER)], "changed what this tool takes or gives"),
        ([tool(outputSchema=OTHER)], [tool()], "changed what this tool takes or gives"),
        # Of two of one name the first was imported.
        ([tool(), tool(inputSchema=OTHER)], [tool(), tool(inputSchema=TAKES)], None),
        ([tool()], [tool(f"t{n}") for n in range(MAX_TOOLS)], None),
        ([tool()], [tool(f"t{n}") for n in range(MAX_TOOLS - 1)], "taken this tool"),
    ],
)
async def test_what_became_of_a_tool_decides_whether_it_is_called(
    then: list[dict[str, Any]], since: list[dict[str, Any]], why: str | None
) -> None:
    server = Server(*then)
    now = imported(server)
    server.tools = since
    # Nobody has said that it changed.
    assert await now.refusal("echo", server) is None
    assert server.asked == 0
    now.has_changed()
    words = await now.refusal("echo", server)
    assert (words is None) is (why is None)
    assert why is None or why in str(words)


async def test_the_list_is_asked_for_once_for_each_change_and_a_change_is_told_once() -> None:
    told: list[str] = []
    server = Server(tool())
    now = imported(server, told)
    now.has_changed()
    now.has_changed()
    assert await now.refusal("echo", server) is None
    assert await now.refusal("echo", server) is None
    assert server.asked == 1
    server.tools = []
    now.has_changed()
    assert await now.refusal("echo", server) is not None
    # A tool that comes back as it was is called again.
    server.tools = [tool()]
    now.has_changed()
    assert await now.refusal("echo", server) is None
    assert server.asked == 3
    assert told == ["changed"]


async def test_a_change_before_the_list_was_asked_for_does_not_count() -> None:
    server = Server(tool())
    now = OutsideList("notes", lambda: None)
    now.has_changed()
    now.begin()
    now.imported(server.tools)
    assert await now.refusal("echo", server) is None
    assert server.asked == 0


async def test_where_the_list_cannot_be_had_the_server_says_what_it_has() -> None:
    async def fail() -> Iterable[dict[str, Any]]:
        raise ValueError("broken")

    server = Server()
    now = imported(Server(tool()))
    now.has_changed()
    assert await now.refusal("echo", fail) is None
    # The next call asks again, without another word of the server's.
    assert await now.refusal("echo", server) is not None


async def test_a_call_that_is_cancelled_leaves_the_asking_to_the_next_one() -> None:
    async def hang() -> Iterable[dict[str, Any]]:
        await asyncio.Event().wait()
        return []

    server = Server()
    now = imported(Server(tool()))
    now.has_changed()
    calling = asyncio.create_task(now.refusal("echo", hang))
    await turns()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert await now.refusal("echo", server) is not None
