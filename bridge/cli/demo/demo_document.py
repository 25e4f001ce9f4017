"""What `bascule demo` shows of the word processor: its text, edited by a command."""

from __future__ import annotations

import json
import shlex

from bridge.cli.demo.demo_commands import run_command, to_paste
from bridge.cli.demo.demo_error import DemoError
from bridge.contract.error_codes import ExitCode

__all__ = ["edit", "what_to_try"]

_SLUG = "bascule-write"


async def edit(bridge: dict[str, str]) -> None:
    """Insert a text as anybody would, and show what was there before and after.

    Raises `DemoError`.
    """
    print(f"Before:\n{_quoted(await _read(bridge))}\n")
    insert = ["document.text.insert", "text=Hello from a terminal! ", "at=0"]
    words = [*insert, "--expected-revision", "latest"]
    print(f"$ bascule call {_SLUG} {shlex.join(words)}")
    status, answer = await run_command(bridge, "call", *words)
    print(answer.strip())
    if status != ExitCode.DONE:
        raise DemoError("the edit was refused")
    print(f"\nAfter:\n{_quoted(await _read(bridge))}")


def what_to_try(*, drawing: bool, headless: bool) -> str:
    """Return what can be done next, in lines; `drawing`: whether the drawing app runs too."""
    apps = [_SLUG, "bascule-draw"] if drawing else [_SLUG]
    workspace = "bascule demo --headless --workspace" if headless else "bascule demo --workspace"
    return (
        "In another terminal, try:\n"
        + to_paste(f"bascule actions {app}" for app in apps)
        + f"For an MCP client:\n  bascule mcp-config CLIENT {_SLUG}\n"
        + f"For apps that work together:\n  {workspace}\n"
    )


async def _read(bridge: dict[str, str]) -> str:
    status, answer = await run_command(
        bridge, "browser-call", "actions/execute", '{"action": "document.read"}'
    )
    if status != ExitCode.DONE:
        raise DemoError("the text cannot be read")
    text: str = json.loads(answer)["result"]["output"]["text"]
    return text


def _quoted(text: str) -> str:
    return "\n".join(f"  | {line}" for line in text.rstrip("\n").split("\n"))
