"""The way from a gateway to its app: chosen when it is first needed, and again when it has gone.

One session of the app for the whole of the gateway's life. Bytes in, bytes out; what they say is
no concern of this module. Contract: delivery, MCP.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from bridge.cli.gateways.mcp_failures import no_app
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.call_deadline import CallDeadline
from bridge.client.connection_failures import NotSentWhole, not_a_bridge
from bridge.client.native_choice import ChosenNative
from bridge.contract.error_codes import BridgeErrorCode, Outcome

if TYPE_CHECKING:
    from bridge.cli.gateways.stdio_service import AppChoice
    from bridge.client.async_bridge_connection import AsyncBridgeConnection
    from bridge.client.bridge_choice import ChosenBridge
    from bridge.client.native_async_connection import AsyncNativeConnection
    from bridge.client.terminal_channel import CallEnd

__all__ = ["AppRoute", "Ended"]

App: TypeAlias = "ChosenBridge | ChosenNative"

_KEEP_SECONDS: Final = 300.0
"""A third of the time after which a bridge takes a session to be abandoned."""
_ASIDE_SECONDS: Final = 5.0
"""How long what nobody waits for may take."""
_GONE: Final = frozenset({ClientErrorCode.NO_BRIDGE, ClientErrorCode.UNREACHABLE})
_LOOK_AGAIN: Final = _GONE | {
    BridgeErrorCode.NOT_ATTACHED,
    BridgeErrorCode.CLOSING,
    # A bridge that was started again at the same address has another token.
    BridgeErrorCode.UNAUTHORIZED,
}
"""Nothing was done, and somebody else may be the app by now."""


Ended: TypeAlias = "Callable[[bytes | BridgeFailure | None], None]"
"""Told how a request has ended: its response, why there is none, or None to use `respond`."""


class _Way(NamedTuple):
    app: App
    connection: AsyncBridgeConnection | AsyncNativeConnection
    begin: Callable[..., Callable[[], None] | None] | None
    """Sends a request that nobody waits for, where the app is called by a channel."""


class AppRoute:
    """Exchanges with whichever app is there, for one event loop.

    The app is chosen in a thread. A session that is used is kept every `keep_seconds`.
    """

    def __init__(self, choice: AppChoice, keep_seconds: float = _KEEP_SECONDS) -> None:
        self._loop = asyncio.get_running_loop()
        self._choice = choice
        self._session = choice.session
        self._keep_seconds = keep_seconds
        self._way: _Way | None = None
        self._choosing: asyncio.Future[App] | None = None
        self._keeping: asyncio.TimerHandle | None = None
        self._aside: set[asyncio.Task[None]] = set()

    async def respond(self, request: bytes, opening: bytes | None = None) -> bytes:
        """Send a request and return its response.

        An `opening` is brought before it to whoever has not been sent anything in this session.
        Raises `BridgeFailure`; cancelled, it hangs up, and the request may have been acted on.
        """
        deadline = CallDeadline.after(self._choice.timeout_seconds, self._loop.time())
        way = self._way
        if way is None:
            return await self._exchange(await self._found(None), request, opening, deadline)
        try:
            return await self._exchange(way, request, opening, deadline)
        except BridgeFailure as failure:
            if not _looks_again(failure):
                raise
            try:
                other = await self._found(way)
            except BridgeFailure:
                # A bridge that waits for its page says best what is missing.
                if failure.code not in _GONE:
                    raise failure from None
                raise
            if other is way:
                raise
        return await self._exchange(other, request, opening, deadline)

    def begin(
        self, request: bytes, ended: Ended, opening: bytes | None = None
    ) -> Callable[[], None] | None:
        """Send a request where that takes no waiting, as `respond` does.

        `ended` is told once, in a later step of the loop; None says that nobody acted on it, and
        that `respond` has to look for an app. Returns what hangs up, or None where nothing was
        sent.
        """
        way = self._way
        if way is None or way.begin is None:
            return None
        now = self._loop.time()
        deadline = CallDeadline.after(self._choice.timeout_seconds, now)

        def done(end: CallEnd) -> None:
            if isinstance(end, bytes):
                ended(end)
            elif end is None:
                ended(not_a_bridge("a request was answered as a notification is"))
            elif isinstance(end, NotSentWhole) or _looks_again(end):
                ended(None)
            else:
                ended(end)

        self._keep_from_now_on()
        return way.begin(
            self._session,
            request,
            deadline.for_bridge(now),
            deadline.for_exchange(now),
            done,
            opening=opening,
        )

    def notify(self, message: bytes) -> asyncio.Future[None] | None:
        """Send a notification, if there is anybody to send it to, or return None.

        What is returned is done within seconds, and says nothing of how that has ended.
        """
        return None if self._way is None else self._start(self._notify(self._way, message))

    async def close(self, seconds: float) -> None:
        """Release the session, where it was used, and hang up."""
        if self._keeping is not None:
            self._keeping.cancel()
        for task in list(self._aside):
            task.cancel()
        way, self._way = self._way, None
        if way is None:
            return
        with suppress(BridgeFailure):
            # An app, and a bridge, forget a session by themselves; there is nothing else to do.
            await way.connection.close_session(self._session, self._loop.time() + seconds)
        way.connection.close()

    async def _exchange(
        self, way: _Way, request: bytes, opening: bytes | None, deadline: CallDeadline
    ) -> bytes:
        now = self._loop.time()
        self._keep_from_now_on()
        return await way.connection.respond(
            self._session,
            request,
            deadline.for_bridge(now),
            deadline.for_exchange(now),
            opening=opening,
        )

    async def _found(self, failed: _Way | None) -> _Way:
        """Return the way to the app as it is now: the one that failed where it is still that."""
        if self._way is not failed and self._way is not None:
            # Another call has found it in the meantime.
            return self._way
        if self._choosing is None:
            self._choosing = _in_thread(self._loop, self._choice.choose)
            self._choosing.add_done_callback(self._chosen)
        # Several calls wait for the same choice; that one is cancelled does not end it.
        app = await asyncio.shield(self._choosing)
        if self._way is None or self._way.app != app:
            if self._way is not None:
                self._way.connection.close()
            self._way = _way_to(app)
        return self._way

    def _chosen(self, choosing: asyncio.Future[App]) -> None:
        self._choosing = None
        if not choosing.cancelled():
            # Whoever waited has it; where nobody did, nobody misses it.
            choosing.exception()

    def _keep_from_now_on(self) -> None:
        if self._keeping is None:
            self._keeping = self._loop.call_later(self._keep_seconds, self._keep)

    def _keep(self) -> None:
        self._keeping = self._loop.call_later(self._keep_seconds, self._keep)
        if self._way is not None:
            self._start(self._keep_session(self._way))

    async def _keep_session(self, way: _Way) -> None:
        await way.connection.keep_session(self._session, self._loop.time() + _ASIDE_SECONDS)

    async def _notify(self, way: _Way, message: bytes) -> None:
        deadline = self._loop.time() + _ASIDE_SECONDS
        await way.connection.notify(self._session, message, _ASIDE_SECONDS, deadline)

    def _start(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        task = self._loop.create_task(_quietly(work))
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)
        return task


def _way_to(app: App) -> _Way:
    if isinstance(app, ChosenNative):
        return _Way(app, app.async_connection(), None)
    connection = app.async_connection(channel=True)
    return _Way(app, connection, connection.begin)


def _looks_again(failure: BridgeFailure) -> bool:
    # Without an outcome it was refused before it was a call.
    return failure.code in _LOOK_AGAIN and failure.outcome is not Outcome.UNKNOWN


async def _quietly(work: Coroutine[Any, Any, object]) -> None:
    with suppress(BridgeFailure):
        await work


def _in_thread(loop: asyncio.AbstractEventLoop, choose: Callable[[], App]) -> asyncio.Future[App]:
    """Choose where nothing waits for it: a bridge that is silent takes its time.

    Not by the loop's own threads, whose end the interpreter would wait for at its own.
    """
    found: asyncio.Future[App] = loop.create_future()

    def run() -> None:
        app: App | None = None
        failure: Exception | None = None
        try:
            app = choose()
        except UsageError as error:
            failure = no_app(error)
        except Exception as error:  # noqa: BLE001 - told to whoever waits
            failure = error
        with suppress(RuntimeError):
            # The loop may have ended.
            loop.call_soon_threadsafe(_settle, found, app, failure)

    threading.Thread(target=run, daemon=True).start()
    return found


def _settle(found: asyncio.Future[App], app: App | None, failure: Exception | None) -> None:
    if found.cancelled():
        return
    if failure is not None:
        found.set_exception(failure)
    elif app is not None:
        found.set_result(app)
