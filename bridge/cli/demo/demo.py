"""`bascule demo`: the main jobs, shown from end to end with the real parts.

Serves a page, starts a bridge, opens the page, and drives it with the same commands that anybody
would type: the apps of the workspace, or a word processor and a native app beside it. Headless
runs drive a browser with Playwright, no dependency of bascule, which is imported only then.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.browser_assets import browser_assets
from bridge.cli.demo import demo_workspace
from bridge.cli.demo.demo_drawing import draw, drawing_app
from bridge.cli.redirect_file import redirect_name, redirect_page
from bridge.cli.stop_signals import stop_numbers
from bridge.contract.attach_link import attach_link
from bridge.contract.error_codes import ExitCode
from bridge.servers.static_pages import StaticPages

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Playwright

__all__ = ["add_parser", "run"]

_CHROMIUM_ARGS: Final = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_DESCRIPTION: Final = """\
Serve a page, start a bridge, open the page and drive it from here: the workspace in a window,
a word processor without one, where nobody can say the yes that the workspace's apps wait for."""
_EPILOG: Final = """\
examples:
  bascule demo
  bascule demo --document
  bascule demo --headless firefox --screenshot demo.png
  bascule demo --headless --stay
"""
_WORKSPACE: Final = "workspace"
_DOCUMENT: Final = "document"
_ATTACH_SECONDS: Final = 300.0
_STEP_SECONDS: Final = 30.0
_OWNER_SECONDS: Final = 240.0
"""Longer than a page lets its owner think, and a call last after that."""


