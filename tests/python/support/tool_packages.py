"""Schemas of tools and packages on the disk, for the tests of package tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge.tools.problem_report import Report
from bridge.tools.problems import Problem
from bridge.tools.tool_definition import ToolDefinition
from bridge.tools.tool_reader import read_tool

MANIFEST = 'name = "sample"\nversion = "1.0.0"\ntier = "project"\n'
FILE = "tools/note_add.json"


def block(**members: Any) -> dict[str, Any]:
    """Return an extension block that is right, with members replaced or, by None, left out."""
    return _with({"annotations": {"category": "read"}}, members)


def annotated(**annotations: Any) -> dict[str, Any]:
    return block(annotations=_with({"category": "read"}, annotations))


def tool(extension: Any = ..., **members: Any) -> dict[str, Any]:
    """Return a tool's schema that is right, with members replaced or, by None, left out."""
    schema = {
        "type": "object",
        "additionalProperties": False,
        "description": "Add a note.",
        "properties": {"text": {"type": "string"}},
        "x-bascule": block() if extension is ... else extension,
    }
    return _with(schema, members)


def with_property(schema: Any, **members: Any) -> dict[str, Any]:
    """Return a tool with one more argument, `extra`."""
    return tool(properties={"text": {"type": "string"}, "extra": schema}, **members)


def read(
    schema: object, *, cards: tuple[str, ...] = ()
) -> tuple[ToolDefinition | None, list[Problem]]:
    """Read a schema, given as bytes or as what is to be written."""
    data = schema if isinstance(schema, bytes) else json.dumps(schema).encode()
    report = Report(FILE)
    return read_tool("note_add", data, report, cards), report.problems


def found(schema: object, **options: Any) -> set[tuple[str, str]]:
    """Return which rules a schema breaks, and where."""
    return {(problem.rule, problem.pointer) for problem in read(schema, **options)[1]}


def defined(schema: object) -> ToolDefinition:
    """Return the definition of a schema that must be without an error."""
    definition, problems = read(schema)
    assert definition is not None, problems
    return definition


def write_package(
    directory: Path, tools: Mapping[str, object], manifest: str | None = MANIFEST
) -> Path:
    """Write a package: files of `tools/` by their names, as bytes or as what is to be written.

    A project's has an entry that could be a module; a first-party package has no handlers.
    """
    (directory / "tools").mkdir(parents=True)
    if manifest is not None:
        (directory / "package.toml").write_text(manifest, encoding="utf-8")
        if 'tier = "project"' in manifest:
            (directory / "entry.wasm").write_bytes(b"\0asm\x01\0\0\0")
    for name, schema in tools.items():
        data = schema if isinstance(schema, bytes) else json.dumps(schema).encode()
        (directory / "tools" / name).write_bytes(data)
    return directory


def _with(base: dict[str, Any], members: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**base, **{_key(name): value for name, value in members.items()}}
    return {name: value for name, value in merged.items() if value is not None}


def _key(name: str) -> str:
    """Keywords that Python cannot write: `ref_` is `$ref`, `not_` is `not`."""
    return {"schema_": "$schema", "id_": "$id", "ref_": "$ref", "not_": "not", "if_": "if"}.get(
        name, name
    )
