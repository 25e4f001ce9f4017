"""`bascule list`: the running apps of this user, and the bridges that wait for one."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.output.styles import add_color_option
from bridge.cli.output.tables import print_table
from bridge.client.bridge_choice import app_slug
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.bridge_states import BridgeState, bridge_states
from bridge.client.discovery import running_bridges
from bridge.client.native_discovery import running_natives
from bridge.client.runtime_directory import RuntimeDirectoryError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers
    from bridge.client.native_states import NativeState

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule list
  bascule list --json | jq -r '.[] | select(.kind == "native").path'

The slug is what other commands take as APP, as they do the name and the address; of several native
apps with one slug, SLUG.PID. A bridge is attached, suspended (the browser has frozen the tab),
waiting (no page is attached) or silent; a native app is running, busy (all its connections are
taken) or silent. Where a native app is, is the path of its socket. Without a terminal the columns
are separated by tabs and have no heading.
"""
_HEADER: Final = (
    "APP",
    "ORIGIN",
    "URL",
    "STATE",
    "PID",
    "SLUG",
    "TRANSPORT",
    "SESSIONS",
    "KIND",
)


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "list",
        help="list your running apps and bridges",
        description="List your running apps: native ones, and your bridges with what is attached "
        "to them.",
        epilog=_EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="print an array of objects")
    add_color_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    try:
        states = bridge_states(running_bridges())
        natives = _native_states()
    except RuntimeDirectoryError as error:
        raise BridgeFailure(ClientErrorCode.NO_BRIDGE, str(error)) from None
    listed = [*map(_bridge_facts, states), *map(_native_facts, natives)]
    if args.json:
        print(json.dumps(listed))
        return ExitCode.DONE
    if not listed:
        print("No bridge is running, and no native app.", file=sys.stderr)
        return ExitCode.DONE
    rows = [_row(facts) for facts in listed]
    print_table(rows, _HEADER, args, folds=False)
    return ExitCode.DONE


def _row(facts: dict[str, object]) -> list[str]:
    cells = [facts[name.lower()] for name in _HEADER]
    # A socket's path is an address as well: one column holds whichever there is.
    cells[_HEADER.index("URL")] = facts["url"] or facts["path"]
    return ["-" if cell is None else str(cell) for cell in cells]


def _native_states() -> list[NativeState]:
    entries = running_natives()
    if not entries:
        return []
    from bridge.client.native_states import native_states  # noqa: PLC0415 - slow, and seldom needed

    return native_states(entries)


def _native_facts(state: NativeState) -> dict[str, object]:
    return {
        **state.facts(),
        "app": state.name,
        "origin": None,
        "url": None,
        "transport": "socket",
        "sessions": None,
    }


def _bridge_facts(state: BridgeState) -> dict[str, object]:
    link = state.status.get("link")
    # Between two polls a link is idle, and for a moment broken: it polls all the same.
    transport = "channel" if link == "channel" else "polling"
    sessions = state.status.get("sessions")
    return {
        "kind": "browser",
        "app": state.app,
        "name": state.app,
        "origin": state.entry.origin,
        "url": state.entry.url,
        "path": None,
        "state": state.state,
        "pid": state.entry.pid,
        "slug": None if state.app is None else app_slug(state.app),
        "transport": transport if state.app is not None and isinstance(link, str) else None,
        "sessions": sessions if isinstance(sessions, int) else None,
    }
