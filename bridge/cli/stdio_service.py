"""JSON-RPC lines between standard input and output and an app, until the input ends.

Bytes in, bytes out, line feeds only: what the app answers is passed on as it is. The session is
released at the end, whichever end that is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from bridge.cli.failure_report import report_failure
from bridge.cli.stdio_gateway import StdioGateway
from bridge.cli.stop_signals import Stopped, stop_on_signals
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_choice import ChosenBridge
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import ExitCode, Outcome
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.line_reader import LineReader

if TYPE_CHECKING:
    from bridge.client.native_choice import ChosenNative

__all__ = ["serve_stdio"]

_READ_BYTES: Final = 65_536
_RELEASE_SECONDS: Final = 2.0


def serve_stdio(
    choose: Callable[[], ChosenBridge | ChosenNative],
    session: str | None,
    timeout_seconds: float | None,
) -> int:
    """Serve lines until the input ends or a signal comes, and return the exit status.

    `choose` gives the app, at once and again when it has gone. Without a `session` it is one of
    this run's own.
    """
    service = _Service(choose, session or f"cli-stdio-{os.urandom(8).hex()}", timeout_seconds)
    stopped = False
    try:
        with stop_on_signals():
            service.serve()
    except Stopped:
        stopped = True
    finally:
        service.release()
    if stopped and service.in_flight:
        print("bascule: stopped. The last call may have run.", file=sys.stderr)
        return ExitCode.OUTCOME_UNKNOWN
    return ExitCode.DONE


class _Service:
    """The lines of this process's standard input and output, and one session."""

    def __init__(
        self,
        choose: Callable[[], ChosenBridge | ChosenNative],
        session: str,
        timeout_seconds: float | None,
    ) -> None:
        self._choose = choose
        self._session = session
        self._timeout_seconds = timeout_seconds
        # No app at the start is an error of its own; one that goes later may come back.
        self._app = choose()
        self._connection = self._app.connection
        self._gone = False
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
            if self._session_used and self._may_run():
                self._connection.close_session(self._session, _RELEASE_SECONDS)
        except BridgeFailure:
            # An app forgets its oldest sessions by itself; there is nothing else to be done.
            pass
        finally:
            self._connection.close()

    def _call(self, message: bytes) -> bytes | None:
        if not self._may_run():
            self._connection.close()
            self._app = self._chosen()
            self._connection = self._app.connection
            self._session_used = self._gone = False
        self._session_used = self.in_flight = True
        try:
            response = self._connection.call(self._session, message, self._timeout_seconds)
        except BridgeFailure as failure:
            self.in_flight = False
            self._gone = failure.code == ClientErrorCode.UNREACHABLE
            raise
        self.in_flight = False
        return response

    def _may_run(self) -> bool:
        """Say whether to call the app that was chosen. A native one is known by being called."""
        return self._app.may_run() if isinstance(self._app, ChosenBridge) else not self._gone

    def _chosen(self) -> ChosenBridge | ChosenNative:
        try:
            return self._choose()
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
