"""Which protocol the lines of standard input speak, and who serves them then.

`json` is control protocol 1, `mcp` is MCP from the first line on, and with `auto` the first valid
request decides: MCP by its envelope, by `server/discover` or by `initialize`, else control
protocol 1. Contract: MCP.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.gateways.mcp_start import McpStart
from bridge.cli.gateways.own_stdout import borrowed_stdout
from bridge.cli.gateways.stdin_lines import StdinLines
from bridge.cli.gateways.stdio_service import AppChoice, StdioService, write_line
from bridge.cli.stop_signals import Stopped, stop_on_signals
from bridge.contract.control_methods import CONTROL_METHODS
from bridge.contract.error_codes import ExitCode
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.mcp_messages import LEGACY_METHODS, PING, selects_mcp
from bridge.dispatcher.envelope import Envelope, read_envelope
from bridge.dispatcher.params import ABSENT

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from bridge.client.bridge_choice import ChosenBridge
    from bridge.client.native_choice import ChosenNative

__all__ = ["serve_stdio"]

_BLANK: Final = b" \t\r"
_OF_CONTROL_ALONE: Final = CONTROL_METHODS - LEGACY_METHODS
"""Who asks for one of these is no MCP client: where there is no app, the exit status tells it."""


def serve_stdio(choose: Callable[[], ChosenBridge | ChosenNative], args: Namespace) -> int:
    """Serve lines until the input ends or a signal comes, and return the exit status.

    `choose` gives the app. `args` has the options of these commands: without a `session` it is one
    of this run's own. Raises `BridgeFailure` and `UsageError` where control protocol 1 finds no app
    at its start.
    """
    session = args.session or f"cli-stdio-{os.urandom(8).hex()}"
    choice = AppChoice(choose, session, args.timeout)
    stopped = False
    with borrowed_stdout() as output:
        service = StdioService(choice, output)
        lines = StdinLines()
        try:
            with stop_on_signals():
                if args.protocol == "json":
                    service.connect()
                    service.serve(lines)
                else:
                    start = McpStart(accept_older=args.accept_legacy)
                    if _starts_mcp(start, service, lines, output, args.protocol):
                        _serve_mcp(start, lines, output, choice)
        except Stopped:
            stopped = True
        except BrokenPipeError:
            # Nobody reads the answers any more.
            pass
        finally:
            service.release()
    if stopped and service.in_flight:
        print("bascule: stopped. The last call may have run.", file=sys.stderr)
        return ExitCode.OUTCOME_UNKNOWN
    return ExitCode.DONE


def _starts_mcp(
    start: McpStart, service: StdioService, lines: StdinLines, output: int, protocol: str
) -> bool:
    """Take lines until it is known to be MCP; False where they came to their end without."""
    for line in lines:
        # Whatever it held: where it is answered, it is said that it is over the limit.
        whole = bytes(JSON_LIMITS.max_encoded_bytes + 1) if line is None else line
        if not whole.strip(_BLANK):
            continue
        envelope = read_envelope(whole)
        if protocol == "mcp" or _is_mcp(envelope):
            started = start.take(envelope, whole)
            if started.answer is not None:
                write_line(output, started.answer)
            if started.selects or (protocol == "mcp" and started.answer is not None):
                return True
        elif not envelope.method.startswith("notifications/"):
            if envelope.method in _OF_CONTROL_ALONE:
                service.connect()
            service.answer(line)
            if envelope.method in CONTROL_METHODS and envelope.id is not ABSENT:
                service.serve(lines)
                return False
    return False


def _is_mcp(envelope: Envelope) -> bool:
    """Say whether MCP answers a line that comes before any protocol is selected."""
    return envelope.method == PING or selects_mcp(envelope.method, envelope.params)


def _serve_mcp(start: McpStart, lines: StdinLines, output: int, choice: AppChoice) -> None:
    # After the first answer: an event loop takes as long to load as all that is needed for it.
    import asyncio  # noqa: PLC0415

    from bridge.cli.gateways.mcp_service import serve_mcp  # noqa: PLC0415

    asyncio.run(serve_mcp(start, lines, output, choice))
