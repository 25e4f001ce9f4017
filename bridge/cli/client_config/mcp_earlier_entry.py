"""Whether a client's own file has an entry of this name already, where a second would break it.

Only of TOML: a table that is there twice makes the whole file unreadable, and a block is easily
appended twice. Reads the file and changes nothing. Contract: MCP.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bridge.cli.client_config.mcp_clients import McpClient

__all__ = ["earlier_entry"]

_MAX_BYTES: Final = 1_048_576


def earlier_entry(client: McpClient, name: str, environ: Mapping[str, str]) -> Path | None:
    """Return the client's file where that has an entry of this name; None otherwise.

    None as well where there is no such file, it cannot be read, or a second entry does no harm.
    """
    if client.file is None:
        return None
    variable, default, file_name = client.file
    path = Path(environ.get(variable) or default).expanduser() / file_name
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode()
    except (OSError, ValueError, RuntimeError):
        return None
    return path if _has(text, client.key, name) else None


def _has(text: str, key: str, name: str) -> bool:
    import tomllib  # noqa: PLC0415 - for this alone

    try:
        tables = tomllib.loads(text).get(key)
    except tomllib.TOMLDecodeError:
        # As a second table has left it: its heading is still there to be found.
        word = rf"(?:{re.escape(name)}|\"{re.escape(name)}\")"
        heading = rf"^\s*\[\s*{re.escape(key)}\s*\.\s*{word}\s*\]"
        return re.search(heading, text, re.MULTILINE) is not None
    return isinstance(tables, dict) and name in tables
