"""The page's side of the broker: who is attached, what carries items to it, what comes back.

One client at a time, over one transport at a time: a parked poll or an open channel, whichever is
newer. Knows nothing of the terminals but the waiters that it answers for them. Contract:
delivery, liveness, channel, size.
"""

from __future__ import annotations

from collections.abc import Callable

from bridge.broker.attached_client import AttachedClient, OpenedChannel, ParkedPoll
from bridge.broker.call_journal import CallJournal
from bridge.broker.effects import (
    Accepted,
    Answer,
    ChannelEnd,
    ChannelOpened,
    Connected,
    EndChannel,
    Failure,
    NoResponse,
    PollAnswer,
    RawResponse,
    SendItems,
    SendRefusal,
    SessionClosed,
)
from bridge.broker.events import (
    ChannelAlive,
    ChannelBroken,
    ChannelFrame,
    ChannelResult,
    Connect,
    Disconnect,
    OpenChannel,
    OversizeResult,
    PageState,
    Poll,
    PollBroken,
    Result,
    StateReport,
)
from bridge.broker.ledger import Entry, Ledger
from bridge.broker.sessions import KnownSessions
from bridge.broker.states import LINK_TRANSITIONS, ItemTrigger, LinkState, LinkTrigger, step
from bridge.broker.tickets import Tickets
from bridge.broker.turn import Turn
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.contract.jsonrpc import NullResponse
from bridge.contract.limits import BridgeLimits

__all__ = ["PageLink"]


