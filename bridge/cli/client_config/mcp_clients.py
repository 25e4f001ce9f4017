"""What MCP clients want to read in their configuration: one entry for one stdio server.

Pure: the entry is given, the text is returned. What of a client's habits an entry depends on is in
its row of the table; nothing is written into anybody's files. Contract: MCP.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from bridge.cli.client_config.toml_text import toml_array, toml_key, toml_string, toml_table
from bridge.cli.output.terminal_text import json_text_for_terminal

__all__ = [
    "MAX_NAME_CHARS",
    "MCP_CLIENTS",
    "McpClient",
    "McpEntry",
    "add_command",
    "config_block",
    "is_server_name",
]

MAX_NAME_CHARS: Final = 32
"""Clients join a server's name and a tool's, and some take 60 characters or 64 of both."""
_NAME: Final = re.compile(rf"[a-z0-9_-]{{1,{MAX_NAME_CHARS}}}")


class McpEntry(NamedTuple):
    """A stdio server as a client starts it. No member may hold a token."""

    name: str
    command: str
    """An absolute path: clients look in a PATH of their own."""
    args: tuple[str, ...]
    env: Mapping[str, str]


class McpClient(NamedTuple):
    """What an MCP client reads."""

    title: str
    places: Mapping[str, str]
    """The file, by `sys.platform`; the one under "" is for every other."""
    key: str
    """The member that has the servers: of JSON, or a table of TOML."""
    is_toml: bool = False
    has_type: bool = False
    """Whether an entry says that it is a stdio server."""
    offers_older: bool = False
    """Whether a version in use opens with the revision before 2025-11-25."""
    more: str = ""
    """What else there is to say about the place."""
    file: tuple[str, str, str] | None = None
    """The file that a second entry would break: what names its folder, the usual one, its name."""


def _everywhere(place: str) -> Mapping[str, str]:
    return MappingProxyType({"": place})


MCP_CLIENTS: Final[Mapping[str, McpClient]] = MappingProxyType(
    {
        "claude-code": McpClient(
            "Claude Code",
            _everywhere(".mcp.json in the project's folder"),
            "mcpServers",
            has_type=True,
        ),
        "claude-desktop": McpClient(
            "Claude Desktop",
            MappingProxyType(
                {
                    "darwin": "~/Library/Application Support/Claude/claude_desktop_config.json",
                    "win32": r"%APPDATA%\Claude\claude_desktop_config.json",
                    "": "~/.config/Claude/claude_desktop_config.json",
                }
            ),
            "mcpServers",
            more="Start Claude Desktop again afterwards.",
        ),
        "cursor": McpClient(
            "Cursor",
            _everywhere("~/.cursor/mcp.json, or .cursor/mcp.json in the project's folder"),
            "mcpServers",
            has_type=True,
        ),
        "vscode": McpClient(
            "VS Code",
            _everywhere(".vscode/mcp.json in the project's folder"),
            "servers",
            has_type=True,
            more="For all projects: the command MCP: Open User Configuration.",
        ),
        "codex": McpClient(
            "Codex",
            _everywhere("~/.codex/config.toml"),
            "mcp_servers",
            is_toml=True,
            offers_older=True,
            file=("CODEX_HOME", "~/.codex", "config.toml"),
        ),
        "generic": McpClient(
            "an MCP client",
            _everywhere("its configuration"),
            "mcpServers",
            # Which revision it offers is not known, and taking what it offers always works.
            offers_older=True,
        ),
    }
)


def is_server_name(name: str) -> bool:
    """Say whether every client takes a name as it is, and shows all tools under it."""
    return _NAME.fullmatch(name) is not None


def config_block(client: McpClient, entry: McpEntry) -> str:
    """Return the whole block, ready to be pasted, without a line break at its end."""
    if client.is_toml:
        heading = f"[{toml_key(client.key)}.{toml_key(entry.name)}]"
        lines = [
            # Read by whoever wonders why the file cannot be read any more.
            f"# Once in this file: an earlier {heading} has to go first.",
            heading,
            f"command = {toml_string(entry.command)}",
            f"args = {toml_array(entry.args)}",
        ]
        if entry.env:
            lines.append(f"env = {toml_table(entry.env)}")
        return "\n".join(lines)
    server: dict[str, object] = {"type": "stdio"} if client.has_type else {}
    server |= {"command": entry.command, "args": list(entry.args)}
    if entry.env:
        server["env"] = dict(entry.env)
    text = json.dumps({client.key: {entry.name: server}}, indent=2, ensure_ascii=False)
    # Line by line: only strings can hold what is escaped, and no string a line break.
    return "\n".join(map(json_text_for_terminal, text.split("\n")))


def add_command(entry: McpEntry) -> str:
    """Return the command by which Claude Code adds the entry for all projects.

    The name comes first: `--env` takes every word up to the next option.
    """
    words = ["claude", "mcp", "add", entry.name, "--scope", "user"]
    for name, value in entry.env.items():
        words += ["--env", f"{name}={value}"]
    return shlex.join([*words, "--", entry.command, *entry.args])
