"""Runs the named benchmarks and prints one Markdown table for each."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable

from scripts.benchmarks import (
    bus,
    calls,
    cli,
    dispatcher,
    event_loop,
    growth,
    mcp,
    memory,
    native,
    peers,
    strict_json,
    tools,
)

BENCHMARKS: dict[str, Callable[[int], str]] = {
    "calls": calls.run,
    "peers": peers.run,
    "mcp": mcp.run,
    "growth": growth.run,
    "cli": cli.run,
    "memory": memory.run,
    "loop": event_loop.run,
    "json": strict_json.run,
    "dispatcher": dispatcher.run,
    "native": native.run,
    "bus": bus.run,
    "tools": tools.run,
}


def main() -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each (default: 5)")
    args = parser.parse_args()
    unknown = set(args.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    for name in args.names or BENCHMARKS:
        print(f"\n### {name}\n", flush=True)
        print(BENCHMARKS[name](args.rounds), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
