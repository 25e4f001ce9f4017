"""The demo's bridge, and the commands that it runs: real ones, each a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.cli.demo.child_end import end_child
from bridge.cli.demo.demo_error import DemoError
from bridge.cli.own_command import own_command
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    from bridge.servers.static_pages import StaticPages

__all__ = ["DemoBridge", "attached", "demo_bridge", "run_command", "to_paste"]

_STEP_SECONDS: Final = 30.0
_COMMAND_SECONDS: Final = 40.0
_LOOK_SECONDS: Final = 0.3


class DemoBridge(NamedTuple):
    """The running bridge."""

    child: asyncio.subprocess.Process
    endpoint: dict[str, str]
    """What its first line said."""


@asynccontextmanager
async def demo_bridge(pages: StaticPages) -> AsyncIterator[DemoBridge]:
    """Run the bridge's own command for the length of the context. Raises `DemoError`."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bridge.cli.main",
        "browser-bridge",
        "--origin",
        pages.origin,
        "--page",
        pages.page,
        "--owner-pid",
        str(os.getpid()),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    drain = None
    try:
        if child.stderr is None:
            raise DemoError("the bridge has no stderr")
        async with asyncio.timeout(_STEP_SECONDS):
            line = await child.stderr.readline()
        try:
            endpoint: dict[str, str] = json.loads(line)
        except ValueError:
            raise DemoError(f"the bridge did not start: {line.decode().strip()}") from None
        drain = asyncio.create_task(child.stderr.read())
        yield DemoBridge(child, endpoint)
    finally:
        await end_child(child)
        if drain is not None:
            await drain


async def attached(bridge: dict[str, str], seconds: float | None) -> None:
    """Wait until the page is attached, by asking as anybody would. Raises `DemoError`."""
    try:
        async with asyncio.timeout(seconds):
            # Another process is asked: there is no event to wait for here.
            while (await run_command(bridge, "browser-call", "agent/info"))[0] != ExitCode.DONE:  # noqa: ASYNC110
                await asyncio.sleep(_LOOK_SECONDS)
    except TimeoutError:
        raise DemoError("nobody attached the page within five minutes") from None


async def run_command(
    bridge: dict[str, str],
    command: str,
    *arguments: str,
    seconds: float = _COMMAND_SECONDS,
    stderr: int | None = asyncio.subprocess.DEVNULL,
    called: str | None = None,
) -> tuple[int, str]:
    """Run a command, and give its status and what it printed.

    The token goes by the environment, never by the arguments. With `PIPE` for `stderr` what was
    said there comes at the end, and names the app `called` instead of by the bridge's address.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bridge.cli.main",
        command,
        "--url",
        bridge["url"],
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=stderr,
        env=os.environ | {"BASCULE_TOKEN": bridge["token"]},
    )
    try:
        async with asyncio.timeout(seconds):
            output, said = await child.communicate()
    finally:
        await end_child(child, at_once=True)
    if said:
        text = said.decode()
        print(text.replace(bridge["url"], called or bridge["url"]), end="", file=sys.stderr)
    return child.returncode or 0, output.decode()


def to_paste(lines: Iterable[str]) -> str:
    """Return commands for another terminal, one a line, with what lets it find `bascule`."""
    program = Path(own_command()[0])
    first = []
    if shutil.which("bascule") is None and program.stem == "bascule" and sys.platform != "win32":
        first = [f'export PATH={shlex.quote(str(program.parent))}:"$PATH"']
    return "".join(f"  {line}\n" for line in (*first, *lines))
