"""`bascule check`: does an app's endpoint keep the contract? Rule by rule."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.app_target import add_app_options, choose_app, take_words
from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.conformance.probe import ProbePeer, Verdict, check
from bridge.cli.output.json_text import compact
from bridge.cli.output.progress_bar import progress_bar
from bridge.cli.output.results import add_json_option, print_line
from bridge.cli.output.styles import add_color_option
from bridge.cli.output.tables import print_table
from bridge.client.bridge_choice import ChosenBridge
from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_PATIENCE_SECONDS: Final = 10.0
_EPILOG: Final = """\
examples:
  bascule check my-app
  bascule check my-app --write
  bascule check my-app --json | jq '.[] | select(.outcome == "fail")'

Each line is a rule, and whether it is kept: pass, fail (with what was answered), or skip (with why
it could not be asked). Only reads are run. With --write also writes are named, in ways that have to
be refused: an app that keeps the contract changes nothing then either, and one that does not may.
The status is 0 where no rule is broken, 1 otherwise.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "check",
        help="check whether an app keeps the contract",
        usage="bascule check [APP] [--write] [options]",
        description="Check whether an app's endpoint keeps the contract, rule by rule.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--write", action="store_true", help="also name writes, which have to be refused"
    )
    add_json_option(parser, "an array of objects")
    add_color_option(parser)
    add_timeout_option(parser)
    add_session_option(parser, "cli-check")
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Check every rule."""
    take_words(args)
    verdicts = _verdicts(args)
    if args.json:
        told = [
            {"id": v.probe.id, "rule": v.probe.rule, "outcome": v.outcome, "detail": v.detail}
            for v in verdicts
        ]
        print_line(compact(told))
    else:
        rows = [(v.probe.id, v.outcome, v.probe.rule, v.detail or "-") for v in verdicts]
        print_table(rows, ("RULE", "OUTCOME", "WHAT IT SAYS", "DETAIL"), args)
    counts = {name: sum(v.outcome == name for v in verdicts) for name in ("pass", "fail", "skip")}
    print(
        f"{counts['pass']} kept, {counts['fail']} broken, {counts['skip']} not asked.",
        file=sys.stderr,
    )
    return ExitCode.APP_ERROR if counts["fail"] else ExitCode.DONE


def _verdicts(args: argparse.Namespace) -> list[Verdict]:
    from bridge.cli.conformance import probes_of_messages, probes_of_methods, probes_of_writes  # noqa: PLC0415

    probes = [*probes_of_messages.PROBES, *probes_of_methods.PROBES]
    if args.write:
        probes += probes_of_writes.PROBES
    chosen = choose_app(args)
    seconds = args.timeout or _PATIENCE_SECONDS
    connection = chosen.connection
    peer = ProbePeer(
        lambda line: connection.call(args.session, line, seconds),
        raw=not isinstance(chosen, ChosenBridge),
    )
    found = []
    try:
        with progress_bar(args) as advance:
            for number, probe in enumerate(probes):
                advance(number / len(probes), probe.id)
                found.append(check(probe, peer))
    except BasculeError as failure:
        # What could be lost by a probe is nothing: none of them changes anything.
        failure.outcome = None
        raise
    finally:
        connection.close()
    return found
