"""One keep-alive connection to a bridge: blocking exchanges, one after another.

Dials the literal loopback address, knows no proxies and no redirects, and bounds what it reads.
A connection that was closed while nobody used it is opened anew; what may have been acted on is
never sent twice. Contract: HTTP, secrets.
"""

from __future__ import annotations

# The modules over these take as long to load as a call takes, for what is not used here.
import _socket as socket
import time
from collections.abc import Callable
from typing import Final

from bridge.client.bridge_address import LOOPBACK, BridgeAddress
from bridge.client.connection_failures import (
    ClosedUnanswered,
    NotSentWhole,
    closed_early,
    connection_lost,
    ended,
    not_a_bridge,
    too_late,
    unreachable,
)
from bridge.client.http_response import HttpError, HttpResponse, ResponseReader
from bridge.client.kept_socket import KeptSocket
from bridge.contract.error_codes import Outcome
from bridge.contract.limits import BRIDGE_LIMITS

__all__ = ["REUSE_SECONDS", "HttpConnection", "always"]

REUSE_SECONDS: Final = BRIDGE_LIMITS.head_timeout_seconds * 0.6
"""A bridge closes an idle socket soon after; nearer to that a request could cross its end."""
_READ_BYTES: Final = 65_536


def always() -> bool:
    """Say that a bridge runs, for one whose process is not known."""
    return True


class HttpConnection:
    """Exchanges with one bridge. Several threads take turns; a forked process has its own socket.

    `runs` says whether the process that the token belongs to still is the bridge. It is asked once
    for each connection, after that is established and before anything is sent: from then on the
    peer cannot become somebody else.
    """

    def __init__(
        self,
        address: BridgeAddress,
        runs: Callable[[], bool] = always,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = address
        self._runs = runs
        self._clock = clock
        self._kept = KeptSocket()
        self._used_at = 0.0

    def exchange(
        self, request: bytes, deadline: float, *, repeatable: bool = False
    ) -> HttpResponse:
        """Send a request and return its response, by `deadline` on the clock.

        A `repeatable` request is sent again when an old connection turns out to be closed. Raises
        `BridgeFailure`; whatever interrupts it hangs up.
        """
        if not self._kept.begin_turn(deadline - self._clock()):
            raise too_late(Outcome.NOT_DELIVERED)
        try:
            return self._exchange_in_turn(request, deadline, repeatable=repeatable)
        finally:
            self._kept.end_turn()

    def close(self) -> None:
        """Hang up. The next exchange opens a connection of its own."""
        self._kept.close()

    def _exchange_in_turn(
        self, request: bytes, deadline: float, *, repeatable: bool
    ) -> HttpResponse:
        opened = self._take()
        if opened is not None:
            try:
                return self._exchange(opened, request, deadline)
            except NotSentWhole:
                pass
            except ClosedUnanswered:
                if not repeatable:
                    raise connection_lost("the connection broke off") from None
        try:
            return self._exchange(self._dial(deadline), request, deadline)
        except NotSentWhole:
            raise closed_early() from None
        except ClosedUnanswered:
            raise connection_lost("the connection broke off") from None

    def _take(self) -> socket.socket | None:
        """Return the open connection where it is young enough and can still be used."""
        if self._clock() - self._used_at > REUSE_SECONDS:
            self._kept.drop()
        return self._kept.take()

    def _dial(self, deadline: float) -> socket.socket:
        left = deadline - self._clock()
        if left <= 0:
            raise too_late(Outcome.NOT_DELIVERED)
        # Not by name, so that no resolver and no codec of names is loaded.
        opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        opened.settimeout(left)
        try:
            opened.connect((LOOPBACK, self._address.port))
        except TimeoutError:
            opened.close()
            raise too_late(Outcome.NOT_DELIVERED) from None
        except OSError as error:
            opened.close()
            reason = error.strerror or "it did not answer"
            raise unreachable(f"No bridge answers at {self._address.url}: {reason}.") from None
        try:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not self._runs():
                raise ended()
        except BaseException:
            opened.close()
            raise
        return opened

    def _exchange(self, opened: socket.socket, request: bytes, deadline: float) -> HttpResponse:
        kept = False
        try:
            response = self._send_and_receive(opened, request, deadline)
            kept = response.keeps
        finally:
            if kept:
                self._kept.keep(opened)
                self._used_at = self._clock()
            else:
                opened.close()
        return response

    def _send_and_receive(
        self, opened: socket.socket, request: bytes, deadline: float
    ) -> HttpResponse:
        left = deadline - self._clock()
        if left <= 0:
            raise too_late(Outcome.NOT_DELIVERED)
        opened.settimeout(left)
        try:
            opened.sendall(request)
        except TimeoutError:
            raise too_late(Outcome.NOT_DELIVERED) from None
        except OSError:
            # Refused half-way: not all of it was taken, and perhaps there is a reason to read.
            return self._read_refusal(opened, deadline)
        try:
            return self._receive(opened, deadline)
        except TimeoutError:
            raise too_late(Outcome.UNKNOWN) from None
        except HttpError as error:
            raise not_a_bridge(str(error)) from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise connection_lost(f"the connection failed ({reason})") from None

    def _read_refusal(self, opened: socket.socket, deadline: float) -> HttpResponse:
        try:
            response = self._receive(opened, deadline)
        except (OSError, HttpError, ClosedUnanswered):
            raise NotSentWhole from None
        if response.status < 400:
            raise NotSentWhole
        return response._replace(keeps=False)

    def _receive(self, opened: socket.socket, deadline: float) -> HttpResponse:
        reader = ResponseReader(BRIDGE_LIMITS.max_body_bytes)
        while True:
            left = deadline - self._clock()
            if left <= 0:
                raise TimeoutError
            opened.settimeout(left)
            try:
                data = opened.recv(_READ_BYTES)
            except ConnectionError:
                data = b""
            if not data:
                if reader.has_begun:
                    raise ConnectionResetError(0, "half-way through the answer")
                raise ClosedUnanswered
            response = reader.feed(data)
            if response is not None:
                return response