class PageLink:
    """The attachment of one page after the other. `channels` says whether a channel is offered."""

    def __init__(
        self,
        limits: BridgeLimits,
        new_id: Callable[[], str],
        turn: Turn,
        journal: CallJournal,
        *,
        channels: bool,
    ) -> None:
        self._limits = limits
        self._new_id = new_id
        self._turn = turn
        self._journal = journal
        self._channels = channels
        self.state = LinkState.DETACHED
        self.client: AttachedClient | None = None

    # ---- attaching and detaching

    def connect(self, event: Connect) -> None:
        """Attach a page, if none is."""
        if self.client is not None:
            self._turn.fail(event.waiter, BridgeErrorCode.ALREADY_ATTACHED)
            return
        self._move(LinkTrigger.CONNECT)
        now = self._turn.now.monotonic
        self.client = AttachedClient(
            id=self._new_id(),
            app=event.app,
            ledger=Ledger(self._limits.max_answered_ids),
            sessions=KnownSessions(
                self._limits.max_known_sessions, self._limits.session_idle_seconds
            ),
            tickets=Tickets(self._new_id, self._limits.ticket_seconds),
            attached_at=now,
            last_seen=now,
        )
        self._turn.counters["attachments"] += 1
        self._turn.reply(event.waiter, Connected(self.client.id, self._ticket(self.client)))

    def disconnect(self, event: Disconnect) -> None:
        """Let the page go."""
        if self._current(event) is None:
            return
        self._turn.reply(event.waiter, Accepted())
        self.gone()

    def gone(self) -> None:
        """Forget the page: what is outstanding fails."""
        self._drop(BridgeErrorCode.STALE_CLIENT, ChannelEnd.STALE, BridgeErrorCode.BROWSER_GONE)
        self._move(LinkTrigger.GONE)
        self._turn.counters["detachments"] += 1

    def shut_down(self) -> None:
        """Forget the page for good."""
        self._drop(BridgeErrorCode.CLOSING, ChannelEnd.CLOSING, BridgeErrorCode.CLOSING)
        self._move(LinkTrigger.SHUTDOWN)

    def _drop(self, poll: BridgeErrorCode, channel: ChannelEnd, item: BridgeErrorCode) -> None:
        client = self.client
        if client is not None:
            self._end_transport(client, poll, channel)
            for entry in client.ledger:
                self.end(entry, ItemTrigger.FAIL, item)
        self.client = None

    # ---- transports

    def poll(self, event: Poll) -> None:
        """Let a poll wait for items. The newest transport wins."""
        client = self._current(event)
        if client is None:
            return
        if event.ack is not None and event.ack > client.ledger.highest_seq:
            self._turn.fail(event.waiter, BridgeErrorCode.BAD_REQUEST)
            return
        self._supersede(client)
        if event.ack is None:
            client.ledger.settle()
        else:
            client.ledger.acknowledge(event.ack)
        self._move(LinkTrigger.POLL)
        self._turn.counters["polls"] += 1
        until = self._turn.now.monotonic + self._limits.max_poll_seconds
        client.transport = ParkedPoll(event.waiter, event.ack is not None, until)
        self.offer()

    def poll_broken(self, event: PollBroken) -> None:
        """Give a page whose poll broke off a moment to come back."""
        client = self.client
        transport = client.transport if client else None
        parked = transport.waiter if isinstance(transport, ParkedPoll) else None
        if client is None or isinstance(transport, OpenedChannel):
            return
        if event.waiter in (parked, client.answered_poll):
            self._broken(client)
            self._turn.counters["polls_broken"] += 1

    def open_channel(self, event: OpenChannel) -> None:
        """Open the channel, with a ticket that is good. The newest transport wins."""
        client, now = self.client, self._turn.now.monotonic
        if client is None or not client.tickets.redeem(event.ticket, now):
            self._turn.fail(event.waiter, BridgeErrorCode.UNAUTHORIZED)
            return
        self._supersede(client)
        self._move(LinkTrigger.OPEN)
        self._turn.counters["channels"] += 1
        client.transport = OpenedChannel(event.waiter, now)
        self._turn.reply(event.waiter, ChannelOpened())
        # What the last transport carried may have been lost with it.
        self._send(client.transport, client.ledger.offer(self._limits.max_poll_items, now))

    def frame(self, event: ChannelFrame) -> None:
        """Take in results and what they acknowledge."""
        found = self._at(event)
        if found is None:
            return
        client, channel = found
        highest = client.ledger.highest_seq
        if event.ack > highest or (event.taken or 0) > highest:
            self._turn.add(EndChannel(channel.name, ChannelEnd.MALFORMED))
            self._broken(client)
            self._turn.counters["channels_broken"] += 1
            return
        channel.heard_at = self._turn.now.monotonic
        client.ledger.acknowledge(event.ack)
        client.taken = max(client.taken, event.taken or 0)
        for result in event.results:
            code = self._settle(client, result)
            if code is not None:
                self._turn.add(SendRefusal(channel.name, result.item_id, code))
        self.offer()

    def alive(self, event: ChannelAlive) -> None:
        """Note that the worker's script still runs: the browser has not frozen the page."""
        found = self._at(event)
        if found is not None:
            client, channel = found
            channel.heard_at = self._turn.now.monotonic
            # As a new poll does: the report that the page was thawed may have been lost, and an
            # open channel brings no poll that would tell.
            self._forget_freeze(client)

    def channel_broken(self, event: ChannelBroken) -> None:
        """Give a page whose channel broke off a moment to come back."""
        found = self._at(event)
        if found is not None:
            self._broken(found[0])
            self._turn.counters["channels_broken"] += 1

    def offer(self) -> None:
        """Bring what is queued to the page, if there is something to carry it."""
        client = self.client
        if client is None or client.transport is None:
            return
        limits, now = self._limits, self._turn.now.monotonic
        match client.transport:
            case OpenedChannel() as channel:
                offered = client.ledger.offer_new(limits.max_poll_items, now)
                self._send(channel, offered, alone=len(offered) == len(client.ledger))
            case ParkedPoll() as poll:
                offered = client.ledger.offer(limits.max_poll_items, now)
                if offered:
                    self._answer_poll(client, poll, offered)
                    if not poll.acknowledges:
                        client.ledger.settle()

    def due(self) -> tuple[float, Callable[[], None]] | None:
        """Return when time alone does something to the link, and what."""
        client = self.client
        if client is None:
            return None
        expiry = self._limits.client_expiry_seconds
        match client.transport:
            case ParkedPoll() as poll:
                return poll.until, lambda: self._answer_poll(client, poll, [])
            case OpenedChannel() as channel:
                return channel.heard_at + expiry, self.gone
            case None:
                if self.state is LinkState.BROKEN:
                    return client.grace_until, self.gone
                return client.last_seen + expiry, self.gone

    def _supersede(self, client: AttachedClient) -> None:
        self._end_transport(client, BridgeErrorCode.POLL_SUPERSEDED, ChannelEnd.SUPERSEDED)
        client.answered_poll = None
        self._forget_freeze(client)

    @staticmethod
    def _forget_freeze(client: AttachedClient) -> None:
        if client.page_state is PageState.FROZEN:
            client.page_state = None

    def _end_transport(
        self, client: AttachedClient, poll: BridgeErrorCode, channel: ChannelEnd
    ) -> None:
        match client.transport:
            case ParkedPoll(waiter):
                self._turn.fail(waiter, poll)
            case OpenedChannel(name):
                self._turn.add(EndChannel(name, channel))
            case None:
                pass
        client.transport = None

    def _broken(self, client: AttachedClient) -> None:
        now = self._turn.now.monotonic
        client.transport = client.answered_poll = None
        client.last_seen = now
        client.grace_until = now + self._limits.client_grace_seconds
        self._move(LinkTrigger.BREAK)

    def _answer_poll(self, client: AttachedClient, poll: ParkedPoll, offered: list[Entry]) -> None:
        now = self._turn.now
        items = tuple(entry.item(now) for entry in offered)
        self._turn.reply(poll.waiter, PollAnswer(now.unix_ms, items, self._ticket(client)))
        client.answered_poll, client.transport = poll.waiter, None
        client.last_seen = now.monotonic
        self._move(LinkTrigger.ANSWER)

    def _send(self, channel: OpenedChannel, offered: list[Entry], *, alone: bool = False) -> None:
        if offered:
            now = self._turn.now
            items = tuple(entry.item(now) for entry in offered)
            self._turn.add(SendItems(channel.name, now.unix_ms, items, alone))

    def _ticket(self, client: AttachedClient) -> str | None:
        return client.tickets.issue(self._turn.now.monotonic) if self._channels else None

    # ---- what comes back

    def result(self, event: Result | OversizeResult) -> None:
        """Take a result that was posted."""
        client = self._current(event)
        if client is None:
            return
        client.last_seen = self._turn.now.monotonic
        if isinstance(event, OversizeResult):
            result = ChannelResult(event.item_id, None)
        else:
            result = ChannelResult(
                event.item_id,
                event.response,
                event.response_id,
                event.app_error,
                event.deferred,
            )
        code = self._settle(client, result)
        if code is None:
            self._turn.reply(event.waiter, Accepted())
            self.offer()
        else:
            self._turn.fail(event.waiter, code)

    def _settle(self, client: AttachedClient, result: ChannelResult) -> BridgeErrorCode | None:
        """Answer the caller that a result is for, or return why it cannot be taken."""
        refusal = None
        entry = client.ledger.leased(result.item_id)
        if entry is None:
            duplicate = client.ledger.was_answered(result.item_id)
            refusal = (
                BridgeErrorCode.DUPLICATE_RESULT if duplicate else BridgeErrorCode.UNKNOWN_REQUEST
            )
        elif result.response_id is not None and not entry.is_answered_by(result.response_id):
            refusal = BridgeErrorCode.RESULT_MISMATCH
        if entry is None or refusal is not None:
            self._turn.counters["results_refused"] += 1
            return refusal
        client.end(entry, ItemTrigger.ANSWER, self._turn.now.monotonic)
        if entry.request is not None:
            client.sessions.answered(entry.session, entry.seq, well=result.app_error is None)
        too_large = BridgeErrorCode.RESULT_TOO_LARGE if result.response is None else None
        code = too_large or result.app_error
        self._journal.end(entry.call, code, self._turn.now, result.deferred)
        self._turn.counters["answered"] += 1
        self._turn.reply(entry.waiter, self._answer_of(client, entry, result))
        return None

    @staticmethod
    def _answer_of(client: AttachedClient, entry: Entry, result: ChannelResult) -> Answer:
        if result.response is None:
            return Failure(BridgeErrorCode.RESULT_TOO_LARGE, Outcome.UNKNOWN)
        if entry.request is None:
            if not client.ledger.has_session(entry.session):
                client.sessions.discard(entry.session)
            return SessionClosed()
        if isinstance(result.response_id, NullResponse):
            return NoResponse()
        return RawResponse(result.response)

    def state_report(self, event: StateReport) -> None:
        """Note what the page's main thread says of itself."""
        client = self._current(event)
        if client is None:
            return
        if event.taken > client.ledger.highest_seq:
            self._turn.fail(event.waiter, BridgeErrorCode.BAD_REQUEST)
            return
        client.taken = max(client.taken, event.taken)
        if event.state is PageState.HIDDEN and client.page_state is not PageState.HIDDEN:
            client.hidden_since = self._turn.now.monotonic
        client.page_state = event.state
        self._turn.reply(event.waiter, Accepted())
        if event.state is PageState.FROZEN:
            for entry in client.ledger:
                self.end(entry, ItemTrigger.FAIL, BridgeErrorCode.TAB_SUSPENDED)

    # ---- shared

    def end(self, entry: Entry, trigger: ItemTrigger, code: BridgeErrorCode) -> None:
        """Take an entry to an end that is an error, and tell its caller."""
        if self.client is not None:
            self.client.end(entry, trigger, self._turn.now.monotonic)
            self._journal.end(entry.call, code, self._turn.now)
            self._turn.counters[f"failed_{code.lower()}"] += 1
            self._turn.fail(entry.waiter, code, entry.outcome)

    def _current(
        self, event: Poll | Result | OversizeResult | StateReport | Disconnect
    ) -> AttachedClient | None:
        """Return the attached client if it is the event's, else answer that it is stale."""
        if self.client is not None and self.client.id == event.client:
            return self.client
        self._turn.fail(event.waiter, BridgeErrorCode.STALE_CLIENT)
        return None

    def _at(
        self, event: ChannelFrame | ChannelAlive | ChannelBroken
    ) -> tuple[AttachedClient, OpenedChannel] | None:
        """Return client and channel if the event's channel is the open one."""
        client = self.client
        channel = client.transport if client else None
        if client is None or not isinstance(channel, OpenedChannel):
            return None
        return (client, channel) if channel.name == event.channel else None

    def _move(self, trigger: LinkTrigger) -> None:
        self.state = step(LINK_TRANSITIONS, self.state, trigger)
