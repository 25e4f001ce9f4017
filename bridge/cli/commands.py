"""Every command: where it is, and one line about it."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["COMMANDS", "HIDDEN", "Command"]


class Command(NamedTuple):
    """Where a command is, one line about it, and whether it makes calls that change things."""

    module: str
    summary: str
    calls: bool = False


COMMANDS: Final = {
    "browser-bridge": Command(
        "bridge.cli.browser_bridge", "run a bridge for one web app, until it is stopped"
    ),
    "list": Command("bridge.cli.list_bridges", "list your running apps and bridges"),
    "open": Command("bridge.cli.open_page", "open a bridge's page again, ready to attach"),
    "actions": Command("bridge.cli.list_actions", "list what an app can do"),
    "describe": Command("bridge.cli.describe_action", "show what an action takes and gives"),
    "call": Command("bridge.cli.call_action", "run an action of an app", calls=True),
    "batch": Command(
        "bridge.cli.run_batch", "run several calls of an app in one request", calls=True
    ),
    "inspect": Command("bridge.cli.inspect_state", "show the state of an app"),
    "task": Command("bridge.cli.show_task", "show, await or cancel a deferred result"),
    "read": Command("bridge.cli.read_resource", "read a resource of an app into a file"),
    "render": Command("bridge.cli.render_view", "have an app draw what it shows, as a picture"),
    "stdio": Command(
        "bridge.cli.gateways.stdio",
        "pass JSON-RPC lines between standard input and an app",
        calls=True,
    ),
    "headless": Command(
        "bridge.cli.gateways.headless",
        "start an app without a window and pass lines to it",
        calls=True,
    ),
    "mcp-config": Command(
        "bridge.cli.client_config.mcp_config",
        "print the configuration by which an MCP client drives an app",
    ),
    "doctor": Command(
        "bridge.cli.doctor.doctor", "check the way from here to an app, step by step"
    ),
    "check": Command(
        "bridge.cli.conformance.check_endpoint", "check whether an app keeps the contract"
    ),
    "watch": Command("bridge.cli.watch_calls", "watch the calls of a bridge as they happen"),
    "status": Command("bridge.cli.bridge_status", "show what a bridge is doing"),
    "browser-call": Command(
        "bridge.cli.browser_call", "send one call to the attached page", calls=True
    ),
    "browser-stdio": Command(
        "bridge.cli.gateways.browser_stdio",
        "pass JSON-RPC lines between standard input and the page",
        calls=True,
    ),
    "tools": Command("bridge.cli.tools.tools", "write, check, call and serve packages of tools"),
    "assets": Command("bridge.cli.assets", "write out the browser modules for your app"),
    "completion": Command(
        "bridge.cli.completion.completion_script", "print a completion script for a shell"
    ),
    "demo": Command(
        "bridge.cli.demo.demo", "show a terminal driving apps that are open in a browser"
    ),
}
HIDDEN: Final = {
    "__complete": Command("bridge.cli.completion.complete", "what completion scripts ask")
}