def add_parser(subparsers: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "demo",
        help="show a terminal driving apps that are open in a browser",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--headless",
        nargs="?",
        const="chromium",
        choices=("chromium", "firefox"),
        help="without a window, by Playwright: chromium (default) or firefox",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--workspace",
        dest="shown",
        action="store_const",
        const=_WORKSPACE,
        help="show apps in one page, which its owner lets the terminal use (default in a window); "
        "headless, it gets as far as the question to them",
    )
    shown.add_argument(
        "--document",
        dest="shown",
        action="store_const",
        const=_DOCUMENT,
        help="show a word processor's page, and a native drawing app beside it (default headless)",
    )
    parser.add_argument(
        "--stay",
        action="store_true",
        help="keep a headless run's page and app open until Ctrl-C, to drive them yourself",
    )
    parser.add_argument(
        "--screenshot",
        type=Path,
        metavar="FILE",
        help="where a headless run saves its picture (default: bascule-demo.png)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the demo to its end. Returns an exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Whoever keeps it in a file reads there while the demo goes on.
        sys.stdout.reconfigure(line_buffering=True)
    try:
        return asyncio.run(_demo(args))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("\nStopped. The bridge and the page's server are gone.")
        return ExitCode.DONE
    except DemoError as error:
        print(f"bascule demo: {error}", file=sys.stderr)
        return ExitCode.REFUSED


class DemoError(Exception):
    """The demo cannot go on. The message says why and what to do."""


class _Bridge(NamedTuple):
    """The running bridge."""

    child: asyncio.subprocess.Process
    endpoint: dict[str, str]
    """What its first line said."""


async def _demo(args: argparse.Namespace) -> int:
    # A signal must end the children too: it unwinds the stack like an interrupt does.
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        for number in stop_numbers():
            if number != signal.SIGINT:
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    async with AsyncExitStack() as stack:
        index = "demo/workspace/index.html" if _is_workspace(args) else "demo/index.html"
        pages = await stack.enter_async_context(StaticPages(browser_assets(), index=index))
        print(f"The demo page is served at {pages.page}")
        child, bridge = await stack.enter_async_context(_bridge(pages))
        print(f"The bridge runs at {bridge['url']}, for {bridge['origin']} only.")
        link = attach_link(pages.page, bridge["url"], bridge["token"])
        return await _while_it_runs(child, _show(args, bridge, link))


def _is_workspace(args: argparse.Namespace) -> bool:
    # Its apps wait for a person's yes, and in front of a page without a window there is nobody.
    default = _DOCUMENT if args.headless else _WORKSPACE
    return (args.shown or default) == _WORKSPACE


async def _while_it_runs(
    child: asyncio.subprocess.Process, shown: Coroutine[object, object, int]
) -> int:
    """Return what is shown comes to. Raises `DemoError` where the bridge ends before."""
    showing = asyncio.create_task(shown)
    ending = asyncio.create_task(child.wait())
    try:
        await asyncio.wait((showing, ending), return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            raise DemoError(
                f"the bridge has ended, with status {ending.result()}, and nothing reaches the "
                "page any more. Start the demo again."
            )
        return await showing
    finally:
        for task in (showing, ending):
            task.cancel()
        await asyncio.gather(showing, ending, return_exceptions=True)


async def _show(args: argparse.Namespace, bridge: dict[str, str], link: str) -> int:
    workspace = _is_workspace(args)
    async with AsyncExitStack() as stack:
        page = None
        with ExitStack() as opening:
            if args.headless:
                page = await _open_headless(stack, args.headless, link)
            else:
                opening.enter_context(_open_in_browser(link))
            await _attached(bridge, None if workspace else _ATTACH_SECONDS)
        print("The page is attached.\n")
        if workspace:
            return await _show_workspace(args, bridge, page)
        await _edit(bridge)
        drawing = await stack.enter_async_context(drawing_app(headless=bool(args.headless)))
        picture: Path = args.screenshot or Path("bascule-demo.png")
        drawn = picture.with_name(f"{picture.stem}-drawing.png") if args.headless else None
        if drawing is not None and not await draw(drawing, drawn):
            raise DemoError("the drawing app refused to draw")
        if page is not None:
            await page.screenshot(path=str(picture))
            print(f"\nA picture of the page is in {picture}.")
            if not args.stay:
                return ExitCode.DONE
        other = "" if drawing is None else f"{'or:':>25}  bascule actions bascule-draw\n"
        by_hand = "Edit the text in the page as well; both ways go through the same actions.\n"
        print(
            f"\n{by_hand if page is None else ''}"
            "In another terminal, try:  bascule actions bascule-write\n"
            f"{other}For an MCP client:         bascule mcp-config CLIENT bascule-write\n"
            "For apps that work together: bascule demo --workspace\n"
            "Ctrl-C ends the demo."
        )
        await asyncio.Event().wait()
    return ExitCode.DONE


async def _show_workspace(
    args: argparse.Namespace, bridge: dict[str, str], page: Page | None
) -> int:
    show = demo_workspace.drive if page is None else demo_workspace.ask
    if not await show(lambda *words: _run(bridge, *words, seconds=_OWNER_SECONDS, stderr=None)):
        raise DemoError("the owner of the page said no, or an app did: the lines above tell it")
    if page is not None:
        picture: Path = args.screenshot or Path("bascule-demo.png")
        await page.screenshot(path=str(picture))
        print(f"\nA picture of the page is in {picture}.")
        if not args.stay:
            return ExitCode.DONE
    print(f"\n{demo_workspace.what_to_try(owner=page is None)}Ctrl-C ends the demo.")
    await asyncio.Event().wait()
    return ExitCode.DONE


@asynccontextmanager
async def _bridge(pages: StaticPages) -> AsyncIterator[_Bridge]:
    """Run the real command as a child, and give it with what its first line says."""
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
        yield _Bridge(child, endpoint)
    finally:
        if child.returncode is None:
            child.terminate()
        await child.wait()
        if drain is not None:
            await drain


@contextmanager
def _open_in_browser(link: str) -> Iterator[None]:
    """Open the link by a file that only we can read: no process's arguments ever carry it.

    The file is there for the length of the context.
    """
    with tempfile.TemporaryDirectory(prefix="bascule-demo-") as folder:
        redirect = Path(folder) / redirect_name(os.getpid())
        descriptor = os.open(redirect, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(redirect_page(link))
        if webbrowser.open(redirect.as_uri()):
            print('The page is opening in your browser: press "Attach" there. (Ctrl-C stops.)')
        else:
            print(
                f"No browser could be started. Open this file in one: {redirect}\n"
                'Then press "Attach" in the page. On a machine without a desktop, '
                "`bascule demo --headless --stay` shows what nobody has to say yes to. "
                "(Ctrl-C stops.)"
            )
        yield


async def _open_headless(stack: AsyncExitStack, name: str, link: str) -> Page:
    try:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - only for this
    except ImportError:
        raise DemoError(
            "--headless needs Playwright: pip install playwright==1.64.1, or use scripts/demo"
        ) from None
    playwright = await stack.enter_async_context(async_playwright())
    browser = await _launch(playwright, name)
    stack.push_async_callback(browser.close)
    page = await browser.new_page(viewport={"width": 1100, "height": 720})
    await page.goto(link)
    await page.get_by_role("button", name="Attach").click()
    return page


async def _launch(playwright: Playwright, name: str) -> Browser:
    variable = f"BASCULE_{name.upper()}"
    default = "/usr/bin/chromium" if name == "chromium" else "/usr/bin/firefox-esr"
    executable = os.environ.get(variable, default)
    if shutil.which(executable) is None:
        raise DemoError(
            f"{executable} does not exist; install {name}, or name another with {variable}"
        )
    if name == "firefox":
        return await playwright.firefox.launch(channel="moz-firefox", executable_path=executable)
    # Chromium's sandbox does not run as root.
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return await playwright.chromium.launch(
        executable_path=executable, args=[*_CHROMIUM_ARGS, *root]
    )


async def _attached(bridge: dict[str, str], seconds: float | None = _ATTACH_SECONDS) -> None:
    """Wait until the page is attached, by asking as anybody would."""
    try:
        async with asyncio.timeout(seconds):
            # Another process is asked: there is no event to wait for here.
            while (await _run(bridge, "browser-call", "agent/info"))[0] != ExitCode.DONE:  # noqa: ASYNC110
                await asyncio.sleep(0.3)
    except TimeoutError:
        raise DemoError("nobody attached the page within five minutes") from None


async def _edit(bridge: dict[str, str]) -> None:
    print(f"Before:\n{_quoted(await _read(bridge))}\n")
    insert = ["document.text.insert", "text=Hello from a terminal! ", "at=0"]
    words = [*insert, "--expected-revision", "latest"]
    print(f"$ bascule call bascule-write {shlex.join(words)}")
    status, answer = await _run(bridge, "call", *words)
    print(answer.strip())
    if status != ExitCode.DONE:
        raise DemoError("the edit was refused")
    print(f"\nAfter:\n{_quoted(await _read(bridge))}")


async def _read(bridge: dict[str, str]) -> str:
    status, answer = await _run(
        bridge, "browser-call", "actions/execute", '{"action": "document.read"}'
    )
    if status != ExitCode.DONE:
        raise DemoError("the text cannot be read")
    text: str = json.loads(answer)["result"]["output"]["text"]
    return text


async def _run(
    bridge: dict[str, str],
    command: str,
    *arguments: str,
    seconds: float = _STEP_SECONDS + 10,
    stderr: int | None = asyncio.subprocess.DEVNULL,
) -> tuple[int, str]:
    """Run a real command. The token goes by the environment, never by the arguments."""
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
            output, _ = await child.communicate()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    return child.returncode or 0, output.decode()


def _quoted(text: str) -> str:
    return "\n".join(f"  | {line}" for line in text.rstrip("\n").split("\n"))
