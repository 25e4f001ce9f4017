"""Loads packages from directories: reads the files, and puts together what the rules say.

A package loads whole or not at all, and says everything that is wrong with it at once; other
packages load all the same. Runs nothing of a package. Contract: package tools, loading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from bridge.contract.tool_names import TOOL_NAME_PATTERN, is_wire_safe_tool_name
from bridge.tools.entry_file import entry_problems
from bridge.tools.handler_names import handlers_found
from bridge.tools.handler_source import source_problems
from bridge.tools.loading_limits import LOADING_LIMITS, LoadingLimits
from bridge.tools.manifest_rules import MANIFEST_FILE, ManifestReading, read_manifest
from bridge.tools.mapped_name import mapped_name
from bridge.tools.package import LoadedPackages, Package, Tier
from bridge.tools.package_files import (
    ENTRY_FILE,
    HANDLERS_DIRECTORY,
    TOOLS_DIRECTORY,
    PackageFileError,
    check_package_file,
    list_directory,
    read_package_file,
    tool_file,
)
from bridge.tools.pattern_budget import PatternBudget
from bridge.tools.problem_report import Report
from bridge.tools.problems import PackageError, Problem, told
from bridge.tools.tool_definition import ToolDefinition
from bridge.tools.tool_reader import read_tool

__all__ = ["load_package", "load_packages"]


def load_package(
    directory: str | Path, limits: LoadingLimits = LOADING_LIMITS, *, compiled: bool = False
) -> Package:
    """Load one package. Raises `PackageError` with all of its problems, warnings among them.

    Reads `package.toml` and each file of `tools/` once. Where these have an error, what would run
    the tools is looked at as well, so that all is told in one round: which handlers there are and
    whether their source could be right, or whether the entry could be a module; by which of them
    there is, where the manifest tells no tier. No handler is
    imported, so that what only running it shows is told once the rest is repaired
    (`handlers_of`). With `compiled` the entry of a project package is compiled in any case, which
    takes seconds.

    The same directory gives the same package and the same problems in the same order. Blocks
    while it reads.
    """
    return _package(_read(Path(directory), limits), limits, compiled=compiled)


def load_packages(
    directories: Iterable[str | Path],
    limits: LoadingLimits = LOADING_LIMITS,
    *,
    compiled: bool = False,
    accept: Callable[[Package], object] = lambda _: None,
) -> LoadedPackages:
    """Load several packages, each of which loads or fails on its own, as by `load_package`.

    A package that has the name of an earlier one, or a tool's, fails; one that failed takes no
    names. A directory that is given twice is loaded once. `accept` is called with each that has
    loaded, before the next is read: where it raises `PackageError` that one has failed too.
    """
    packages: list[Package] = []
    failed: dict[Path, PackageError] = {}
    owners: dict[str, str] = {}
    for directory in dict.fromkeys(map(Path, directories)):
        reading = _read(directory, limits)
        reading.problems[:0] = _clashes(reading, packages, owners)
        try:
            package = _package(reading, limits, compiled=compiled)
            accept(package)
        except PackageError as error:
            failed[directory] = error
            continue
        packages.append(package)
        owners.update(dict.fromkeys(package.tools, package.name))
    return LoadedPackages(tuple(packages), failed)


class _Reading(NamedTuple):
    """What was read of a directory, whether or not it is a package."""

    root: Path
    said: ManifestReading
    names: list[str] | None
    """Of the tools' files, whatever stands in them; None where they could not be listed."""
    tools: dict[str, ToolDefinition]
    problems: list[Problem]


def _read(root: Path, limits: LoadingLimits) -> _Reading:
    problems: list[Problem] = []
    if not _is_directory(root):
        problems.append(Problem("", "", "missing-directory", "is no directory: name one"))
        return _Reading(root, ManifestReading(), None, {}, problems)
    # Without cards that could be read every one would be told to be unknown.
    said = _read_manifest(root, limits, problems)
    names = _tool_names(root, limits, problems)
    tools: dict[str, ToolDefinition] = {}
    left, patterns = limits.max_package_bytes, PatternBudget(limits)
    for name in names or ():
        report = Report(tool_file(name), limits.max_problems_per_file)
        try:
            data = read_package_file(root, tool_file(name), limits.max_tool_file_bytes)
        except PackageFileError as error:
            report.error((), error.rule, str(error))
            data = b""
        left -= len(data)
        if left < 0:
            words = f"is past {limits.max_package_bytes:,} bytes of schemas: split the package"
            problems.append(Problem(tool_file(name), "", "package-size", words))
            break
        tool = None if report.failed else read_tool(name, data, report, said.card_types, patterns)
        problems += report.problems
        if tool is not None:
            tools[name] = tool
    if said.tier is not None:
        problems += _unused(root, said.tier)
    return _Reading(root, said, names, tools, problems)


