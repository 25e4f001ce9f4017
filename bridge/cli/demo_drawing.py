"""The native half of `bascule demo`: a drawing app beside the browser, driven by the same words.

It is a process of its own, as any native app is; a system where it cannot run leaves it out.
"""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from bridge.contract.error_codes import ExitCode

__all__ = ["DrawingApp", "draw", "drawing_app"]

_START_SECONDS: Final = 30.0
_CALL_SECONDS: Final = 40.0
_SHAPES: Final = (
    ("kind=rectangle", "x=60", "y=60", "width=220", "height=140", "fill=#ffcc66"),
    ("kind=text", "x=80", "y=110", "text=Hello from a terminal", "size=14"),
)


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
        if child.returncode is None:
            child.terminate()
        await child.wait()


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


async def draw(app: DrawingApp) -> bool:
    """Draw in the app by commands that anybody would type, and say whether it worked."""
    print("\nA native app is driven by the same words; this one is a drawing app.")
    for shape in _SHAPES:
        words = ["draw.shape.add", *shape, "--expected-revision", "latest"]
        print(f"$ bascule call bascule-draw {shlex.join(words)}")
        status, answer = await _call(app, words)
        if status != ExitCode.DONE:
            print(answer.strip())
            return False
    status, answer = await _call(app, ["draw.read"])
    if status != ExitCode.DONE:
        return False
    shapes = json.loads(answer)["shapes"]
    print(f"It has {len(shapes)} shapes now: {', '.join(shape['kind'] for shape in shapes)}.")
    return True


async def _call(app: DrawingApp, words: Sequence[str]) -> tuple[int, str]:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bridge.cli.main",
        "call",
        app.path,
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(_CALL_SECONDS):
        output, complaint = await child.communicate()
    return child.returncode or 0, (output or complaint).decode()
