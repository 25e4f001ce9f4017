"""One keep-alive connection to a native app: blocking exchanges of lines, one after another.

Nothing is sent before the kernel has said that who listens is this very user. A connection that
was closed while nobody used it is opened anew; what may have been acted on is never sent twice.
Contract: native endpoints, delivery.
"""

from __future__ import annotations

# The modules over these take as long to load as a call takes, for what is not used here.
import _socket as socket
import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.connection_failures import too_late
from bridge.client.kept_socket import KeptSocket
from bridge.client.native_exchange import NativeExchange, is_notification
from bridge.client.native_failures import another_user, app_unreachable, no_bridge_between
from bridge.contract.error_codes import Outcome
from bridge.contract.limits import BRIDGE_LIMITS
from bridge.contract.peer_credentials import is_same_user, peer_uid

__all__ = ["RETRY_SECONDS", "NativeConnection", "try_dial"]

_SO_PEERCRED: Final[int | None] = getattr(socket, "SO_PEERCRED", None)
RETRY_SECONDS: Final = 0.02
"""How long nobody dials again where so many wait that no more may."""
_READ_BYTES: Final = 65_536
_MARGIN_SECONDS: Final = 5.0
"""As over a bridge: a call without a deadline of its own is given up this much later."""


class NativeConnection:
    """Exchanges with the app that listens at a path. Every method raises `BridgeFailure`.

    The whole connection is one protocol session of the app. Several threads take turns; a forked
    process has a connection of its own. Also a context manager, which hangs up in the end.
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._clock = clock
        self._kept = KeptSocket()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up. The connection can be used again, and then opens anew."""
        self._kept.close()

    def exchange(self, request: bytes, deadline: float, *, answered: bool = True) -> bytes | None:
        """Send a message and return the line that answers it, by `deadline` on the clock.

        None at once where it is not `answered`. Whatever interrupts it hangs up.
        """
        if not self._kept.begin_turn(deadline - self._clock()):
            raise too_late(Outcome.NOT_DELIVERED)
        try:
            opened = self._kept.take()
            if opened is not None:
                try:
                    return self._exchange(opened, request, deadline, answered=answered)
                except BridgeFailure as failure:
                    if failure.code != ClientErrorCode.UNREACHABLE:
                        raise
                    # It broke while nobody looked, and nothing was acted on.
            return self._exchange(self._dial(deadline), request, deadline, answered=answered)
        finally:
            self._kept.end_turn()

    def respond(
        self, session: str, request: bytes, seconds: float | None, deadline: float
    ) -> bytes:
        """Send a JSON-RPC request and return its response. The session is the connection's own."""
        del session, seconds
        return self.exchange(request, deadline) or b""

    def call(
        self, session: str, request: bytes, timeout_seconds: float | None = None
    ) -> bytes | None:
        """Send one JSON-RPC message and return the response's bytes; None for a notification."""
        del session
        longest = timeout_seconds or BRIDGE_LIMITS.max_call_seconds + _MARGIN_SECONDS
        return self.exchange(
            request, self._clock() + longest, answered=not is_notification(request)
        )

    def close_session(self, session: str, timeout_seconds: float = 0.0) -> None:
        """Release the session, which is the connection."""
        del session, timeout_seconds
        self.close()

    def calls(self, after: int | None, wait_seconds: float, deadline: float) -> bytes:
        """Raise: there is nobody between who sees the calls of others."""
        del after, wait_seconds, deadline
        raise no_bridge_between("no journal of calls")

    def status(self, timeout_seconds: float = 0.0) -> bytes:
        """Raise: there is nobody between who has a status."""
        del timeout_seconds
        raise no_bridge_between("no status")

    def _dial(self, deadline: float) -> socket.socket:
        """Connect, and wait in the queue of an app that is busy."""
        while (left := deadline - self._clock()) > 0:
            opened = try_dial(self.path)
            if opened is not None:
                return opened
            # The system tells nobody when there is room again but who blocks in the call itself,
            # and that wait ends at the first signal.
            time.sleep(min(left, RETRY_SECONDS))
        raise too_late(Outcome.NOT_DELIVERED)

    def _exchange(
        self, opened: socket.socket, request: bytes, deadline: float, *, answered: bool
    ) -> bytes | None:
        exchange = NativeExchange(request)
        kept = False
        try:
            answer = self._send_and_receive(opened, exchange, deadline, answered=answered)
            kept = not answered or exchange.is_clean
        except TimeoutError:
            raise too_late(exchange.outcome) from None
        except OSError as error:
            reason = error.strerror or "the connection broke off"
            raise exchange.broken(self.path, reason) from None
        finally:
            if kept:
                self._kept.keep(opened)
            else:
                opened.close()
        return answer

    def _send_and_receive(
        self, opened: socket.socket, exchange: NativeExchange, deadline: float, *, answered: bool
    ) -> bytes | None:
        broken: OSError | None = None
        try:
            while exchange.unsent:
                self._wait_until(opened, deadline)
                exchange.has_sent(opened.send(exchange.unsent))
        except (BrokenPipeError, ConnectionError) as error:
            # Refused, and perhaps there is a reason to read.
            broken = error
        if broken is None and not answered:
            return None
        while True:
            self._wait_until(opened, deadline)
            data = opened.recv(_READ_BYTES)
            if not data:
                raise broken or ConnectionResetError(0, "the connection broke off")
            answer = exchange.receive(data)
            if answer is not None:
                if broken is not None and exchange.outcome is Outcome.NOT_DELIVERED:
                    # It is about a part of the request, of which nobody makes a message.
                    raise broken
                return answer

    def _wait_until(self, opened: socket.socket, deadline: float) -> None:
        left = deadline - self._clock()
        if left <= 0:
            raise TimeoutError
        opened.settimeout(left)


def try_dial(path: str) -> socket.socket | None:
    """Connect, which is done at once or not at all; None where so many wait that no more may.

    Returns a socket that does not block. Raises `BridgeFailure` where nobody listens, or somebody
    else does.
    """
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        opened.connect(path)
        uid = peer_uid(opened, socket.SOL_SOCKET, _SO_PEERCRED)
    except BlockingIOError:
        opened.close()
        return None
    except OSError as error:
        opened.close()
        raise app_unreachable(path, error.strerror or "it did not answer") from None
    except BaseException:
        opened.close()
        raise
    if not is_same_user(uid, os.getuid()):
        opened.close()
        raise another_user(path)
    return opened
