"""`--features`: tools as a caller sees them who has some features and not others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bridge.tools.session_context import LOCAL_SESSION, SessionContext

if TYPE_CHECKING:
    import argparse

__all__ = ["add_features_option", "session_of"]


def add_features_option(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--features",
        metavar="NAMES",
        help="as a caller who has these features alone, with commas; '' for none (default: all)",
    )


def session_of(args: argparse.Namespace) -> SessionContext:
    """Return who calls: whoever runs the command, with the features that it names."""
    if args.features is None:
        return LOCAL_SESSION
    names = (each.strip() for each in args.features.split(","))
    return replace(LOCAL_SESSION, granted_features=frozenset(filter(None, names)))
