"""Loads packages from directories: reads the files, and puts together what the rules say.

A package loads whole or not at all, and says everything that is wrong with it at once; other
packages load all the same. Handlers are found elsewhere. Contract: package tools, loading.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bridge.contract.tool_names import TOOL_NAME_PATTERN, is_wire_safe_tool_name
from bridge.tools.loading_limits import LOADING_LIMITS, LoadingLimits
from bridge.tools.manifest_rules import MANIFEST_FILE, Manifest, read_manifest
from bridge.tools.package import LoadedPackages, Package
from bridge.tools.package_files import PackageFileError, list_directory, read_package_file
from bridge.tools.pattern_budget import PatternBudget
from bridge.tools.problem_report import Report
from bridge.tools.problems import PackageError, Problem, told
from bridge.tools.tool_definition import ToolDefinition
from bridge.tools.tool_reader import read_tool

__all__ = ["TOOLS_DIRECTORY", "load_package", "load_packages", "tool_file"]

TOOLS_DIRECTORY: Final = "tools"


def tool_file(name: str) -> str:
    """Return where a tool's schema is in its package."""
    return f"{TOOLS_DIRECTORY}/{name}.json"


def load_package(directory: str | Path, limits: LoadingLimits = LOADING_LIMITS) -> Package:
    """Load one package. Raises `PackageError` with all of its problems, warnings among them.

    Reads `package.toml` and each file of `tools/` once, and nothing else. The same directory
    gives the same package and the same problems in the same order. Blocks while it reads.
    """
    root = Path(directory)
    if not _is_directory(root):
        raise PackageError([Problem("", "", "missing-directory", "is no directory: name one")])
    problems: list[Problem] = []
    manifest = _read_manifest(root, limits, problems)
    # Without a manifest every card would be told to be unknown.
    card_types = None if manifest is None else {card.type for card in manifest.cards}
    tools: dict[str, ToolDefinition] = {}
    left, patterns = limits.max_package_bytes, PatternBudget(limits)
    for name in _tool_names(root, limits, problems):
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
        tool = None if report.failed else read_tool(name, data, report, card_types, patterns)
        problems += report.problems
        if tool is not None:
            tools[name] = tool
    if manifest is None or any(problem.severity == "error" for problem in problems):
        raise PackageError(problems)
    return Package(
        name=manifest.name,
        version=manifest.version,
        tier=manifest.tier,
        description=manifest.description,
        directory=root,
        cards=manifest.cards,
        tools=tools,
        warnings=tuple(problems),
    )


def load_packages(
    directories: Iterable[str | Path], limits: LoadingLimits = LOADING_LIMITS
) -> LoadedPackages:
    """Load several packages, each of which loads or fails on its own.

    A package that has the name of an earlier one, or a tool's, fails; one that failed takes no
    names. A directory that is given twice is loaded once.
    """
    packages: list[Package] = []
    failed: dict[Path, PackageError] = {}
    owners: dict[str, str] = {}
    for directory in dict.fromkeys(map(Path, directories)):
        try:
            package = load_package(directory, limits)
            clashes = _clashes(package, packages, owners)
            if clashes:
                raise PackageError([*clashes, *package.warnings])
        except PackageError as error:
            failed[directory] = error
            continue
        packages.append(package)
        owners.update(dict.fromkeys(package.tools, package.name))
    return LoadedPackages(tuple(packages), failed)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # What may not even be looked at.
        return False


def _read_manifest(root: Path, limits: LoadingLimits, problems: list[Problem]) -> Manifest | None:
    report = Report(MANIFEST_FILE, limits.max_problems_per_file)
    manifest = None
    try:
        data = read_package_file(root, MANIFEST_FILE, limits.max_manifest_bytes)
        manifest = read_manifest(data, report)
    except PackageFileError as error:
        report.error((), error.rule, str(error))
    problems += report.problems
    return manifest


def _tool_names(root: Path, limits: LoadingLimits, problems: list[Problem]) -> list[str]:
    """Return the names of the tools' files, telling what else lies among them."""
    try:
        # As many again may lie there that are no tools.
        listing = list_directory(root, TOOLS_DIRECTORY, 2 * limits.max_tools)
    except PackageFileError as error:
        problems.append(Problem(TOOLS_DIRECTORY, "", error.rule, str(error)))
        return []
    names: list[str] = []
    for entry in listing.names:
        stem, dot, ending = entry.rpartition(".")
        file = f"{TOOLS_DIRECTORY}/{entry}"
        if not dot or ending.lower() != "json":
            words = f"{told(entry)} is no tool's schema and is not read: keep it elsewhere"
            problems.append(Problem(file, "", "stray-file", words, "warning"))
        elif ending != "json" or not is_wire_safe_tool_name(stem):
            words = (
                f"{told(entry)} names no tool: rename it to NAME.json, NAME as {TOOL_NAME_PATTERN}"
            )
            problems.append(Problem(file, "", "tool-name", words))
        else:
            names.append(stem)
    if not listing.complete or len(names) > limits.max_tools:
        words = f"has more than {limits.max_tools:,} tools: split the package"
        problems.append(Problem(TOOLS_DIRECTORY, "", "package-tools", words))
        return []
    if not names:
        words = f"has no tool: write {TOOLS_DIRECTORY}/NAME.json"
        problems.append(Problem(TOOLS_DIRECTORY, "", "no-tools", words, "warning"))
    return names


def _clashes(
    package: Package, packages: Iterable[Package], owners: dict[str, str]
) -> list[Problem]:
    found: list[Problem] = []
    if any(package.name == other.name for other in packages):
        words = f"a package {told(package.name)} is loaded already: give this one another name"
        found.append(Problem(MANIFEST_FILE, "/name", "duplicate-package", words))
    for name in package.tools:
        if name in owners:
            words = f"the package {told(owners[name])} has a tool of this name: rename this one"
            found.append(Problem(tool_file(name), "", "duplicate-tool", words))
    return found
