"""What is outstanding with one attached page: who waits for what, and what the page has seen.

The ledger knows leases, sequence numbers and acknowledgements, whatever carries them; it knows
neither polls nor time-outs. Contract: delivery.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bridge.broker.effects import CloseJob, Item, RpcItem
from bridge.broker.events import Instant, Waiter
from bridge.broker.states import ITEM_TRANSITIONS, ItemState, ItemTrigger, step
from bridge.contract.error_codes import Outcome
from bridge.contract.jsonrpc import NullResponse, RequestId, ResponseId, response_answers

__all__ = ["Entry", "Ledger"]


@dataclass(slots=True, eq=False)
class Entry:
    """One accepted request, or one session to be closed, from acceptance to its end."""

    id: str
    waiter: Waiter | None
    """None where nobody waits: of an opening, and of what the bridge decided itself."""
    session: str
    deadline: float
    request: bytes | None
    """None for a close job."""
    request_id: RequestId | None
    call: int = 0
    """Its number in the journal; 0 for what is no call of a terminal's own."""
    opens: bool = False
    """It is the opening of its session."""
    cancellation: bytes | None = None
    """What takes it back from the page."""
    cancels: bool = False
    """It takes back another, whose caller has hung up: that has freed the place for good."""
    state: ItemState = ItemState.QUEUED
    seq: int = 0
    """0 until it is leased for the first time."""
    leased_at: float = 0.0

    @property
    def outcome(self) -> Outcome:
        """What a failure may claim: only what was never leased was certainly not run."""
        return Outcome.UNKNOWN if self.seq else Outcome.NOT_DELIVERED

    def item(self, now: Instant) -> Item:
        """Return what is sent to the page of it."""
        # The wall clock may have been set since the call came: the deadline is told afresh.
        deadline = now.unix_ms + int((self.deadline - now.monotonic) * 1000)
        if self.request is None:
            return CloseJob(self.id, self.seq, self.session, deadline)
        return RpcItem(self.id, self.seq, self.session, self.request, deadline)

    def is_answered_by(self, response: ResponseId) -> bool:
        """Say whether a response belongs to it: to a close job, null does."""
        if self.request_id is None:
            return isinstance(response, NullResponse)
        return response_answers(self.request_id, response)

    def move(self, trigger: ItemTrigger) -> None:
        """Take one step of the table."""
        self.state = step(ITEM_TRANSITIONS, self.state, trigger)


class Ledger:
    """The outstanding requests of one client, oldest first, and the answered ids it remembers."""

    def __init__(self, max_answered_ids: int) -> None:
        self._entries: dict[str, Entry] = {}
        self._by_waiter: dict[Waiter, Entry] = {}
        self._answered: deque[str] = deque(maxlen=max_answered_ids)
        self._seq = 0
        self.cancellations = 0
        """How many of the entries take back others."""

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries.values()))

    @property
    def highest_seq(self) -> int:
        """The last `seq` that was issued to this client."""
        return self._seq

    @property
    def places(self) -> int:
        """How many places are taken: what takes back others takes none."""
        return len(self._entries) - self.cancellations

    @property
    def queued(self) -> int:
        """How many of those were never leased."""
        entries = self._entries.values()
        return sum(entry.state is ItemState.QUEUED and not entry.cancels for entry in entries)

    def add(self, entry: Entry) -> None:
        """Queue an entry."""
        self._entries[entry.id] = entry
        self.cancellations += entry.cancels
        if entry.waiter is not None:
            self._by_waiter[entry.waiter] = entry

    def acknowledge(self, ack: int) -> None:
        """Make final what the page's worker has received: every lease up to `ack`."""
        for entry in self._entries.values():
            if entry.state is ItemState.LEASED and entry.seq <= ack:
                entry.move(ItemTrigger.SETTLE)

    def settle(self) -> None:
        """Make every lease final: a link that does not acknowledge gets each item once."""
        self.acknowledge(self._seq)

    def offer(self, at_most: int, now: float) -> list[Entry]:
        """Lease what is offered next: leases that nobody acknowledged, then the queue."""
        again = self._unacknowledged()
        again.sort(key=lambda entry: entry.seq)
        return self._lease([*again, *self._queue()][:at_most], now)

    def offer_new(self, in_flight: int, now: float) -> list[Entry]:
        """Lease from the queue until `in_flight` leases are unacknowledged."""
        room = in_flight - len(self._unacknowledged())
        return self._lease(list(islice(self._queue(), max(0, room))), now)

    def _unacknowledged(self) -> list[Entry]:
        return [entry for entry in self._entries.values() if entry.state is ItemState.LEASED]

    def _queue(self) -> Iterator[Entry]:
        return (entry for entry in self._entries.values() if entry.state is ItemState.QUEUED)

    def _lease(self, offered: list[Entry], now: float) -> list[Entry]:
        for entry in offered:
            entry.move(ItemTrigger.LEASE)
            if not entry.seq:
                self._seq += 1
                entry.seq = self._seq
                entry.leased_at = now
        return offered

    def leased(self, item_id: str) -> Entry | None:
        """Return the entry that a result for `item_id` may answer."""
        entry = self._entries.get(item_id)
        return entry if entry is not None and entry.state is not ItemState.QUEUED else None

    def of_waiter(self, waiter: Waiter) -> Entry | None:
        """Return the entry that somebody waits for."""
        return self._by_waiter.get(waiter)

    def was_answered(self, item_id: str) -> bool:
        """Say whether a result for this id was accepted lately."""
        return item_id in self._answered

    def end(self, entry: Entry, trigger: ItemTrigger) -> None:
        """Take an entry to one of its ends and free its place."""
        entry.move(trigger)
        del self._entries[entry.id]
        self.cancellations -= entry.cancels
        if entry.waiter is not None:
            del self._by_waiter[entry.waiter]
        if trigger is ItemTrigger.ANSWER:
            self._answered.append(entry.id)

    def has_session(self, session: str) -> bool:
        """Say whether something is outstanding for a session."""
        return any(entry.session == session for entry in self._entries.values())

    def has_request(self, session: str, request_id: RequestId | None) -> bool:
        """Say whether a request by this id is outstanding for a session."""
        return any(
            entry.session == session and entry.request_id == request_id
            for entry in self._entries.values()
        )

    def opens(self, session: str, outdated_seq: int, deadline: float, *, opened: bool) -> bool:
        """Say whether what is added now finds its session opened, given that it is or is not.

        What was sent up to `outdated_seq` opens nothing any more. An opening that may end before
        `deadline` might be dropped by a page that is late, and what came behind it run without it.
        """
        for entry in self._entries.values():
            if entry.session == session:
                if entry.request is None:
                    opened = False
                elif entry.opens and entry.deadline >= deadline:
                    opened = opened or not entry.seq or entry.seq > outdated_seq
        return opened
