"""What is wrong with a handler's file, as far as its source tells: nothing of it is run.

For files that are not imported, as those of a package that does not load; of others the imported
module is looked at. Only what is certain is told: a `handle` may come about in many ways.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bridge.tools.handler_names import handler_file
from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.package_files import PackageFileError, read_package_file
from bridge.tools.problems import Problem, told

__all__ = ["HANDLE_WORDS", "PARAMETERS", "source_problem", "source_problems", "told_exception"]

PARAMETERS: Final = 3
HANDLE_WORDS: Final = "must define async def handle(arguments, session, call)"
_DEFINING: Final = frozenset(
    {"handle", "*", "exec", "eval", "globals", "vars", "locals", "setattr", "__dict__"}
)
"""The name itself, and by what a module may define names that its source does not say."""
_FIELDS: Final = ("name", "asname", "id", "attr", "value", "rest")
"""Where a node of a syntax tree has a name, or a text that may be one."""


def source_problems(
    root: Path, tools: Iterable[str], max_bytes: int = LOADING_LIMITS.max_handler_source_bytes
) -> list[Problem]:
    """Return what is wrong with the handlers of a package's tools that have one.

    `max_bytes` is what may be read of all of them. Blocks while it reads. Raises nothing.
    """
    problems: list[Problem] = []
    for file in map(handler_file, tools):
        try:
            source = read_package_file(root, file, max_bytes)
        except PackageFileError:
            # Too long, or gone since it was listed: its import will tell.
            continue
        max_bytes -= len(source)
        problem = source_problem(file, source)
        if problem is not None:
            problems.append(problem)
    return problems


def source_problem(file: str, source: bytes) -> Problem | None:
    """Return why a file cannot be the handler of a tool; None where nothing speaks against it.

    Takes the problem's words from what an import would tell. Raises nothing.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, file)
            # Some errors of syntax are found no earlier.
            compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        words = f"cannot be imported: {told_exception(error)}"
        return Problem(file, "", "handler-import", words)
    fault = _fault(tree)
    return None if fault is None else Problem(file, "", "handler-shape", fault)


def told_exception(error: BaseException) -> str:
    """Return a line for the package's author, who sees it before anything runs."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - an exception of a package's may do anything
        text = ""
    lines = text.splitlines()
    kind = type(error).__name__
    return f"{kind}: {told(lines[0])}" if lines else kind


def _fault(tree: ast.Module) -> str | None:
    named = [node for node in ast.walk(tree) if _may_define(node)]
    if not named:
        return HANDLE_WORDS
    if len(named) > 1:
        return None
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="handle")], value=ast.Constant()):
                return f"{HANDLE_WORDS}: this one is not async"
            case ast.FunctionDef(name="handle", decorator_list=[]):
                return f"{HANDLE_WORDS}: this one is not async"
            case ast.AsyncFunctionDef(name="handle", decorator_list=[], args=parameters):
                taken = _takes(parameters)
                return None if taken else f"{HANDLE_WORDS}: this one takes other parameters"
    return None


def _may_define(node: ast.AST) -> bool:
    words = {getattr(node, field, None) for field in _FIELDS}
    return not _DEFINING.isdisjoint(words.union(getattr(node, "names", ())))


def _takes(parameters: ast.arguments) -> bool:
    """Say whether a function can be called with so many values by their places."""
    places = len(parameters.posonlyargs) + len(parameters.args)
    needed = places - len(parameters.defaults)
    most = PARAMETERS if parameters.vararg is not None else places
    return needed <= PARAMETERS <= most and all(parameters.kw_defaults)
