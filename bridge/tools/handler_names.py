"""Which files of a first-party package's `handlers/` run which of its tools.

A file whose name begins with an underscore is a neighbour that handlers import; any other must
have a tool. No link there is followed, whatever imports it. Looks at names and at whether a file
could be read, never at what it holds.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from bridge.contract.tool_names import is_wire_safe_tool_name
from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.mapped_name import mapped_name
from bridge.tools.package_files import (
    HANDLERS_DIRECTORY,
    Listing,
    PackageFileError,
    check_no_links,
    check_package_file,
    list_directory,
    tool_file,
)
from bridge.tools.problems import Problem, told

__all__ = ["handler_file", "handlers_found"]

_MAX_NAMES: Final = 4 * LOADING_LIMITS.max_tools
"""A handler for each tool, what they import, and as many again."""
_MAX_BELOW: Final = 4 * _MAX_NAMES
"""With what lies in directories there, compiled files included."""


def handler_file(name: str) -> str:
    """Return where the handler of a tool is in its package."""
    return f"{HANDLERS_DIRECTORY}/{name}.py"


def handlers_found(root: Path, tools: Collection[str] | None) -> tuple[list[str], list[Problem]]:
    """Return the tools that have a file, and what is wrong with files and with other tools.

    Where it is not known which tools there are (None), every file is taken for a tool's.
    """
    try:
        listed = list_directory(root, HANDLERS_DIRECTORY, _MAX_NAMES)
    except PackageFileError as error:
        if error.rule != "missing-file":
            return [], [Problem(HANDLERS_DIRECTORY, "", error.rule, str(error))]
        listed = Listing((), complete=True)
    if not listed.complete:
        words = f"has more than {_MAX_NAMES:,} files: split the package"
        return [], [Problem(HANDLERS_DIRECTORY, "", "package-handlers", words)]
    problems: list[Problem] = []
    there: set[str] = set()
    found: list[str] = []
    for entry in listed.names:
        name, _, ending = entry.rpartition(".")
        if ending != "py" or entry.startswith("_"):
            continue
        file = handler_file(name)
        if tools is not None and name not in tools:
            problems.append(Problem(file, "", "handler-without-tool", _without_tool(name)))
            continue
        there.add(name)
        try:
            check_package_file(root, file)
            found.append(name)
        except PackageFileError as error:
            problems.append(Problem(file, "", error.rule, str(error)))
    problems += _links(root, {problem.file for problem in problems})
    for name in set(tools or ()) - there:
        words = (
            f"has no {handler_file(name)}: write one with async def handle(arguments, session,"
            " call)"
        )
        problems.append(Problem(tool_file(name), "", "tool-without-handler", words))
    return found, sorted(problems, key=lambda each: each.file)


def _links(root: Path, told_of: Collection[str]) -> list[Problem]:
    found = check_no_links(root, HANDLERS_DIRECTORY, _MAX_BELOW)
    return [Problem(file, "", why.rule, str(why)) for file, why in found if file not in told_of]


def _without_tool(name: str) -> str:
    better = mapped_name(name)
    if better is not None and not is_wire_safe_tool_name(name):
        # Its schema has the same wrong name, as a rule, and is told to be renamed as well.
        return f"{told(name)} is no name of a tool: rename it to {better}.py, as its schema"
    return (
        f"there is no tool {told(name)}: write its schema, or begin the file's name with an"
        " underscore if handlers import it"
    )
