"""What `bascule demo` shows of the workspace: commands to apps in one page, let in by its owner.

Adds a note and has the board draw, by words that anybody would type, and reads who did what. Only a
person in front of the page can say yes: without a window the demo gets as far as the question.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from bridge.cli.demo.demo_commands import to_paste
from bridge.contract.error_codes import ExitCode

__all__ = ["ASKING", "SLUG", "ask", "drive", "what_to_try"]

SLUG: Final = "bascule-workspace"
ASKING: Final = (
    "The next call is the first to an app: the page asks you whether this terminal may make it.\n"
    'Choose "Every app, until the terminal is detached" there, and press "Allow".'
)
_UNANSWERED: Final = (
    "The page asks its owner, and only a person can say yes: without a window nobody can, and the\n"
    "call is refused when their time is up. In your own browser: bascule demo"
)
_LATEST: Final = ("--expected-revision", "latest")
_DRAWING: Final = ("kind=rectangle", "x=120", "y=120", "width=480", "height=180")
_TEXT: Final = "Hello from a terminal"
# Answered when the app is live: a page that was attached may still be starting its apps.
_OPEN_NOTES: Final = ("workspace.tile.open", "app=notes", *_LATEST)
_ADD: Final = ("app.notes.notes_add", f"title={_TEXT}", "text=Written by a command.", *_LATEST)
_LATER_STEPS: Final = (
    ("workspace.tile.open", "app=board", *_LATEST),
    ("app.board.board_add", *_DRAWING, f"text={_TEXT}", *_LATEST),
    ("workspace.grants.list",),
)
_AUDIT: Final = ("workspace.audit.list",)
_TOLD: Final = ("caller", "target", "tool", "status")

_TO_TRY: Final = (
    "describe app.board.board_import_image",
    "call app.notes.notes_search query=terminal",
    "call workspace.tile.open app=writer --expected-revision latest",
    "call app.writer.document_text_insert text=Hello! at=0 --expected-revision latest",
    "call workspace.audit.list",
)
_WITH_OWNER: Final = "For a page with one app, and a native app:\n  bascule demo --document\n"
_TO_TRY_ALONE: Final = (
    "describe app.notes.notes_add",
    "call workspace.endpoints.list",
    "call workspace.audit.list",
)

Run: TypeAlias = Callable[..., Awaitable[tuple[int, str]]]
"""Takes a command's words, and gives its status and what it printed."""


async def drive(run: Run) -> bool:
    """Do it, and say whether all of it worked. The page's owner is asked once."""
    if not await _step(run, _OPEN_NOTES):
        return False
    print(f"\n{ASKING}\n")
    for words in (_ADD, *_LATER_STEPS):
        if not await _step(run, words):
            return False
    return await _read_audit(run)


async def ask(run: Run) -> bool:
    """Go as far as to the question, where nobody can answer it. Say whether that worked."""
    for words in (_OPEN_NOTES, (*_ADD, "--no-wait")):
        if not await _step(run, words):
            return False
    print(f"\n{_UNANSWERED}")
    return True


async def _step(run: Run, words: tuple[str, ...]) -> bool:
    status, answer = await _call(run, words)
    print(answer.strip())
    return status == ExitCode.DONE


async def _read_audit(run: Run) -> bool:
    status, answer = await _call(run, _AUDIT)
    if status != ExitCode.DONE:
        print(answer.strip())
        return False
    # The apps' own calls are many, and each entry says more: the point would be lost in them.
    print("Of all that it tells, the terminal's calls: who called what, and how it ended.")
    for entry in json.loads(answer)["entries"]:
        if entry["caller"].startswith("external:"):
            print(json.dumps({name: entry[name] for name in _TOLD}))
    return True


async def _call(run: Run, words: tuple[str, ...]) -> tuple[int, str]:
    print(f"$ bascule call {SLUG} {shlex.join(words)}")
    return await run("call", *words)


def what_to_try(*, owner: bool) -> str:
    """Return what can be done next, in lines.

    Without an owner at the page that is only what needs nobody's leave.
    """
    tried = ["actions", *(_TO_TRY if owner else _TO_TRY_ALONE)]
    lines = (
        shlex.join(("bascule", command, SLUG, *words)) for command, *words in map(str.split, tried)
    )
    return (
        "In another terminal, try:\n"
        + to_paste(lines)
        + f"For an MCP client:\n  bascule mcp-config CLIENT {SLUG}\n"
        + (_WITH_OWNER if owner else "")
    )
