"""`python -m bridge.demo.drawing`: starts the drawing app, in a window or without one.

Composes the app with a native endpoint, or with standard input and output.
"""

from __future__ import annotations

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # What is imported takes a while, and a client may have ended it by then: without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bridge.contract.error_codes import ExitCode
from bridge.demo.drawing_host import APP, DrawingHost, drawing_dispatcher
from bridge.dispatcher.runtime import TIMELESS
from bridge.servers.agent_stdio import serve_stdio
from bridge.servers.native_server import NativeError, NativeServer, serve
from bridge.servers.tick_runtime import TickRuntime

if TYPE_CHECKING:
    from tkinter import Tk

    from bridge.dispatcher.dispatcher import Dispatcher
    from bridge.dispatcher.rpc_session import Protocol

__all__ = ["main"]

_TICK_SECONDS: Final = 0.02
_IDLE_SECONDS: Final = 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the app to its end. Returns an exit code."""
    args = _parser().parse_args(arguments)
    host = DrawingHost()
    runtime = TickRuntime()
    # The window and its socket need no clock; who waits for a task on standard input does.
    dispatcher = drawing_dispatcher(host, runtime if args.agent_mcp else TIMELESS)
    # A signal ends the app as Ctrl-C does, so that its socket is removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if args.agent_json or args.agent_mcp:
            dispatcher.set_enabled(True)
            _serve_stdio(host, dispatcher, runtime, "mcp" if args.agent_mcp else "control")
            return ExitCode.DONE
        root = None if args.headless else _window_system()
        if root is not None:
            return _run_window(root, host, dispatcher, args)
        return _run_headless(host, dispatcher, args.name)
    except KeyboardInterrupt:
        return ExitCode.DONE


def _serve_stdio(
    host: DrawingHost, dispatcher: Dispatcher, runtime: TickRuntime, protocol: Protocol
) -> None:
    def tick() -> bool:
        runtime.tick()
        return host.tick()

    serve_stdio(dispatcher, tick, protocol=protocol)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bridge.demo.drawing",
        description="A small drawing app that people and terminals use side by side.",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--headless",
        action="store_true",
        help="without a window, found by `bascule list`; the same where no display exists",
    )
    mode.add_argument(
        "--agent-json",
        action="store_true",
        help="without a window, control protocol 1 on standard input and output",
    )
    mode.add_argument(
        "--agent-mcp",
        action="store_true",
        help="the same for clients of MCP",
    )
    parser.add_argument(
        "--name", default=APP.name, help="by what terminals find it (default: %(default)s)"
    )
    parser.add_argument(
        "--enable",
        action="store_true",
        help="let terminals in at once; else the window's Agent menu does",
    )
    return parser


def _run_headless(host: DrawingHost, dispatcher: Dispatcher, name: str) -> int:
    """Serve until a signal ends it. There is no menu: being started so is the permission."""
    dispatcher.set_enabled(True)
    try:
        server = serve(dispatcher, name)
    except NativeError as error:
        return _refused(error)
    with server:
        _say_ready(server)
        while True:
            server.poll(_TICK_SECONDS if host.busy else _IDLE_SECONDS)
            host.tick()


def _say_ready(server: NativeServer | None) -> None:
    """Say in a line of JSON where the app is served, for whoever started it."""
    path = None if server is None or server.path is None else str(server.path)
    ready = {"name": APP.name if server is None else server.name, "pid": os.getpid(), "path": path}
    sys.stdout.write(json.dumps(ready) + "\n")
    sys.stdout.flush()


def _window_system() -> Tk | None:
    """Return Tk's root window; None, with a line on stderr, where no window can be opened."""
    try:
        import tkinter as tk  # noqa: PLC0415 - many systems have none

        return tk.Tk()
    except ImportError:
        why = "this Python has no tkinter"
    except tk.TclError as error:
        why = str(error)
    sys.stderr.write(f"No window ({why}); running without one. Ctrl-C ends it.\n")
    return None


def _run_window(
    root: Tk, host: DrawingHost, dispatcher: Dispatcher, args: argparse.Namespace
) -> int:
    from bridge.demo.drawing_window import DrawingWindow  # noqa: PLC0415 - needs tkinter

    dispatcher.set_enabled(args.enable)
    server: NativeServer | None = None
    try:
        server = serve(dispatcher, args.name)
    except NativeError as error:
        # Drawing by hand needs no socket.
        sys.stderr.write(f"Terminals cannot reach this app: {error}\n")
    window = DrawingWindow(root, dispatcher, host, server)
    signal.signal(signal.SIGTERM, lambda _number, _frame: window.stop())
    signal.signal(signal.SIGINT, lambda _number, _frame: window.stop())
    try:
        _say_ready(server)
        window.run()
    finally:
        if server is not None:
            server.close()
    return ExitCode.DONE


def _refused(error: NativeError) -> int:
    sys.stderr.write(f"Bascule Draw: {error}\n")
    return ExitCode.REFUSED


if __name__ == "__main__":
    sys.exit(main())
