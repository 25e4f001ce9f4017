"""Reads the language-neutral vectors, and finds the public suites where they are."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.python.support.vector_runner import read_vectors

ROOT = Path(__file__).parents[3]
NO_CONVERSATIONS = {
    *("strict_json.json", "schema.json", "mcp_catalog.json"),
    *("tool_names.json", "settled_status.json"),
}
"""What every reader of JSON, of schemas or of tools is judged by, and the catalog; all others are
conversations with the fixture host."""


def control_vectors() -> dict[str, list[dict[str, Any]]]:
    """Return the vectors of the control protocol by file."""
    files = sorted((ROOT / "tests" / "vectors").glob("*.json"))
    return {
        path.name: read_vectors(path.read_bytes())
        for path in files
        if path.name not in NO_CONVERSATIONS
    }


def load_vectors(name: str) -> list[dict[str, Any]]:
    """Return the cases of one file of vectors."""
    text = (ROOT / "tests" / "vectors" / name).read_text(encoding="utf-8")
    cases: list[dict[str, Any]] = json.loads(text)["cases"]
    return cases


def document(case: dict[str, Any]) -> bytes:
    """Return a case's document as bytes."""
    if "base64" in case:
        return base64.b64decode(case["base64"])
    if "build" in case:
        return _built(case["build"])
    return str(case["json"]).encode()


def member(case: dict[str, Any], name: str) -> bytes:
    """Return a member as a document: given as it is, as its text, or to be put together."""
    if f"{name}_build" in case:
        return _built(case[f"{name}_build"])
    if f"{name}_json" in case:
        return str(case[f"{name}_json"]).encode()
    return json.dumps(case[name]).encode()


def _built(parts: list[Any]) -> bytes:
    texts = (part if isinstance(part, str) else part[0] * part[1] for part in parts)
    return "".join(texts).encode()


def shared_suite(name: str) -> Path:
    """Return the folder of a public suite, or skip the test that asks for it."""
    shared = Path(os.environ.get("BASCULE_SHARED", ROOT.parent / "shared"))
    folder = shared / "suites" / name
    if not folder.is_dir():
        pytest.skip(f"the public suite {name} is not on this machine")
    return folder
