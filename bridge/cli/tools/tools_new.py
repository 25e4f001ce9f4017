"""`bascule tools new`: a package to start from, with one tool and a test of it that passes."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import bridge
from bridge.cli.output.terminal_text import printable
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode
from bridge.contract.tool_names import is_wire_safe_tool_name

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["SAMPLES", "add_parser", "new_files", "run", "sample_files"]

SAMPLES: Final = ("catalog", "receivables", "weather")

_EPILOG: Final = """\
examples:
  bascule tools new my-tools
  bascule tools new my-tools --tool report_write
  bascule tools new books --sample receivables
  cd my-tools && python -m pytest

The directory is made, or has to be empty. Its test needs pytest in the Python that runs bascule.

A package of the tier project has no handlers but one entry.wasm, for which nothing is written
here: a WASI command (in Rust: cargo build --target wasm32-wasip1) that reads a line
{"tool", "arguments", "session", "call"} from standard input and writes a result as a line, such
as {"content": "Hello!"}. Write tier = "project" into package.toml, and see `tools check`.
"""
_MANIFEST: Final = """\
name = "{package}"
version = "0.1.0"
tier = "first-party"
"""
_SCHEMA: Final = """\
{{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "additionalProperties": false,
  "description": "Writes a greeting for somebody. Gives the text and how long it is.",
  "properties": {{
    "name": {{
      "type": "string",
      "minLength": 1,
      "maxLength": 100,
      "description": "Who is greeted."
    }},
    "tone": {{
      "type": "string",
      "enum": ["friendly", "formal"],
      "default": "friendly",
      "description": "How."
    }}
  }},
  "required": ["name"],
  "x-bascule": {{
    "family": "{family}",
    "operation": "{family}.{operation}",
    "transport": "embedded",
    "defaults": {{ "tone": "friendly" }},
    "annotations": {{
      "title": "Write a greeting",
      "readOnlyHint": true,
      "destructiveHint": false,
      "category": "read"
    }}
  }}
}}
"""
_HANDLER: Final = '''\
"""Writes a greeting."""

from __future__ import annotations

from typing import Any

WORDS = {{"friendly": "Hello {{name}}!", "formal": "Good day, {{name}}."}}


async def handle(arguments: dict[str, Any], session: Any, call: Any) -> dict[str, Any]:
    """Return the greeting.

    `arguments` match the schema, its defaults filled in. `session` says who calls, and is the
    only thing that does. `call.signal` fires for a tool that declares `"cancellable": true` and
    looks at it, as weather_watch of the sample weather does; one that does not is run to its end.
    """
    text = WORDS[arguments["tone"]].format(name=arguments["name"])
    # A model reads the content; programs and cards read the structure.
    structure = {{"ok": True, "text": text, "length": len(text)}}
    return {{"content": text, "structuredContent": structure}}
'''
_TEST: Final = '''\
"""What {tool} promises."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from bridge.tools import (
    LOCAL_SESSION,
    ToolResult,
    ToolRunner,
    handlers_of,
    load_package,
    runnable_tools,
)

PACKAGE = load_package(Path(__file__).parents[1])


def call(**arguments: Any) -> ToolResult:
    runner = ToolRunner(runnable_tools(PACKAGE, handlers_of(PACKAGE)))
    return asyncio.run(runner.call("{tool}", arguments, LOCAL_SESSION))


def test_somebody_is_greeted() -> None:
    result = call(name="Ada")
    assert result.structured_content == {{"ok": True, "text": "Hello Ada!", "length": 10}}


def test_the_tone_is_chosen() -> None:
    result = call(name="Ada", tone="formal")
    assert result.content[0]["text"] == "Good day, Ada."


def test_nobody_cannot_be_greeted() -> None:
    assert call().is_error
'''


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "tools new",
        help="write a package to start from",
        usage="bascule tools new DIR [--tool NAME | --sample NAME]",
        description="Write a package with one tool, its handler and a test; or a copy of a sample.",
        epilog=_EPILOG,
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="where; it has to be empty")
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--tool",
        default="greeting_write",
        metavar="NAME",
        help="the tool's name (default: %(default)s)",
    )
    either.add_argument(
        "--sample", choices=SAMPLES, metavar="NAME", help=f"one of {', '.join(SAMPLES)}"
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Write the files."""
    directory: Path = args.directory
    if not is_wire_safe_tool_name(args.tool):
        raise UsageError("a tool's name is 1 to 64 of a-z, 0-9 and _, and begins with a letter")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if any(directory.iterdir()):
            raise UsageError(f"{printable(str(directory))} is not empty; nothing was written")
        files = (
            new_files(directory.absolute().name, args.tool)
            if args.sample is None
            else sample_files(args.sample)
        )
        for name, text in files.items():
            path = directory / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(printable(str(path)))
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from None
    place = printable(shlex.quote(str(directory)))
    print(f"\nTry it:  bascule tools check {place}")
    if args.sample is None:
        print(f"         bascule tools call {place} {args.tool} name=Ada")
        print(f"         {_python()} -m pytest {place}")
        if find_spec("pytest") is None:
            print(f"pytest is not installed there yet: {_python()} -m pip install pytest")
    else:
        print(f"         bascule tools list {place}")
        print(f"         bascule tools serve {place}")
    return ExitCode.DONE


def _python() -> str:
    """Return the Python that runs this command, as it would be typed: it has what tests import."""
    found = shutil.which("python")
    if found is not None and Path(found).absolute() == Path(sys.executable).absolute():
        return "python"
    return printable(shlex.quote(sys.executable))


def sample_files(name: str) -> dict[str, str]:
    """Return the files of a sample, by their paths in it."""
    root = Path(bridge.__file__).parent / "demo" / "packages" / name
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.suffix in {".toml", ".json", ".py"}
    }


def new_files(directory: str, tool: str) -> dict[str, str]:
    """Return the files of a new package in a directory of that name, by their paths in it."""
    package = re.sub(r"[^a-z0-9]+", "-", directory.lower()).strip("-")
    if not package or not package[0].isalpha():
        package = f"tools-{package}".strip("-")
    package = package[:64].rstrip("-")
    family, _, operation = tool.partition("_")
    names = {"package": package, "tool": tool, "family": family, "operation": operation or "run"}
    return {
        "package.toml": _MANIFEST.format(**names),
        f"tools/{tool}.json": _SCHEMA.format(**names),
        f"handlers/{tool}.py": _HANDLER.format(**names),
        f"tests/test_{tool}.py": _TEST.format(**names),
    }
