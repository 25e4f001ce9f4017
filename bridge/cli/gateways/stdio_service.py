"""Lines of control protocol 1 between standard input and output and an app.

Bytes in, bytes out, line feeds only: what the app answers is passed on as it is. The session is
released at the end, whichever end that is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.cli.gateways.stdio_gateway import StdioGateway
from bridge.cli.output.failure_report import report_failure
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_choice import ChosenBridge
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.servers.shared_descriptors import write_whole

if TYPE_CHECKING:
    from bridge.client.native_choice import ChosenNative

__all__ = ["AppChoice", "StdioService", "write_line"]

_RELEASE_SECONDS: Final = 2.0
_GONE: Final = frozenset({ClientErrorCode.UNREACHABLE, BridgeErrorCode.UNAUTHORIZED})
"""It has ended, or another run of it is there, with another token: to be chosen again."""


class AppChoice(NamedTuple):
    """How the app is called."""

    choose: Callable[[], ChosenBridge | ChosenNative]
    """Gives the app, when it is first needed and again when it has gone. It may block.

    Raises `BridgeFailure` and `UsageError`.
    """
    session: str
    timeout_seconds: float | None
    """The longest that a call may take; None for the bridge's own."""


class StdioService:
    """The lines to the descriptor `output`, and one session."""

    def __init__(self, choice: AppChoice, output: int) -> None:
        self._choice = choice
        self._output = output
        self._app: ChosenBridge | ChosenNative | None = None
        self._gone = False
        self._session_used = False
        self._gateway = StdioGateway(
            self._call, lambda failure: report_failure(failure, sys.stderr)
        )
        self.in_flight = False

    def connect(self) -> None:
        """Choose the app. Raises `BridgeFailure` and `UsageError`.

        No app at the start is an error of its own; one that goes later may come back.
        """
        if self._app is None:
            self._take(self._choice.choose())

    def answer(self, line: bytes | None) -> None:
        """Answer one line; None for one that was too long to keep."""
        answer = self._gateway.answer(line)
        if answer is not None:
            write_line(self._output, answer)

    def serve(self, lines: Iterable[bytes | None]) -> None:
        """Answer lines until there are no more. Raises `BrokenPipeError` if nobody reads them."""
        for line in lines:
            self.answer(line)

    def release(self) -> None:
        """Release the session, where it was used and its bridge is still there."""
        if self._app is None:
            return
        try:
            if self._session_used and self._may_run(self._app):
                self._connection.close_session(self._choice.session, _RELEASE_SECONDS)
        except BridgeFailure:
            # An app forgets its oldest sessions by itself; there is nothing else to be done.
            pass
        finally:
            self._connection.close()

    def _call(self, message: bytes) -> bytes | None:
        if self._app is None or not self._may_run(self._app):
            if self._app is not None:
                self._connection.close()
            self._take(self._chosen())
            self._session_used = self._gone = False
        self._session_used = self.in_flight = True
        try:
            response = self._connection.call(
                self._choice.session, message, self._choice.timeout_seconds
            )
        except BridgeFailure as failure:
            self.in_flight = False
            self._gone = failure.code in _GONE
            raise
        self.in_flight = False
        return response

    def _take(self, app: ChosenBridge | ChosenNative) -> None:
        self._app = app
        self._connection = app.connection

    def _may_run(self, app: ChosenBridge | ChosenNative) -> bool:
        """Say whether to call the app that was chosen.

        A native one is known by being called, and so is a bridge that only its token names.
        """
        return not self._gone and (not isinstance(app, ChosenBridge) or app.may_run())

    def _chosen(self) -> ChosenBridge | ChosenNative:
        try:
            return self._choice.choose()
        except UsageError as error:
            raise BridgeFailure(
                ClientErrorCode.NO_BRIDGE, str(error), outcome=Outcome.NOT_DELIVERED
            ) from None


def write_line(descriptor: int, line: bytes) -> None:
    """Write a line whole, with its line break."""
    write_whole(descriptor, line + b"\n")
