"""The native half of `bascule demo`: a drawing app beside the browser, driven by the same words.

It is a process of its own, as any native app is; a system where it cannot run leaves it out.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from bridge.cli.demo.child_end import end_child
from bridge.contract.error_codes import ExitCode

__all__ = ["DrawingApp", "draw", "drawing_app"]

_START_SECONDS: Final = 30.0
_CALL_SECONDS: Final = 40.0
_RECTANGLE: Final = ("kind=rectangle", "x=60", "y=60", "width=220", "height=140", "fill=#ffcc66")
_BATCH: Final = [
    {"action": "draw.layer.add", "input": {"name": "Words"}},
    {
        "action": "draw.shape.add",
        "input": {"kind": "text", "x": 80, "y": 110, "text": "Hello from a terminal"},
    },
]


class DrawingApp(NamedTuple):
    """A running drawing app."""

    pid: int
    path: str
    """Its socket, by which this one and no other is called."""


@asynccontextmanager
async def drawing_app(*, headless: bool) -> AsyncIterator[DrawingApp | None]:
    """Run the app, in a window where it can; None, with a line that says why, where it cannot."""
    # Whoever starts the demo wants the window to be driven.
    mode = "--headless" if headless else "--enable"
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bridge.demo.drawing",
        mode,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield await _ready(child)
    finally:
        await end_child(child)


async def _ready(child: asyncio.subprocess.Process) -> DrawingApp | None:
    line = b""
    if child.stdout is not None:
        try:
            async with asyncio.timeout(_START_SECONDS):
                line = await child.stdout.readline()
        except TimeoutError:
            line = b""
    try:
        said = json.loads(line)
        path = said["path"]
    except (ValueError, KeyError, TypeError):
        path = None
    if not isinstance(path, str):
        print("The drawing app, which is no web app, does not run here: it is left out.")
        return None
    return DrawingApp(child.pid, path)


async def draw(app: DrawingApp, picture: Path | None = None) -> bool:
    """Draw in the app by commands that anybody would type, and say whether all of it worked.

    `picture` is a file for what is drawn in the end.
    """
    print("\nA native app is driven by the same words; this one is a drawing app.")
    latest = ("--expected-revision", "latest")
    steps = [
        _Step("call", ["draw.shape.add", *_RECTANGLE, *latest]),
        # All of it or nothing, and one step of undo.
        _Step("batch", ["--atomic", *latest], json.dumps(_BATCH)),
        _Step("call", ["draw.export", "format=svg"]),
        # It is the first that this app was ever asked for.
        _Step("task", ["task-1", "--wait"]),
    ]
    if picture is not None:
        # A second run replaces the first one's, as it does with the picture of the page.
        force = ["--force"] if os.path.exists(picture) else []  # noqa: ASYNC240, PTH110
        steps.append(_Step("render", ["-o", str(picture), *force]))
    for step in steps:
        before = "" if step.stdin is None else f"echo {shlex.quote(step.stdin)} | "
        print(f"$ {before}bascule {step.command} bascule-draw {shlex.join(step.words)}")
        status, answer = await _run(app, step)
        print(answer.strip())
        if status != ExitCode.DONE:
            return False
    return True


class _Step(NamedTuple):
    command: str
    words: list[str]
    stdin: str | None = None


async def _run(app: DrawingApp, step: _Step) -> tuple[int, str]:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bridge.cli.main",
        step.command,
        app.path,
        *step.words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_CALL_SECONDS):
            output, said = await child.communicate((step.stdin or "").encode())
    finally:
        await end_child(child, at_once=True)
    return child.returncode or 0, (output or said).decode()
