"""Finds and imports a first-party package's `handlers/NAME.py`, each under a private name.

The directory is no part of `sys.path`: a file is imported by its path, as a module of a package
that exists for this directory alone, so that `from . import _store` finds its neighbours. A file
whose name begins with an underscore is such a neighbour; any other must have a tool. What is wrong
is told with all of it at once. Runs no tool.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from functools import partial
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from bridge.tools.embedded_handler import LoopHandler, ThreadHandler
from bridge.tools.handler import Handler
from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.package import Package
from bridge.tools.package_files import (
    HANDLERS_DIRECTORY,
    Listing,
    PackageFileError,
    check_package_file,
    list_directory,
    tool_file,
)
from bridge.tools.package_thread import PackageThreads
from bridge.tools.problems import PackageError, Problem, told
from bridge.tools.result_limits import RUN_LIMITS, RunLimits

__all__ = ["embedded_handlers"]

_NUMBERS: Final = count(1)
_PARAMETERS: Final = 3
_MAX_NAMES: Final = 4 * LOADING_LIMITS.max_tools
"""A handler for each tool, what they import, and as many again."""


def embedded_handlers(package: Package, limits: RunLimits = RUN_LIMITS) -> Mapping[str, Handler]:
    """Import the handlers of a package's tools.

    Each file is run once, in the package's thread, within `import_seconds`. Raises
    `PackageError` with everything that is wrong. Contract: package tools, handlers.
    """
    files, problems = _files(package)
    threads = PackageThreads(package.name, limits=limits)
    modules = _modules_of(package.directory / HANDLERS_DIRECTORY)
    handlers: dict[str, Handler] = {}
    for name in files:
        file = f"{HANDLERS_DIRECTORY}/{name}.py"
        load = partial(_load, modules, name, package.directory / file)
        found = _imported(load, file, threads, limits)
        if isinstance(found, Problem):
            problems.append(found)
            if found.rule == "handler-import-slow":
                # Whatever it does, it does it in the thread that the others would need.
                break
        else:
            handlers[name] = _handler_of(found, name, threads)
    if problems:
        threads.close()
        raise PackageError(problems)
    return handlers


def _files(package: Package) -> tuple[list[str], list[Problem]]:
    """Return the tools that have a file, and what is wrong with files and with other tools."""
    try:
        listed = list_directory(package.directory, HANDLERS_DIRECTORY, _MAX_NAMES)
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
        file = f"{HANDLERS_DIRECTORY}/{entry}"
        if name not in package.tools:
            words = (
                f"there is no tool {told(name)}: write its schema, or begin the file's name with"
                " an underscore if handlers import it"
            )
            problems.append(Problem(file, "", "handler-without-tool", words))
            continue
        there.add(name)
        try:
            check_package_file(package.directory, file)
            found.append(name)
        except PackageFileError as error:
            problems.append(Problem(file, "", error.rule, str(error)))
    for name in package.tools.keys() - there:
        file = f"{HANDLERS_DIRECTORY}/{name}.py"
        words = f"has no {file}: write one with async def handle(arguments, session, call)"
        problems.append(Problem(tool_file(name), "", "tool-without-handler", words))
    return found, sorted(problems, key=lambda each: each.file)


def _modules_of(directory: Path) -> str:
    """Make the private package that a directory's files are modules of. Returns its name."""
    name = f"_bascule_package_{next(_NUMBERS)}"
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(directory)]
    sys.modules[name] = module_from_spec(spec)
    return name


def _load(modules: str, name: str, path: Path) -> ModuleType:
    spec = spec_from_file_location(f"{modules}.{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _imported(
    load: partial[ModuleType], file: str, threads: PackageThreads, limits: RunLimits
) -> ModuleType | Problem:
    try:
        module: ModuleType = threads.run_now(load, limits.import_seconds)
    except TimeoutError:
        words = f"takes longer than {limits.import_seconds:g} s to import: do the work in handle"
        return Problem(file, "", "handler-import-slow", words)
    except BaseException as error:  # noqa: BLE001 - a module may raise anything
        return Problem(file, "", "handler-import", f"cannot be imported: {_told(error)}")
    return _problem_of(module, file) or module


def _problem_of(module: ModuleType, file: str) -> Problem | None:
    # Not by `getattr`, for which a module may have code of its own.
    handle = vars(module).get("handle")
    rule, words = "handler-shape", "must define async def handle(arguments, session, call)"
    if handle is None:
        return Problem(file, "", rule, words)
    if not inspect.iscoroutinefunction(handle):
        return Problem(file, "", rule, f"{words}: this one is not async")
    try:
        inspect.signature(handle).bind(*range(_PARAMETERS))
    except (TypeError, ValueError):
        return Problem(file, "", rule, f"{words}: this one takes other parameters")
    return None


def _handler_of(module: ModuleType, name: str, threads: PackageThreads) -> Handler:
    handle: Any = vars(module)["handle"]
    if vars(module).get("NEVER_BLOCKS") is True:
        return LoopHandler(name, handle, threads)
    return ThreadHandler(handle, threads)


def _told(error: BaseException) -> str:
    """Return a line for the package's author, who sees it before anything runs."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - an exception of a package's may do anything
        text = ""
    lines = text.splitlines()
    kind = type(error).__name__
    return f"{kind}: {told(lines[0])}" if lines else kind
