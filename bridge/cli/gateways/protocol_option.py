"""The options that say which protocol is spoken over standard input and output."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse

__all__ = ["PROTOCOLS", "add_protocol_options", "protocol"]

PROTOCOLS: Final = {
    "json": "control protocol 1",
    "mcp": "the Model Context Protocol",
    "auto": "what the first valid request is of",
}


def protocol(text: str, names: tuple[str, ...] = ("json", "mcp")) -> str:
    """Read the protocol's name, as an argument type."""
    if text in names:
        return text
    from argparse import ArgumentTypeError  # noqa: PLC0415 - for mistakes only

    listed = " or ".join(f"{name} ({PROTOCOLS[name]})" for name in names)
    raise ArgumentTypeError(f"it is {listed}")


def add_protocol_options(
    parser: argparse.ArgumentParser, names: tuple[str, ...] = ("json", "mcp")
) -> None:
    """Add `--protocol`, with the first of its values for its default, and `--accept-legacy`."""
    texts = [f"{name}: {PROTOCOLS[name]}" for name in names]
    texts[0] += " (the default)"
    parser.add_argument(
        "--protocol",
        type=_reader(names),
        default=names[0],
        metavar="PROTOCOL",
        help="; ".join(texts),
    )
    parser.add_argument(
        "--accept-legacy",
        action="store_true",
        help="of MCP, accept revision 2025-06-18 too, for older clients that refuse another",
    )


def _reader(names: tuple[str, ...]) -> Callable[[str], str]:
    return lambda text: protocol(text, names)
