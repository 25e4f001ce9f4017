"""`bascule assets`: writes the browser's modules out, for an app to serve from its own origin."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bridge.browser_assets import browser_assets, browser_bundle
from bridge.cli.parsing import Parser, Subparsers, UsageError
from bridge.contract.error_codes import ExitCode

__all__ = ["add_parser", "run"]

_NOT_FOR_PAGES: Final = frozenset({"demo", "node"})
"""Rooms of the browser's modules that no app's page loads."""

_EPILOG: Final = """\
examples:
  bascule assets public/bascule
  then, in the page:
      import { ActionSpec, Dispatcher, browserRuntime } from "./bascule/index.js";

  bascule assets --bundle public
  then, in the page:
      import { ActionSpec, Dispatcher, browserRuntime } from "./bascule.min.js";

A file that is there already and has other content is left alone, and nothing is written, unless
--force says that it may be replaced.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "assets",
        help="write out the browser modules for your app",
        description="Write the browser's modules, or the bundle of them, into a directory, "
        "which is made where needed.",
        epilog=_EPILOG,
    )
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument(
        "--bundle", action="store_true", help="write the one-file bundle instead of the modules"
    )
    parser.add_argument("--force", action="store_true", help="replace files that differ")
    return parser


def run(args: argparse.Namespace) -> int:
    """Write the modules."""
    target: Path = args.directory
    try:
        root = browser_bundle() if args.bundle else browser_assets()
        files = dict(_files(root))
        differing = [name for name, data in files.items() if _differs(target / name, data)]
        if differing and not args.force:
            listed = "\n  ".join(str(target / name) for name in differing)
            raise UsageError(f"these files have other content; --force replaces them:\n  {listed}")
        for name, data in files.items():
            _write(target / name, data)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise UsageError(f"{where}{error.strerror or error}") from None
    print(f"{len(files)} files are in {target}", file=sys.stderr)
    return ExitCode.DONE


def _files(root: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield what an app's page needs: not the other rooms, nor what an editor left."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        hidden = any(part.startswith(".") for part in name.parts)
        if path.is_file() and not hidden and name.parts[0] not in _NOT_FOR_PAGES:
            yield name, path.read_bytes()


def _differs(path: Path, data: bytes) -> bool:
    """Say whether something else is in a file's place."""
    if path.is_symlink():
        return True
    return path.exists() and (not path.is_file() or path.read_bytes() != data)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Beside it and renamed: a page never loads half a module, and no link is followed.
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
