"""One agent's protocol state: takes a line, gives a line or nothing.

It never raises; what goes wrong is an error line. The first valid request says for good which
protocol is spoken. Contract: control protocol 1; MCP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias, assert_never

from bridge.contract.mcp_messages import selects_mcp
from bridge.dispatcher.call_checks import Expired
from bridge.dispatcher.control_session import ControlSession, failure
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.envelope import Envelope, read_envelope
from bridge.dispatcher.mcp_front import Answered, AppRequest, Cancelled, Ignored, Taken
from bridge.dispatcher.mcp_session import McpSession
from bridge.dispatcher.methods import METHODS
from bridge.dispatcher.params import ABSENT
from bridge.dispatcher.session_answer import SILENCE, SessionAnswer

__all__ = ["Message", "Protocol", "RpcSession"]

Protocol: TypeAlias = Literal["control", "mcp"]
"""Control protocol 1, or MCP in either revision."""


class Message(NamedTuple):
    """A line as a session understands it."""

    envelope: Envelope
    valid: bool
    """Whether it asks for something that there is: only that reserves anything."""
    taken: Taken | None = None
    """What MCP makes of it; None in control protocol 1."""


class RpcSession:
    """The state of one agent session.

    `session` is its name, where it has one, and `protocol` the one that is spoken, where that is
    known before the first request. `notify` sends a line that answers nothing: the progress of a
    call that asked for it. Without it there is none; what it raises changes nothing.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        session: str | None = None,
        *,
        protocol: Protocol | None = None,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        self._dispatcher = dispatcher
        self._session = session
        self._notify = notify
        self._protocol = protocol
        self._control = ControlSession(dispatcher, session)
        self._known_mcp: McpSession | None = None
        """Most sessions never speak it."""

    async def receive(self, line: bytes | str, *, expired: Expired | None = None) -> str | None:
        """Take one line, and return one, or None for a notification and for a cancelled call.

        `expired` says whether the caller has gone by now: a call whose turn comes later than that
        is not begun, save a notification, for whose answer nobody stays. Over a host that answers
        at once this coroutine ends at its first step. Where the caller is cancelled, a call that
        has begun goes on.
        """
        envelope = read_envelope(line)
        gone = None if envelope.id is ABSENT else expired
        answer = await self.answer(self.read(envelope), expired=gone)
        return None if answer.cancelled else answer.line

    def read(self, envelope: Envelope) -> Message:
        """Say what a line is to this session. Changes nothing and runs nothing."""
        if self._protocol == "mcp" or (
            self._protocol is None
            and envelope.id is not ABSENT
            and selects_mcp(envelope.method, envelope.params)
        ):
            taken = self._mcp.take(envelope)
            valid = isinstance(taken, AppRequest) or (
                isinstance(taken, Answered) and not taken.refused
            )
            return Message(envelope, valid, taken)
        return Message(envelope, envelope.error is None and envelope.method in METHODS)

    async def answer(self, message: Message, *, expired: Expired | None = None) -> SessionAnswer:
        """Run a message that was read. Raises nothing.

        One that was cancelled meanwhile has an answer as well: who carries it may have to answer
        something.
        """
        envelope, valid, taken = message
        if valid and self._protocol is None and envelope.id is not ABSENT:
            self._protocol = "control" if taken is None else "mcp"
        match taken:
            case None:
                return await self._control.handle(envelope, expired)
            case AppRequest():
                return await self._mcp.run(taken, expired)
            case Answered():
                return SessionAnswer(taken.line)
            case Cancelled():
                self._mcp.cancel(taken.request_id)
                return SILENCE
            case Ignored():
                return SILENCE
            case _:
                assert_never(taken)

    def refuse(self, message: Message, error: Exception) -> str | None:
        """Return the answer of who has no place for this request; None for a notification.

        Nothing is run.
        """
        if message.envelope.id is ABSENT:
            return None
        if message.taken is None:
            return failure(message.envelope.id, error)
        return self._mcp.refuse(message.envelope.id, message.taken, error)

    @property
    def _mcp(self) -> McpSession:
        if self._known_mcp is None:
            self._known_mcp = McpSession(self._dispatcher, self._session, self._notify)
        return self._known_mcp
