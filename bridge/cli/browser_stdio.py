"""`bascule browser-stdio`: JSON-RPC lines between standard input and output and the page.

Bytes in, bytes out, line feeds only. The session is released in the page at the end, whichever
end that is.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.call_options import add_timeout_option, session_name
from bridge.cli.failure_report import report_failure
from bridge.cli.line_reader import LineReader
from bridge.cli.stdio_gateway import StdioGateway
from bridge.cli.stop_signals import Stopped, stop_on_signals
from bridge.cli.target import ChosenBridge, Target, add_target_options
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import ExitCode, Outcome
from bridge.contract.limits import JSON_LIMITS

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_READ_BYTES: Final = 65_536
_EPILOG: Final = """\
examples:
  printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"agent/info"}' | bascule browser-stdio
  bascule browser-stdio --app "My editor" < calls.ndjson > answers.ndjson

One line of at most 1 MiB is one message; every request is answered with one line, in order, and a
notification with none. Where the bridge cannot bring a call to an answer, the answer is a JSON-RPC
error -32000 whose data has the bridge's code and the outcome: not_delivered (trying again is safe)
or unknown (it may have run).
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "browser-stdio",
        help="pass JSON-RPC lines between standard input and the page",
        description="Pass JSON-RPC messages, one per line, between standard input and output and "
        "the page that is attached to a bridge, until the input ends.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--session",
        type=session_name,
        metavar="NAME",
        help="the protocol session in the page (default: one of its own for each run)",
    )
    add_timeout_option(parser)
    add_target_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Serve lines until the input ends or a signal comes."""
    session = args.session or f"cli-stdio-{os.urandom(8).hex()}"
    gateway = _Gateway(Target.from_arguments(args), session, args.timeout)
    stopped = False
    try:
        with stop_on_signals():
            gateway.serve()
    except Stopped:
        stopped = True
    finally:
        gateway.release()
    if stopped and gateway.in_flight:
        print("bascule: stopped. The last call may have run.", file=sys.stderr)
        return ExitCode.OUTCOME_UNKNOWN
    return ExitCode.DONE


class _Gateway:
    """The lines of this process's standard input and output, and one session."""

    def __init__(self, target: Target, session: str, timeout_seconds: float | None) -> None:
        self._target = target
        self._session = session
        self._timeout_seconds = timeout_seconds
        # No bridge at the start is an error of its own; one that goes later may come back.
        self._bridge = target.choose()
        self._connection = self._bridge.connection
        self._session_used = False
        self.in_flight = False

    def serve(self) -> None:
        """Answer lines until the input ends or nobody reads the answers."""
        reader = LineReader(JSON_LIMITS.max_encoded_bytes)
        gateway = StdioGateway(self._call, lambda failure: report_failure(failure, sys.stderr))
        try:
            while data := os.read(sys.stdin.fileno(), _READ_BYTES):
                for line in reader.feed(data):
                    self._write(gateway.answer(line))
            for line in reader.finish():
                self._write(gateway.answer(line))
        except BrokenPipeError:
            return

    def release(self) -> None:
        """Release the session, where it was used and its bridge is still there."""
        try:
            if self._session_used and self._bridge.may_run():
                self._connection.close_session(self._session)
        except BridgeFailure:
            # The page forgets its oldest sessions by itself; there is nothing else to be done.
            pass
        finally:
            self._connection.close()

    def _call(self, message: bytes) -> bytes | None:
        if not self._bridge.may_run():
            self._connection.close()
            self._bridge = self._choose()
            self._connection = self._bridge.connection
            self._session_used = False
        self._session_used = self.in_flight = True
        try:
            response = self._connection.call(self._session, message, self._timeout_seconds)
        except BridgeFailure:
            self.in_flight = False
            raise
        self.in_flight = False
        return response

    def _choose(self) -> ChosenBridge:
        try:
            return self._target.choose()
        except UsageError as error:
            raise BridgeFailure(
                ClientErrorCode.NO_BRIDGE, str(error), outcome=Outcome.NOT_DELIVERED
            ) from None

    def _write(self, line: bytes | None) -> None:
        if line is None:
            return
        rest = memoryview(line + b"\n")
        while rest:
            rest = rest[os.write(sys.stdout.fileno(), rest) :]
