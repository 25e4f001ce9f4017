"""`bascule browser-bridge`: runs one bridge and tells its user, and nobody else, how to use it."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import secrets
import sys
import threading
from pathlib import Path
from typing import Final

from bridge.cli.parsing import Parser, Subparsers, UsageError
from bridge.cli.redirect_file import is_redirect_of, open_redirect, redirect_name, redirect_page
from bridge.client.discovery import remove_stale
from bridge.client.process_identity import process_start
from bridge.client.runtime_directory import (
    RuntimeDirectory,
    RuntimeDirectoryError,
    StoredFile,
    runtime_directory_path,
)
from bridge.contract.attach_link import attach_link
from bridge.contract.error_codes import ExitCode
from bridge.contract.runtime_entry import RuntimeEntry, encode_entry, entry_name
from bridge.servers.bridge_process import (
    BridgeConfig,
    BridgeEndpoint,
    BridgeStartError,
    ConfigurationError,
    run_bridge,
)

__all__ = ["add_parser", "run"]

_LEVELS: Final = ("error", "warning", "info", "debug")
_EPILOG: Final = """\
examples:
  bascule browser-bridge --origin http://127.0.0.1:8765 --open
  bascule browser-bridge --origin https://app.example --page https://app.example/editor
  bascule browser-bridge --origin http://localhost:3000 --idle-exit 600 --owner-pid $$

The bridge listens on 127.0.0.1 only, for the page of one origin, until Ctrl-C. Its first line on
standard error is JSON, {"url", "token", "origin"}; then comes a link that attaches the page. Both
hold the token of this run: whoever has it can drive the app. Other bascule commands of the same
user find the bridge by themselves.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "browser-bridge",
        help="run a bridge for one web app, until it is stopped",
        description="Run a bridge between terminals and the page of one web app.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--origin",
        required=True,
        metavar="ORIGIN",
        help="the app's origin as browsers write it, such as http://127.0.0.1:8765",
    )
    parser.add_argument(
        "--page", metavar="URL", help="the page to attach (default: the origin's root)"
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="the port (default: any that is free)"
    )
    parser.add_argument(
        "--public-host",
        action="append",
        default=[],
        metavar="HOST:PORT",
        help="a further name by which a forwarded port is called: a loopback address or localhost",
    )
    parser.add_argument(
        "--idle-exit",
        type=float,
        metavar="SECONDS",
        help="end when no page is attached and nobody has called for so long",
    )
    parser.add_argument(
        "--owner-pid", type=int, metavar="PID", help="end when this process is gone"
    )
    parser.add_argument(
        "--no-channel",
        dest="channel",
        action="store_false",
        help="offer no WebSocket: the page polls, which is slower",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=argparse.SUPPRESS,
        help="log what happens to standard error; -vv: every request",
    )
    parser.add_argument(
        "--open", action="store_true", help="open the page in your browser, ready to attach"
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Run a bridge until something stops it."""
    _set_up_log(args.verbose)
    try:
        config = BridgeConfig(
            origin=args.origin,
            token=secrets.token_urlsafe(32),
            page=args.page,
            port=args.port,
            public_hosts=tuple(args.public_host),
            idle_exit_seconds=args.idle_exit,
            owner_pid=args.owner_pid,
            channel=args.channel,
        )
        with RuntimeDirectory.open(runtime_directory_path(), create=True) as directory:
            remove_stale(directory)
            notice = _Notice(directory, open_page=args.open)
            try:
                run_bridge(config, announce=notice.post, withdraw=notice.remove)
            finally:
                notice.remove()
        _say_goodbye()
    except ConfigurationError as error:
        raise UsageError(str(error)) from None
    except (BridgeStartError, RuntimeDirectoryError) as error:
        print(f"bascule browser-bridge: {error}", file=sys.stderr)
        return ExitCode.NO_BRIDGE
    return ExitCode.DONE


class _Notice:
    """What tells of the running bridge: its file, its lines, and the browser where asked for."""

    def __init__(self, directory: RuntimeDirectory, *, open_page: bool) -> None:
        self._directory = directory
        self._open_page = open_page
        self._files: list[StoredFile] = []

    def post(self, endpoint: BridgeEndpoint) -> None:
        """Write the file, then the lines: whoever reads the first line can rely on the file."""
        pid = os.getpid()
        entry = RuntimeEntry(
            url=endpoint.url,
            token=endpoint.token,
            origin=endpoint.origin,
            page=endpoint.page,
            pid=pid,
            process_start=process_start(pid),
        )
        self._files.append(self._directory.write(entry_name(pid), encode_entry(entry)))
        link = attach_link(endpoint.page, endpoint.url, endpoint.token)
        line = {"url": endpoint.url, "token": endpoint.token, "origin": endpoint.origin}
        print(json.dumps(line), file=sys.stderr)
        print(
            f"Attach the page by this link, which is as secret as the token:\n  {link}",
            file=sys.stderr,
        )
        if self._open_page:
            stored = self._directory.write(redirect_name(pid), redirect_page(link))
            self._files.append(stored)
            path = self._directory.path / stored.name
            # Some browsers do not come back before they are closed.
            threading.Thread(target=_open_in_browser, args=(path,), daemon=True).start()
        sys.stderr.flush()

    def remove(self) -> None:
        """Remove the files, where they are still ours."""
        while self._files:
            self._directory.remove(self._files.pop())
        # Those of `bascule open` as well: the link in them has ended with this process.
        with contextlib.suppress(OSError):
            for name in self._directory.names():
                if is_redirect_of(os.getpid(), name):
                    self._directory.remove_ours(name)


def _say_goodbye() -> None:
    """Write the last line, after which nothing of the bridge is left."""
    line = "The bridge is gone, and its link with it.\n"
    if sys.stderr.isatty():
        # The terminal has written ^C into this line.
        line = f"\n{line}"
    # The terminal or the pipe may be gone, too; what is unbuffered cannot fail once more at exit.
    with contextlib.suppress(OSError):
        sys.stderr.flush()
        os.write(sys.stderr.fileno(), line.encode())


def _open_in_browser(path: Path) -> None:
    if not open_redirect(path):
        print("No browser could be opened: open the link above yourself.", file=sys.stderr)


def _set_up_log(verbose: int) -> None:
    """Log our own modules only: what a library logs has not been checked for secrets."""
    wanted = os.environ.get("BASCULE_LOG", "").lower()
    if wanted and wanted not in _LEVELS:
        raise UsageError(f"BASCULE_LOG is one of {', '.join(_LEVELS)}")
    level = max(1 + verbose, _LEVELS.index(wanted) if wanted else 0)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    log = logging.getLogger("bridge")
    log.handlers = [handler]
    log.propagate = False
    log.setLevel(_LEVELS[min(level, len(_LEVELS) - 1)].upper())
