"""`bascule doctor`: the way from here to an app, step by step, up to the first that is wrong.

It looks and asks, and changes nothing: an app is asked only who it is. Contract: exit codes.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from bridge import __version__
from bridge.cli.app_session import AppSession
from bridge.cli.app_target import add_app_options, choose_app, choose_bridge, take_words
from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.doctor import doctor_bridge, doctor_facts, doctor_native
from bridge.cli.doctor.doctor_gateway import ask_gateway
from bridge.cli.doctor.doctor_report import Finding, Waiting, failed, report, until_wrong, wrong
from bridge.cli.output.results import add_json_option
from bridge.cli.output.styles import add_color_option
from bridge.cli.target import ChosenBridge, Target
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BasculeError, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode, ExitCode
from bridge.contract.mcp_messages import MODERN

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers
    from bridge.client.app_connection import AppConnection
    from bridge.client.native_choice import ChosenNative

__all__ = ["add_parser", "run"]

_PATIENCE_SECONDS: Final = 10.0
_SILENT: Final = frozenset(
    {
        BridgeErrorCode.TIMEOUT,
        BridgeErrorCode.TAB_SUSPENDED,
        BridgeErrorCode.QUEUE_FULL,
        ClientErrorCode.DEADLINE_EXCEEDED,
    }
)
"""Codes of an app that is there and does not come to answering."""
_EPILOG: Final = """\
examples:
  bascule doctor
  bascule doctor my-app
  bascule doctor 39217
  bascule doctor --json | jq '.[] | select(.state == "wrong")'

Without APP it looks at your bridge and its page, as what `bascule mcp-config CLIENT` writes does; a
native app is looked at by its name. Each line is a step from here to the app: ok, wrong (with what
to do), or not known, where it cannot be told from here. It stops at the first that is wrong. The
status is then 3 where no bridge runs or nothing is attached, 2 where one of several has to be
chosen, 5 otherwise; and 0 where all is well.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "doctor",
        help="check the way from here to an app, step by step",
        usage="bascule doctor [APP] [options]",
        description="Check the way from here to an app, step by step, and say what to do about "
        "the first thing that is wrong.",
        epilog=_EPILOG,
    )
    add_json_option(parser, "an array of objects")
    add_color_option(parser)
    add_timeout_option(parser)
    add_session_option(parser, "cli-doctor")
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Look at every step."""
    take_words(args)
    # Wrong usage is told as by every command, before anything is looked at.
    target = Target.from_arguments(args)
    return report(until_wrong(_findings(args, target)), args)


def _findings(args: argparse.Namespace, target: Target) -> Iterator[Finding | Waiting]:
    yield _versions()
    if target.token is None:
        yield from doctor_bridge.what_runs(app=target.app, address=target.address)
    choose = choose_bridge if target.app is None else choose_app
    try:
        # Without a name a native app is none: what `mcp-config` writes then finds bridges alone.
        chosen = choose(args, target)
    except UsageError as several:
        first, _, listed = str(several).partition("\n")
        choices = (*(line.strip() for line in listed.splitlines()), *doctor_bridge.others())
        yield wrong("choice", f"{first[:1].upper()}{first[1:]}", *choices, status=ExitCode.USAGE)
        return
    except BasculeError as failure:
        yield failed("choice", failure, *doctor_bridge.others())
        return
    if isinstance(chosen, ChosenBridge):
        yield from doctor_bridge.way_to_page(chosen, target.url_in_file)
    else:
        yield from doctor_native.way_to_app(chosen)
    yield from _round_trip(chosen, args)
    yield Waiting("starting the MCP gateway")
    yield _mcp(chosen)


def _versions() -> Finding:
    from importlib import metadata  # noqa: PLC0415 - slow, and for this alone

    try:
        aiohttp: str | None = metadata.version("aiohttp")
    except metadata.PackageNotFoundError:
        aiohttp = None
    try:
        needed = metadata.requires("bascule") or []
    except metadata.PackageNotFoundError:
        # Run from a folder, without being installed.
        needed = []
    lowest = doctor_facts.required_version(needed, "aiohttp")
    return doctor_facts.versions(__version__, platform.python_version(), aiohttp, lowest)


def _round_trip(
    chosen: ChosenBridge | ChosenNative, args: argparse.Namespace
) -> Iterator[Finding | Waiting]:
    seconds = args.timeout or _PATIENCE_SECONDS
    yield Waiting(f"asking the app, for {seconds:g} s at most")
    connection: AppConnection = chosen.connection
    began = time.monotonic()
    try:
        with AppSession(connection, args.session, seconds) as session:
            info = session.look("agent/info").value
            took = time.monotonic() - began
            connection.close_session(args.session, seconds)
    except BasculeError as failure:
        if failure.code in _SILENT:
            status = doctor_bridge.status_now(chosen) if isinstance(chosen, ChosenBridge) else None
            yield doctor_facts.silent(status, seconds, failure.code)
        else:
            yield failed("app", failure)
        return
    yield doctor_facts.app_answer(info, took, in_page=isinstance(chosen, ChosenBridge))


def _mcp(chosen: ChosenBridge | ChosenNative) -> Finding:
    words = ["browser-stdio", "--protocol", "mcp"]
    if not isinstance(chosen, ChosenBridge):
        name = chosen.path if chosen.entry is None else chosen.entry.endpoint
        words = ["stdio", name, "--protocol", "mcp"]
    began = time.monotonic()
    line = ask_gateway(words)
    return doctor_facts.discovered(line, words, MODERN, time.monotonic() - began)
