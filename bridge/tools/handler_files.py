"""Finds and imports a first-party package's `handlers/NAME.py`, each under a private name.

The directory is no part of `sys.path`: a file is imported by its path, as a module of a package
that exists for this directory alone, so that `from . import _store` finds its neighbours. Files
whose names begin with an underscore are such helpers; any other must have a tool. What is wrong
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
from bridge.tools.package import Package
from bridge.tools.package_thread import PackageThreads
from bridge.tools.problems import PackageError, Problem
from bridge.tools.result_limits import RUN_LIMITS, RunLimits

__all__ = ["embedded_handlers"]

_ROOM: Final = "handlers"
_NUMBERS: Final = count(1)
_PARAMETERS: Final = 3


def embedded_handlers(package: Package, limits: RunLimits = RUN_LIMITS) -> Mapping[str, Handler]:
    """Import the handlers of a package's tools.

    Each file is run once, in the package's thread, within `import_seconds`. Raises
    `PackageError` with everything that is wrong. Contract: package tools, handlers.
    """
    files, problems = _files(package)
    threads = PackageThreads(package.name, limits=limits)
    modules = _modules_of(package.directory / _ROOM)
    handlers: dict[str, Handler] = {}
    for name in package.tools:
        if name not in files:
            continue
        file = f"{_ROOM}/{name}.py"
        found = _imported(partial(_load, modules, name, files[name]), file, threads, limits)
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


def _files(package: Package) -> tuple[dict[str, Path], list[Problem]]:
    directory = package.directory / _ROOM
    problems: list[Problem] = []
    found: dict[str, Path] = {}
    try:
        listed = sorted(directory.iterdir()) if directory.is_dir() else []
        inside = package.directory.resolve(strict=True)
    except OSError as error:
        return {}, [Problem(_ROOM, "", "handlers-unreadable", f"cannot be read: {error.strerror}")]
    for path in listed:
        if path.suffix != ".py" or path.name.startswith("_"):
            continue
        name = path.stem
        file = f"{_ROOM}/{path.name}"
        if name not in package.tools:
            words = f"there is no tools/{name}.json; a helper's name begins with an underscore"
            problems.append(Problem(file, "", "handler-without-tool", words))
        elif not path.is_file() or not path.resolve().is_relative_to(inside):
            words = "is no file of the package: put it where it is said to be, not a link"
            problems.append(Problem(file, "", "handler-outside", words))
        else:
            found[name] = path
    for name in package.tools:
        if name not in found and not any(each.file == f"{_ROOM}/{name}.py" for each in problems):
            words = (
                f"the tool has no {_ROOM}/{name}.py with async def handle(arguments, session, call)"
            )
            problems.append(Problem(f"tools/{name}.json", "", "tool-without-handler", words))
    return found, problems


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
    handle = getattr(module, "handle", None)
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
    handle: Any = module.handle
    if getattr(module, "NEVER_BLOCKS", False) is True:
        return LoopHandler(name, handle, threads)
    return ThreadHandler(handle, threads)


def _told(error: BaseException) -> str:
    """Return a line for the package's author, who sees it before anything runs."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of a package's may do anything
        text = ""
    lines = text.splitlines()
    words = f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
    return words.encode("ascii", "backslashreplace").decode()
