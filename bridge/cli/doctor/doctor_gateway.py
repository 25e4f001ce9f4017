"""Starts our own MCP gateway as a client would, asks it one thing, and ends it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any, Final

from bridge.cli.own_command import own_command
from bridge.contract.mcp_messages import META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION, MODERN

__all__ = ["ask_gateway"]

_PATIENCE_SECONDS: Final = 10.0
"""Some clients give up a little later, others at three seconds and try again."""
_ID: Final = "doctor"


def ask_gateway(words: Sequence[str]) -> dict[str, Any] | None:
    """Return what a gateway answers to `server/discover`; None where nothing fitting came."""
    meta = {META_PROTOCOL_VERSION: MODERN, META_CLIENT_CAPABILITIES: {}}
    request = {
        "jsonrpc": "2.0",
        "id": _ID,
        "method": "server/discover",
        "params": {"_meta": meta},
    }
    try:
        ended = subprocess.run(  # noqa: S603 - this very program, and no shell
            [*own_command(), *words],
            input=json.dumps(request).encode() + b"\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
        answer = json.loads(ended.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return answer if isinstance(answer, dict) and answer.get("id") == _ID else None
