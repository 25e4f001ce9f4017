"""Packages as the commands load them, and how their problems are told."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TextIO

from bridge.cli.output.terminal_text import printable
from bridge.cli.usage_error import UsageError
from bridge.tools.handler import CallRefused
from bridge.tools.package import Package
from bridge.tools.package_files import HANDLERS_DIRECTORY
from bridge.tools.package_loader import load_packages
from bridge.tools.problems import PackageError, Problem
from bridge.tools.tool_runner import RunnableTool, runnable_tools

__all__ = [
    "Loading",
    "counted",
    "load_all",
    "load_one",
    "package_facts",
    "print_problems",
    "problem_line",
    "report_handler",
]


class Loading:
    """What came of several directories, each of which loads or fails on its own.

    Without `run` no code of a package is loaded, and there are no handlers. With `look` an entry
    of WebAssembly is compiled now, and what keeps it from running is one of its package's problems.
    With `others` a directory that there is not fails alone, if there is one of the others.
    """

    def __init__(
        self, directories: Sequence[Path], *, run: bool, look: bool = False, others: bool = False
    ) -> None:
        left = others and any(directory.is_dir() for directory in directories)
        for directory in directories:
            if not left and not directory.is_dir():
                raise UsageError(f"there is no directory {printable(str(directory))}")
        self.runnable: list[RunnableTool] = []
        """Of all packages: no two of them have a tool of the same name."""
        self._tried: set[Path] = set()
        loaded = (
            load_packages(directories, compiled=look, accept=self._take)
            if run
            else load_packages(directories, compiled=look)
        )
        self.packages: list[Package] = list(loaded.packages)
        self.failed: dict[Path, Sequence[Problem]] = {
            Path(place): error.problems for place, error in loaded.failed.items()
        }
        self.not_run: frozenset[Path] = frozenset(
            filter(_has_handlers, self.failed.keys() - self._tried)
        )
        """Those that failed before a handler of theirs was run, which may fail as well."""

    def _take(self, package: Package) -> None:
        """Import a package's handlers. Raises `PackageError`, with its warnings among the rest."""
        from bridge.tools.package_handlers import handlers_of  # noqa: PLC0415 - not for lists

        self._tried.add(package.directory)
        try:
            # What a package prints is for its author, and no part of a command's output.
            with redirect_stdout(sys.stderr):
                handlers = handlers_of(package)
        except PackageError as error:
            raise PackageError([*package.warnings, *error.problems]) from error
        self.runnable += runnable_tools(package, handlers)


def _has_handlers(directory: Path) -> bool:
    try:
        return (directory / HANDLERS_DIRECTORY).is_dir()
    except OSError:
        return False


def load_all(directories: Sequence[Path], *, run: bool, others: bool = False) -> Loading:
    """Load packages; tell on standard error what is wrong with those that fail.

    Raises `UsageError` for a directory that there is not.
    """
    loading = Loading(directories, run=run, others=others)
    for place, problems in loading.failed.items():
        print_problems(place, problems, sys.stderr)
    return loading


def load_one(directory: Path, *, run: bool) -> Loading:
    """Load one package. Raises `PackageError` and `UsageError`."""
    loading = Loading([directory], run=run)
    for problems in loading.failed.values():
        raise PackageError(problems)
    return loading


def package_facts(package: Package) -> dict[str, Any]:
    """Return what is told of a package to programs."""
    return {
        "name": package.name,
        "version": package.version,
        "tier": package.tier,
        "tools": list(package.tools),
    }


def counted(number: int, what: str) -> str:
    """Return a number with its word, in the plural where it is not one."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def problem_line(directory: Path, problem: Problem) -> str:
    """Return a problem as people and editors read it: `file:pointer rule message`.

    The file is told as it is found from here.
    """
    place = os.path.join(directory, problem.file)  # noqa: PTH118 - a file's name may be anything
    pointer = f":{problem.pointer}" if problem.pointer else ""
    warning = "warning: " if problem.severity == "warning" else ""
    return f"{warning}{printable(f'{place}{pointer}')} {problem.rule} {printable(problem.message)}"


def print_problems(directory: Path, problems: Iterable[Problem], stream: TextIO) -> None:
    """Print problems, one on each line: errors first, warnings after them."""
    for problem in sorted(problems, key=lambda each: each.severity == "warning"):
        print(problem_line(directory, problem), file=stream)


def report_handler(tool: str, error: BaseException) -> None:
    """Tell the package's author, on standard error, what callers are not told."""
    if isinstance(error, CallRefused) and error.log:
        print(f"bascule: what runs {tool} wrote, at last:", file=sys.stderr)
        for line in error.log.splitlines():
            print(f"  {printable(line)}", file=sys.stderr)
        return
    print(f"bascule: the handler of {tool} failed:", file=sys.stderr)
    traceback.print_exception(error, file=sys.stderr)
