"""Somebody else's MCP server of the newest revision, which tells of changes only whoever asks.

A program on the official library; it answers lines on standard input and output.
"""

from __future__ import annotations

from mcp.server.mcpserver import Context, MCPServer

APP = MCPServer("newest", log_level="CRITICAL")


@APP.tool()
async def gone() -> str:
    """Is there until `change` is called."""
    return "here"


@APP.tool()
async def change(context: Context) -> str:
    """Take the other one back."""
    APP.remove_tool("gone")
    await context.notify_tools_changed()
    return "changed"


if __name__ == "__main__":
    APP.run("stdio")
