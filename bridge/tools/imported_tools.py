"""Tools that another MCP server lists, as definitions of our own. Connects to nothing.

What the server says of its tools is a stranger's word: each is of category `unknown` and
destructive, whatever it claims, and a schema that cannot be checked safely keeps its tool out.
Contract: package tools, importing.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from bridge.contract.schema import Validator
from bridge.tools.imported_schema import ImportedSchemaError, read_imported_schema
from bridge.tools.mapped_name import mapped_name
from bridge.tools.pattern_budget import PatternBudget
from bridge.tools.problems import told
from bridge.tools.tool_definition import ToolAnnotations, ToolDefinition

__all__ = ["MAX_TOOLS", "ImportedTool", "ImportedTools", "import_tools"]

MAX_TOOLS: Final = 512
"""More than any server lists whose tools a model can still tell apart."""
_MAX_DESCRIPTION_CHARS: Final = 8_192
_MAX_TITLE_CHARS: Final = 200


class ImportedTool(NamedTuple):
    """One tool, and what its server calls it."""

    definition: ToolDefinition
    name_there: str


class ImportedTools(NamedTuple):
    """The tools of one server."""

    tools: tuple[ImportedTool, ...]
    """In the server's order."""
    warnings: tuple[str, ...]
    """What was changed or left out, for whoever asked for the import; printable anywhere."""


def import_tools(
    listed: Iterable[object], *, server: str, taken: Container[str] = ()
) -> ImportedTools:
    """Make definitions of what a server lists. Raises nothing.

    `listed` are tools as the wire has them, of whatever shape, `server` is what the user calls the
    server, `taken` are names that others have. A tool whose name is taken gets its server's name
    before its own. One is left out, with a warning, that has no usable name then, or whose input
    cannot be checked; one whose output schema is unusable loses it.
    """
    tools: dict[str, ImportedTool] = {}
    warnings: list[str] = []
    patterns = PatternBudget()
    for number, tool in enumerate(listed):
        if number == MAX_TOOLS:
            warnings.append(f"{server}: only the first {MAX_TOOLS} tools are imported.")
            break
        try:
            imported = _import(tool, server, patterns, warnings)
        except _LeftOutError as error:
            warnings.append(f"{server}: {error}")
            continue
        name = imported.definition.name
        if name in tools or name in taken:
            # A name with its server's before it is one that nobody else has, as a rule.
            other = mapped_name(f"{server}_{name}")
            there = told(imported.name_there)
            if other is None or other in tools or other in taken:
                words = f"the tool {there} is left out: there is another {name}."
                warnings.append(f"{server}: {words}")
                continue
            warnings.append(f"{server}: the tool {there} is {other}: there is another {name}.")
            name = other
            imported = imported._replace(definition=replace(imported.definition, name=name))
        tools[name] = imported
    return ImportedTools(tuple(tools.values()), tuple(warnings))


class _LeftOutError(Exception):
    """The tool cannot be offered."""


def _import(
    tool: object, server: str, patterns: PatternBudget, warnings: list[str]
) -> ImportedTool:
    there = tool.get("name") if isinstance(tool, Mapping) else None
    if not isinstance(tool, Mapping) or not isinstance(there, str):
        raise _LeftOutError("a tool without a name is left out.")
    name = mapped_name(there)
    if name is None:
        raise _LeftOutError(f"the tool {told(there)} is left out: no letter begins its name.")
    schema, validator = _schema(tool.get("inputSchema"), there, patterns)
    output = _output(tool, server, patterns, warnings)
    if name != there:
        warnings.append(f"{server}: the tool {told(there)} is offered as {name}.")
    annotations = tool.get("annotations")
    hinted = annotations.get("title") if isinstance(annotations, Mapping) else None
    title = _text(tool.get("title"), _MAX_TITLE_CHARS) or _text(hinted, _MAX_TITLE_CHARS)
    definition = ToolDefinition(
        name=name,
        title=title or name,
        description=_text(tool.get("description"), _MAX_DESCRIPTION_CHARS)
        or f"A tool of the server {server}, which does not describe it.",
        input_schema=schema,
        input=validator,
        output_schema=None if output is None else output[0],
        output=None if output is None else output[1],
        annotations=ToolAnnotations(
            category="unknown",
            title=title,
            read_only=False,
            destructive=True,
            open_world=True,
        ),
        family=server,
        transport="mcp",
    )
    return ImportedTool(definition, there)


def _output(
    tool: Mapping[str, Any], server: str, patterns: PatternBudget, warnings: list[str]
) -> tuple[Mapping[str, Any], Validator] | None:
    schema, name = tool.get("outputSchema"), tool["name"]
    if schema is None:
        return None
    try:
        return _schema(schema, name, patterns)
    except _LeftOutError:
        warnings.append(
            f"{server}: what {told(name)} gives goes unchecked: its schema is unusable."
        )
        return None


def _schema(
    schema: object, tool: str, patterns: PatternBudget
) -> tuple[Mapping[str, Any], Validator]:
    try:
        return read_imported_schema(schema, patterns)
    except ImportedSchemaError as error:
        raise _LeftOutError(
            f"the tool {told(tool)} is left out: its schema cannot be used: {told(str(error))}."
        ) from None


def _text(value: object, most: int) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    text = value.strip()
    return text if len(text) <= most else f"{text[: most - 1]}…"
