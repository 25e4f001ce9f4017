"""`bascule demo`: the main jobs, shown from end to end with the real parts.

Serves a page, starts a bridge, opens the page, and drives it with the same commands that anybody
would type: the apps of the workspace, or a word processor and a native app beside it. Headless
runs drive a browser with Playwright, no dependency of bascule, which is imported only then.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import signal
import sys
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.browser_assets import browser_assets
from bridge.cli.demo import demo_document, demo_workspace
from bridge.cli.demo.demo_browser import open_headless, opened_in_browser
from bridge.cli.demo.demo_commands import attached, demo_bridge, run_command
from bridge.cli.demo.demo_drawing import draw, drawing_app
from bridge.cli.demo.demo_error import DemoError
from bridge.cli.stop_signals import stop_numbers
from bridge.cli.usage_error import UsageError
from bridge.contract.attach_link import attach_link
from bridge.contract.error_codes import ExitCode
from bridge.servers.static_pages import StaticPages

if TYPE_CHECKING:
    from playwright.async_api import Page

__all__ = ["add_parser", "run"]

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
    """Run the demo to its end. Returns an exit code. Raises `UsageError`."""
    if not args.headless:
        if args.stay:
            raise UsageError("--stay is for --headless: in a window the demo stays until Ctrl-C")
        if args.screenshot is not None:
            raise UsageError("--screenshot is for --headless: in a window you can see the page")
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
        child, bridge = await stack.enter_async_context(demo_bridge(pages))
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
        async with AsyncExitStack() as opening:
            if args.headless:
                page = await open_headless(stack, args.headless, link)
            else:
                await opening.enter_async_context(opened_in_browser(link))
            await attached(bridge, None if workspace else _ATTACH_SECONDS)
        print("The page is attached.\n")
        if workspace:
            return await _show_workspace(args, bridge, page)
        await demo_document.edit(bridge)
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
        by_hand = "Edit the text in the page as well; both ways go through the same actions.\n"
        tried = demo_document.what_to_try(drawing=drawing is not None, headless=bool(args.headless))
        print(f"\n{by_hand if page is None else ''}{tried}Ctrl-C ends the demo.")
        await asyncio.Event().wait()
    return ExitCode.DONE


async def _show_workspace(
    args: argparse.Namespace, bridge: dict[str, str], page: Page | None
) -> int:
    show = demo_workspace.drive if page is None else demo_workspace.ask
    # A person is told that they are asked while they are; what waits for nobody can come later.
    stderr = None if page is None else asyncio.subprocess.PIPE
    run = partial(
        run_command,
        bridge,
        seconds=_OWNER_SECONDS,
        stderr=stderr,
        called=demo_workspace.SLUG,
    )
    if not await show(run):
        raise DemoError("that call failed, and the lines above tell why. Start the demo again.")
    if page is not None:
        picture: Path = args.screenshot or Path("bascule-demo.png")
        await page.screenshot(path=str(picture))
        print(f"\nA picture of the page is in {picture}.")
        if not args.stay:
            return ExitCode.DONE
    print(f"\n{demo_workspace.what_to_try(owner=page is None)}Ctrl-C ends the demo.")
    await asyncio.Event().wait()
    return ExitCode.DONE
