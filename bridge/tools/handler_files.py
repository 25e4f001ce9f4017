"""Imports a first-party package's `handlers/NAME.py`, each under a private name.

The directory is no part of `sys.path`: a file is imported by its path, as a module of a package
that exists for this directory alone, so that `from . import _store` finds its neighbours. Which
files there are says `handler_names`. What is wrong is told with all of it at once. Runs no tool.
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
from bridge.tools.handler_names import handler_file, handlers_found
from bridge.tools.handler_source import HANDLE_WORDS, PARAMETERS, source_problems, told_exception
from bridge.tools.package import Package
from bridge.tools.package_files import HANDLERS_DIRECTORY
from bridge.tools.package_thread import PackageThreads
from bridge.tools.problems import PackageError, Problem
from bridge.tools.result_limits import RUN_LIMITS, RunLimits

__all__ = ["embedded_handlers"]

_NUMBERS: Final = count(1)


def embedded_handlers(package: Package, limits: RunLimits = RUN_LIMITS) -> Mapping[str, Handler]:
    """Import the handlers of a package's tools.

    Each file is run once, in the package's thread, within `import_seconds`. Raises
    `PackageError` with everything that is wrong. Contract: package tools, handlers.
    """
    files, problems = handlers_found(package.directory, package.tools)
    if any(problem.rule == "symlink" for problem in problems):
        # Any file here may import what the link leads to.
        raise PackageError([*problems, *source_problems(package.directory, files)])
    threads = PackageThreads(package.name, limits=limits)
    modules = _modules_of(package.directory / HANDLERS_DIRECTORY)
    handlers: dict[str, Handler] = {}
    for index, name in enumerate(files):
        file = handler_file(name)
        load = partial(_load, modules, name, package.directory / file)
        found = _imported(load, file, threads, limits)
        if isinstance(found, Problem):
            problems.append(found)
            if found.rule == "handler-import-slow":
                # Whatever it does, it does it in the thread that the others would need.
                problems += source_problems(package.directory, files[index + 1 :])
                break
        else:
            handlers[name] = _handler_of(found, name, threads)
    if problems:
        threads.close()
        raise PackageError(problems)
    return handlers


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
        return Problem(file, "", "handler-import", f"cannot be imported: {told_exception(error)}")
    return _problem_of(module, file) or module


def _problem_of(module: ModuleType, file: str) -> Problem | None:
    # Not by `getattr`, for which a module may have code of its own.
    handle = vars(module).get("handle")
    rule, words = "handler-shape", HANDLE_WORDS
    if handle is None:
        return Problem(file, "", rule, words)
    if not inspect.iscoroutinefunction(handle):
        return Problem(file, "", rule, f"{words}: this one is not async")
    try:
        inspect.signature(handle).bind(*range(PARAMETERS))
    except (TypeError, ValueError):
        return Problem(file, "", rule, f"{words}: this one takes other parameters")
    return None


def _handler_of(module: ModuleType, name: str, threads: PackageThreads) -> Handler:
    handle: Any = vars(module)["handle"]
    if vars(module).get("NEVER_BLOCKS") is True:
        return LoopHandler(name, handle, threads)
    return ThreadHandler(handle, threads)
