"""The commands that pass lines between a program and an app, and the MCP gateways behind them."""
