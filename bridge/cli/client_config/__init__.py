"""`bascule mcp-config`: what MCP clients are to be told, and where they look for it."""