def _package(reading: _Reading, limits: LoadingLimits, *, compiled: bool) -> Package:
    manifest, problems = reading.said.manifest, reading.problems
    failed = manifest is None or _has_error(problems)
    tier = reading.said.tier or _tier_by_files(reading.root)
    if tier == "project" and (failed or compiled):
        problems += entry_problems(reading.root, compiled=compiled)
    if tier == "first-party" and failed:
        found, wrong = handlers_found(reading.root, reading.names)
        wrong += source_problems(reading.root, found, limits.max_handler_source_bytes)
        problems += wrong
    if manifest is None or _has_error(problems):
        raise PackageError(problems)
    return Package(
        name=manifest.name,
        version=manifest.version,
        tier=manifest.tier,
        description=manifest.description,
        directory=reading.root,
        cards=manifest.cards,
        tools=reading.tools,
        warnings=tuple(problems),
    )


def _has_error(problems: Iterable[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # What may not even be looked at.
        return False


def _read_manifest(root: Path, limits: LoadingLimits, problems: list[Problem]) -> ManifestReading:
    report = Report(MANIFEST_FILE, limits.max_problems_per_file)
    read = ManifestReading()
    try:
        data = read_package_file(root, MANIFEST_FILE, limits.max_manifest_bytes)
        read = read_manifest(data, report)
    except PackageFileError as error:
        inside = error.rule == "missing-file" and _exists(root.absolute().parent, MANIFEST_FILE)
        more = ": the package is the directory above, name that one" if inside else ""
        report.error((), error.rule, f"{error}{more}")
    problems += report.problems
    return read


def _unused(root: Path, tier: Tier) -> list[Problem]:
    """Warn of what would run a package of the other tier."""
    if tier == "first-party" and _exists(root, ENTRY_FILE):
        words = "is not run in a package of the tier first-party: it is for the tier project"
        return [Problem(ENTRY_FILE, "", "entry-unused", words, "warning")]
    if tier == "project" and _is_directory(root / HANDLERS_DIRECTORY):
        words = f"are not run in a package of the tier project: that runs {ENTRY_FILE}"
        return [Problem(HANDLERS_DIRECTORY, "", "handlers-unused", words, "warning")]
    return []


def _tier_by_files(root: Path) -> Tier | None:
    """Return the tier that what is there to be run belongs to; None where nothing is."""
    if _is_directory(root / HANDLERS_DIRECTORY):
        return "first-party"
    return "project" if _exists(root, ENTRY_FILE) else None


def _exists(root: Path, name: str) -> bool:
    try:
        check_package_file(root, name)
    except PackageFileError:
        return False
    return True


def _tool_names(root: Path, limits: LoadingLimits, problems: list[Problem]) -> list[str] | None:
    """Return the names of the tools' files, telling what else lies among them."""
    try:
        # As many again may lie there that are no tools.
        listing = list_directory(root, TOOLS_DIRECTORY, 2 * limits.max_tools)
    except PackageFileError as error:
        problems.append(Problem(TOOLS_DIRECTORY, "", error.rule, str(error)))
        return None
    names: list[str] = []
    for entry in listing.names:
        stem, dot, ending = entry.rpartition(".")
        file = f"{TOOLS_DIRECTORY}/{entry}"
        if not dot or ending.lower() != "json":
            words = f"{told(entry)} is no tool's schema and is not read: keep it elsewhere"
            problems.append(Problem(file, "", "stray-file", words, "warning"))
        elif ending != "json" or not is_wire_safe_tool_name(stem):
            better = mapped_name(stem)
            form = "NAME.json" if better is None else f"{better}.json"
            words = f"{told(entry)} names no tool: rename it to {form}, by {TOOL_NAME_PATTERN}"
            problems.append(Problem(file, "", "tool-name", words))
        else:
            names.append(stem)
    if not listing.complete or len(names) > limits.max_tools:
        words = f"has more than {limits.max_tools:,} tools: split the package"
        problems.append(Problem(TOOLS_DIRECTORY, "", "package-tools", words))
        return None
    if not names:
        words = f"has no tool: write {TOOLS_DIRECTORY}/NAME.json"
        problems.append(Problem(TOOLS_DIRECTORY, "", "no-tools", words, "warning"))
    return names


def _clashes(
    reading: _Reading, packages: Iterable[Package], owners: dict[str, str]
) -> list[Problem]:
    found: list[Problem] = []
    own = reading.said.name
    if any(own == other.name for other in packages):
        words = f"a package {told(own)} is loaded already: give this one another name"
        found.append(Problem(MANIFEST_FILE, "/name", "duplicate-package", words))
    for name in reading.names or ():
        if name in owners:
            words = f"the package {told(owners[name])} has a tool of this name: rename this one"
            found.append(Problem(tool_file(name), "", "duplicate-tool", words))
    return found
