"""Every number of loading, in one place. What a result may hold is another table.

Beside these, a tool's file keeps within the bounds of strict JSON. Contract: package tools,
limits of loading.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from bridge.contract.limits import JSON_LIMITS, JsonLimits

__all__ = ["LOADING_LIMITS", "SENT_SCHEMA_LIMITS", "TOOL_JSON_LIMITS", "LoadingLimits"]


class LoadingLimits(NamedTuple):
    """Bounds of one package on the disk, and of one tool's schema."""

    max_manifest_bytes: int = 65_536
    """`package.toml` is written by hand."""
    max_tool_file_bytes: int = 131_072
    """A tool's schema is read by a model: one of this size would be no use to it any more."""
    max_schema_depth: int = 24
    """Nested containers of a file. Loading adds two at most, a listing up to four of its own, and a
    message may have 32."""
    max_tools: int = 2_000
    """Of one package."""
    max_package_bytes: int = 33_554_432
    """All schemas of a package together, so that a thousand of the largest do not fill memory."""
    max_cards: int = 256
    max_expansion: int = 10_000
    """Schemas that a tool's schema becomes where every `$ref` is written out. From there on a
    check of one small value takes seconds."""
    max_ref_chain: int = 64
    """Schemas that one value meets one inside of the other. A check gives up at 128."""
    max_schema_pattern_steps: int = 65_536
    """Instructions that all patterns of one schema become: half a second of reading. One pattern
    may become 4,096, and most become fewer than 100."""
    max_package_pattern_steps: int = 1_048_576
    """The same of all schemas of a package, or of another server."""
    max_handler_source_bytes: int = 262_144
    """Of all handlers of a package that does not load, read to be looked at: a syntax tree takes
    up to a thousand times as much memory. What is longer is told of when it is imported."""
    max_problems_per_file: int = 100
    """What is told of one file; a reader has repaired something by then."""
    max_ask_keys: int = 8
    max_features: int = 64


LOADING_LIMITS: Final = LoadingLimits()

SENT_SCHEMA_LIMITS: Final[JsonLimits] = JSON_LIMITS._replace(
    max_encoded_bytes=262_144,
    max_depth=JSON_LIMITS.max_depth - 4,
    max_values=JSON_LIMITS.max_values - 1_024,
)
"""Of a schema with what loading has added to it: less than a message, which says more than it."""

TOOL_JSON_LIMITS: Final[JsonLimits] = JSON_LIMITS._replace(
    max_encoded_bytes=LOADING_LIMITS.max_tool_file_bytes,
    max_string_bytes=LOADING_LIMITS.max_tool_file_bytes,
    max_depth=LOADING_LIMITS.max_schema_depth,
)
