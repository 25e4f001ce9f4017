"""Every number of the contract, in one place.

What a message may hold, how many things may wait, how long anything may take. Each value
says its unit in its name and its reason in its comment. They are passed in, so that a test can
shrink a limit instead of filling it. Named tuples, not dataclasses: every command needs some of
them, and importing dataclasses takes as long as starting Python.

Knows nothing of sockets, clocks or event loops.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "BRIDGE_LIMITS",
    "JSON_LIMITS",
    "MAX_LIST_BYTES",
    "MCP_LIMITS",
    "NATIVE_LIMITS",
    "PROTOCOL_LIMITS",
    "BridgeLimits",
    "JsonLimits",
    "McpLimits",
    "NativeLimits",
    "ProtocolLimits",
]


class JsonLimits(NamedTuple):
    """Bounds of one strict JSON document, the same when reading and when writing."""

    max_encoded_bytes: int = 1_048_576
    """Encoded size of the document. 1 MiB holds any command; payloads travel in chunks."""
    max_depth: int = 32
    """Nested containers; a bare scalar has depth 0. Keeps every walk within a small stack."""
    max_values: int = 16_384
    """Values of every kind in the document, containers included, member names not."""
    max_members: int = 4_096
    """Elements of one array or members of one object."""
    max_string_bytes: int = 262_144
    """UTF-8 bytes of one decoded string or member name."""
    max_number_chars: int = 1_024
    """Characters of one number token. Below CPython's limit for converting digits."""


class ProtocolLimits(NamedTuple):
    """Bounds of control protocol 1."""

    max_id_bytes: int = 256
    """UTF-8 bytes of a string `id`."""
    max_action_name_chars: int = 128
    max_list_limit: int = 100
    default_list_limit: int = 50
    max_batch_calls: int = 128
    max_resource_chunk_bytes: int = 65_536
    max_sessions: int = 16
    """Protocol sessions that one page keeps at once."""
    max_turn_seconds: float = 5.0
    """How long a call may hold the host's turn before it is answered as deferred."""


class BridgeLimits(NamedTuple):
    """Bounds of the browser bridge: queue, time and connections."""

    max_outstanding: int = 64
    """Requests queued and leased together. The next one is `QUEUE_FULL` at once."""
    max_body_bytes: int = 1_048_576 + 4_096
    """Body of a POST: one message of the largest size, and its envelope."""
    max_poll_items: int = 8
    """Items of one poll; on a channel, items that are not acknowledged yet."""
    ticket_seconds: float = 10.0
    """A channel is opened by its ticket within this time, or not at all."""
    channel_alive_seconds: float = 15.0
    """How often the worker says on its channel that it runs, when it has nothing else to say."""
    max_poll_seconds: float = 20.0
    """Below the half minute after which proxies give up an idle request (RFC 6202, 5.5)."""
    max_call_seconds: float = 30.0
    """Longest, and default, time from accepting an `/rpc` to its answer."""
    client_expiry_seconds: float = 60.0
    """A page without a poll, a result or a frame for this long is taken to be gone."""
    client_grace_seconds: float = 2.0
    """A page whose open poll or channel broke off has this long to come back."""
    suspended_after_seconds: float = 5.0
    """A leased item that a hidden page did not begin within this time will not be begun soon."""
    max_answered_ids: int = 256
    """Answered ids that are remembered, so that a second result is told from an unknown one."""
    max_known_sessions: int = 1_024
    """Session names that are remembered per page, so that a close of an unknown one is free."""
    session_idle_seconds: float = 900.0
    """A session without a call or another sign for this long is closed in the page: a gateway
    that lives gives one every few minutes, and a killed one gives none."""
    max_journal_events: int = 512
    """Beginnings and ends of calls that are remembered for those who watch."""
    max_watchers: int = 4
    """Watches that wait at once; each keeps a socket."""
    max_watch_seconds: float = 20.0
    """As for a poll."""
    max_label_chars: int = 128
    """Of a method's or an action's name, where it is told to those who watch."""
    max_app_name_chars: int = 200
    max_session_chars: int = 128
    max_active_requests: int = 16
    """Requests being read, checked or written at once; parked ones do not count."""
    reserved_active_requests: int = 4
    """Of those, kept for the attached page: a busy terminal must not stop its answers."""
    max_parked_polls: int = 1
    max_sockets: int = 96
    max_terminals: int = 8
    """Terminals' channels that are open at once; each keeps a socket. Who comes later calls by
    `/rpc`."""
    max_unread_bytes: int = 16 * (1_048_576 + 4_096)
    """Answers that a terminal's channel has not taken, after which it is cut off."""
    head_timeout_seconds: float = 5.0
    """A socket without a complete request head, or with a stalled body, is closed after this."""
    shutdown_seconds: float = 2.0
    """From the signal to the end of the process, every waiting caller answered."""
    preflight_max_age_seconds: int = 600


class NativeLimits(NamedTuple):
    """Bounds of a native app's socket: connections, and the work of one tick."""

    max_connections: int = 16
    """As many as a page keeps sessions. For the next one the longest idle is closed; where all are
    busy, it is answered `SESSION_LIMIT` and closed."""
    min_idle_seconds: float = 0.25
    """How long nothing is under way on a connection that is closed for another: who was just let
    in or answered may be about to say something, and a crowd must not throw each other out."""
    max_tick_lines: int = 32
    """Lines that one tick handles over all connections: an app's window must stay alive."""
    max_tick_read_bytes: int = 262_144
    """What one tick reads of one connection, about what the system keeps for it."""
    max_waiting_lines: int = 64
    """Lines that are read and not yet handled, after which nothing more is read."""
    max_unread_seconds: float = 10.0
    """A peer that takes nothing of an answer for so long is cut off."""
    accept_pause_seconds: float = 1.0
    """How long no connection is accepted after the system had no handle left for one."""


class McpLimits(NamedTuple):
    """Bounds of MCP, beside those of every message."""

    max_small_resource_bytes: int = 196_608
    """Larger ones are read in parts: base64 of this much is as long as a string may be."""
    max_text_block_bytes: int = 200_000
    """Below the longest string that a line may hold."""
    resources_per_page: int = 100
    max_task_wait_seconds: float = 25.0
    """Below the time that a call through a bridge may take."""
    catalog_ttl_seconds: int = 3_600
    """How long a client may take what it was told of tools to be so: they never change."""


MAX_LIST_BYTES = 262_144
"""Of one page of `actions/list`, or of resources in MCP, as JSON, the first entry apart. A page
fits an answer of MCP, which tells it twice. No part of the limits that an app tells: no caller has
to know it."""

JSON_LIMITS = JsonLimits()
PROTOCOL_LIMITS = ProtocolLimits()
BRIDGE_LIMITS = BridgeLimits()
MCP_LIMITS = McpLimits()
NATIVE_LIMITS = NativeLimits()
