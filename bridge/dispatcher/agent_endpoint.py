"""The sessions of one app: at most sixteen, each with protocol state of its own.

What a carrier calls that brings messages of many sessions: `request` and `close_session`. Idle
ones make room for others, but for those that a client has initialised: it does not do so again.
Once the app was disabled those make room, too, and are sessions of MCP still when they come back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.limits import PROTOCOL_LIMITS
from bridge.contract.mcp_messages import INITIALIZE, LEGACY_METHODS
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.call_checks import Expired
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.envelope import Envelope, read_envelope
from bridge.dispatcher.methods import METHODS
from bridge.dispatcher.observers import Observers
from bridge.dispatcher.rpc_session import Message, Protocol, RpcSession
from bridge.dispatcher.session_answer import Ending

__all__ = ["AgentEndpoint", "SessionEvent"]

_OF_MCP_ALONE: Final = LEGACY_METHODS - METHODS.keys()
_MAX_REMEMBERED: Final = 4 * PROTOCOL_LIMITS.max_sessions


@dataclass(slots=True)
class _Place:
    rpc: RpcSession
    running: int = 0
    pinned: int | None = None
    """How often the dispatcher had been disabled when a client began to rely on this state."""


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """What an observer is told.

    A session is there, a request of it begins, ends, and the session is gone. Requests that
    reserve no session are not told.
    """

    phase: Literal["open", "begin", "end", "close"]
    session: str
    request: int | None = None
    """At begin and end: counts requests; the same for both."""
    method: str | None = None
    """At begin and end."""
    action: str | None = None
    """At begin and end, where the params name one to be run, or in control protocol 1 one to be
    described. As sent: it may be unknown."""
    ending: Ending | None = None
    """At the end."""
    tool: str | None = None
    """At begin and end of a `tools/call` of MCP."""


class AgentEndpoint:
    """Brings messages of named sessions to a dispatcher."""

    def __init__(
        self, dispatcher: Dispatcher, *, max_sessions: int = PROTOCOL_LIMITS.max_sessions
    ) -> None:
        self._dispatcher = dispatcher
        self._max_sessions = max_sessions
        self._places: dict[str, _Place] = {}
        """Least recently used first."""
        self._initialised: dict[str, None] = {}
        """Of those that a client has initialised: which made room, the last one last."""
        self._requests = 0
        self._observers: Observers[SessionEvent] = Observers()

    def on_session(self, observer: Callable[[SessionEvent], object]) -> Callable[[], None]:
        """Watch the sessions and their requests; the result ends the watching.

        What the observer raises changes nothing.
        """
        return self._observers.add(observer)

    @property
    def sessions(self) -> list[str]:
        """The names of the sessions that are kept, least recently used first."""
        return list(self._places)

    async def request(
        self, text: bytes | str, *, session: str, expired: Expired | None = None
    ) -> str | None:
        """Take one message, and return the answer, or None where there is none.

        `expired` says whether the caller has gone by now: a call whose turn comes later than that
        is not begun. Raises nothing; where the caller is cancelled, a call that has begun goes on.
        """
        envelope = read_envelope(text)
        known = self._places.get(session)
        rpc = self._begin(session) if known is None else known.rpc
        message = rpc.read(envelope)
        if not message.valid:
            # What is no valid request reserves no place.
            refused = None if known is not None else self._not_opened(session, envelope)
            return refused or (await rpc.answer(message, expired=expired)).line
        place = self._place(session, rpc)
        if place is None:
            return rpc.refuse(message, _session_limit())
        if message.taken is not None and envelope.method == INITIALIZE:
            place.pinned = self._dispatcher.times_disabled
        what = self._begun(session, message)
        place.running += 1
        try:
            answer = await rpc.answer(message, expired=expired)
        finally:
            place.running -= 1
        self._observers.notify(replace(what, phase="end", ending=answer.ending))
        return answer.line

    def close_session(self, session: str) -> bool:
        """Release a session's state, and say whether there was one.

        Its running calls end as they would have.
        """
        self._initialised.pop(session, None)
        return self._release(session) is not None

    def _release(self, session: str) -> _Place | None:
        place = self._places.pop(session, None)
        if place is not None:
            self._observers.notify(SessionEvent("close", session))
        return place

    def _begin(self, session: str) -> RpcSession:
        """Return the state of a session that has none."""
        # Whoever brings its requests holds it for initialised, and so does its client.
        protocol: Protocol | None = "mcp" if session in self._initialised else None
        return RpcSession(self._dispatcher, session, protocol=protocol)

    def _begun(self, session: str, message: Message) -> SessionEvent:
        self._requests += 1
        tool, action = _named(message)
        method = message.envelope.method
        event = SessionEvent("begin", session, self._requests, method, action, tool=tool)
        self._observers.notify(event)
        return event

    def _not_opened(self, session: str, envelope: Envelope) -> str | None:
        """Refuse a request of MCP alone while there is no place for a session.

        Its `initialize` found none either: to call its method unknown would be of no use to it.
        """
        if envelope.method not in _OF_MCP_ALONE or self._has_room or self._idle() is not None:
            return None
        rpc = RpcSession(self._dispatcher, session, protocol="mcp")
        message = rpc.read(envelope)
        return rpc.refuse(message, _session_limit()) if message.valid else None

    @property
    def _has_room(self) -> bool:
        return len(self._places) < self._max_sessions

    def _place(self, session: str, rpc: RpcSession) -> _Place | None:
        """Find or make a place; None when all are taken by sessions that are busy."""
        place = self._places.pop(session, None)
        if place is None:
            if not self._has_room and not self._evict():
                return None
            place = _Place(rpc)
            self._places[session] = place
            self._observers.notify(SessionEvent("open", session))
        else:
            self._places[session] = place
        return place

    def _evict(self) -> bool:
        """Make a place free, if any session is idle."""
        name = self._idle()
        place = None if name is None else self._release(name)
        if name is None or place is None:
            return False
        if place.pinned is not None:
            self._initialised.pop(name, None)
            self._initialised[name] = None
            if len(self._initialised) > _MAX_REMEMBERED:
                del self._initialised[next(iter(self._initialised))]
        return True

    def _idle(self) -> str | None:
        """Return the session that makes room first, if any does."""
        for name, place in self._places.items():
            if place.running == 0 and place.pinned != self._dispatcher.times_disabled:
                return name
        return None


def _named(message: Message) -> tuple[str | None, str | None]:
    """Return how a request is named to who watches: its tool and its action."""
    params = message.envelope.params
    tool: str | None = None
    if message.taken is not None:
        if message.envelope.method != "tools/call":
            return None, None
        tool = params["name"]
        params = params.get("arguments", {}) if tool == "actions_execute" else {}
    action = params.get("action")
    return tool, action if isinstance(action, str) else None


def _session_limit() -> AppError:
    return AppError(
        AppErrorCode.SESSION_LIMIT,
        "Every session of this app is busy; nothing was run. Try again.",
    )
