"""The option that says which protocol is spoken over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse

__all__ = ["PROTOCOLS", "add_protocol_option", "protocol"]

PROTOCOLS: Final = ("json",)


def protocol(text: str) -> str:
    """Read the protocol's name, as an argument type."""
    if text in PROTOCOLS:
        return text
    from argparse import ArgumentTypeError  # noqa: PLC0415 - for mistakes only

    if text == "mcp":
        raise ArgumentTypeError("MCP is not spoken yet: it is json, control protocol 1")
    raise ArgumentTypeError("it is json, control protocol 1")


def add_protocol_option(parser: argparse.ArgumentParser) -> None:
    """Add `--protocol`."""
    parser.add_argument(
        "--protocol",
        type=protocol,
        default="json",
        metavar="PROTOCOL",
        help="json: control protocol 1 (the default, and all there is yet)",
    )
