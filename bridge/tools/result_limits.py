"""Every number of what a tool may give back and how long it may take, in one place.

Passed in, so that a test can shrink a limit instead of filling it. What a line may hold is
`bridge.contract.limits`: these stay below it, so that a bounded result can always be sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from bridge.tools.package import Tier

__all__ = [
    "CARD_LIMITS",
    "RESULT_LIMITS",
    "RUN_LIMITS",
    "TIER_CEILING_SECONDS",
    "WASM_LIMITS",
    "CardLimits",
    "ResultLimits",
    "RunLimits",
    "WasmLimits",
]


class ResultLimits(NamedTuple):
    """Bounds of one result. Contract: package tools, results.

    Bytes are of JSON as it is written. What is cut counts every value as at least 32 bytes, so
    that a byte limit bounds the number of values as well.
    """

    max_blocks: int = 64
    """Blocks of `content`. A conversation shows a handful."""
    max_text_chars: int = 100_000
    """Characters of all texts of `content` together: about 25,000 tokens, a share of a model's
    context that one call may take."""
    max_text_bytes: int = 262_144
    """One text of `content`: the longest string that a line may hold."""
    max_content_bytes: int = 524_288
    """All blocks together, media included: with the two below, under three quarters of a line."""
    max_media_chars: int = 262_144
    """Base64 of one image, sound or blob: the longest string that a line may hold."""
    max_structured_bytes: int = 262_144
    """`structuredContent`: a card draws a part of it, an outside client reads all."""
    max_meta_bytes: int = 16_384
    """`_meta`: accounting, never data."""
    max_string_chars: int = 65_536
    """One string of `structuredContent` or `_meta`: 256 KiB at worst, the longest of a line."""
    max_members: int = 4_096
    """Elements of a list, members of an object: as in every line."""
    max_depth: int = 20
    """Nested containers. A line has 32, of which the envelopes of a batch over MCP take nine."""


class CardLimits(NamedTuple):
    """Bounds of what a card in a frame of its own is sent, on top of the above.

    Contract: package tools, cards.
    """

    max_bytes: int = 131_072
    """The payload in all."""
    max_string_chars: int = 16_384
    """One string, marker included."""
    max_members: int = 4_096
    max_depth: int = 20


class RunLimits(NamedTuple):
    """How long calls may take and how many may go on unheard. Contract: package tools, runs."""

    grace_seconds: float = 2.0
    """After a stop, how long a handler that cannot be stopped may still bring its result."""
    stopping_seconds: float = 1.0
    """After the ceiling of what stops by itself, the time that it has to tell so itself."""
    max_left_running: int = 8
    """Runs of one tool that nobody waits for any more; the next call is refused until one ends."""
    held_seconds: float = 5.0
    """A call that its package's thread has not begun by then goes to a new thread: a handler
    blocks the old one. A step on the service's own loop is told of from then on."""
    max_threads: int = 4
    """Threads of one package, blocked ones included."""
    import_seconds: float = 10.0
    """Importing one handler's file."""
    slow_step_seconds: float = 0.1
    """A handler that promised never to block and held the event loop for so long is run in its
    package's thread from then on."""


TIER_CEILING_SECONDS: Final[Mapping[Tier, float]] = MappingProxyType(
    {"first-party": 300.0, "project": 30.0}
)
"""How long one call may take: code that was reviewed may work for minutes, other code may not."""


class WasmLimits(NamedTuple):
    """Bounds of one run of a project's entry. Contract: package tools, WebAssembly."""

    max_entry_bytes: int = 16 * 1_048_576
    """The file. Compiling takes about a second for each 2 MiB."""
    max_compiled_here_bytes: int = 1_024
    """A module of this size costs 0.2 s and 140 MiB at worst; a larger one is compiled in a process
    of its own, since a hostile one of 4 KiB takes gigabytes, and one of 64 KiB a minute."""
    compile_seconds: int = 30
    """Of the processor, as long as a call may take; by the clock twice as long."""
    max_compile_memory_bytes: int = 2_147_483_648
    """Addresses, Python's own included. An ordinary module of 16 MiB needs 400 MiB."""
    max_compiled_bytes: int = 268_435_456
    """What comes of it: each of the runs at once holds a copy."""
    fuel: int = 20_000_000_000
    """Instructions, roughly: some ten seconds of a fast machine. The same work is refused on
    every machine, which seconds cannot promise."""
    max_memory_bytes: int = 64 * 1_048_576
    max_table_elements: int = 65_536
    max_output_bytes: int = 2 * 1_048_576
    """What is written to standard output, before the result is bounded. Reading it holds the
    interpreter for some 10 ms."""
    max_output_values: int = 65_536
    kept_error_bytes: int = 4_096
    """Of what is written to standard error, the end: for the author of a call that fails."""
    max_host_calls: int = 20_000
    """Reads and writes: each takes the interpreter's time from everybody."""
    max_runs: int = 4
    """Runs at once, of all packages: each has a thread. One package has one less at most."""
    max_waiting: int = 64
    """Calls that wait for one of them; the next is refused. Of one package half as many wait."""


RESULT_LIMITS: Final = ResultLimits()
CARD_LIMITS: Final = CardLimits()
RUN_LIMITS: Final = RunLimits()
WASM_LIMITS: Final = WasmLimits()
