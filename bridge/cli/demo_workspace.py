"""The workspace of `bascule demo --workspace`: three apps in one page, driven by commands.

Adds a note and has the board draw, by words that anybody would type.
"""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable
from typing import Final

from bridge.contract.error_codes import ExitCode

__all__ = ["SLUG", "drive", "what_to_try"]

SLUG: Final = "bascule-workspace"
_DRAWING: Final = ("kind=rectangle", "x=120", "y=120", "width=360", "height=180")
_STEPS: Final = (
    # Answered when the app is live: a page that was attached may still be starting its apps.
    ("workspace.tile.open", "app=notes"),
    ("app.notes.notes_add", "title=Hello from a terminal", "text=Written by a command."),
    ("workspace.tile.open", "app=board"),
    ("app.board.board_add", *_DRAWING, "text=Hello from a terminal"),
)


async def drive(run: Callable[..., Awaitable[tuple[int, str]]]) -> bool:
    """Do it by `run`, which takes a command's words; say whether all of it worked."""
    for words in _STEPS:
        print(f"$ bascule call {SLUG} {shlex.join(words)} --expected-revision latest")
        status, answer = await run("call", *words, "--expected-revision", "latest")
        print(answer.strip())
        if status != ExitCode.DONE:
            return False
    return True


def what_to_try() -> str:
    """Return what a person can do next, in lines."""
    return (
        "In another terminal, try:\n"
        f"  bascule actions {SLUG}\n"
        f"  bascule describe {SLUG} app.board.board_import_image\n"
        f"  bascule call {SLUG} app.notes.notes_search query=terminal\n"
        f"  bascule call {SLUG} workspace.audit.list\n"
        f"For an MCP client:\n  bascule mcp-config CLIENT {SLUG}\n"
    )
