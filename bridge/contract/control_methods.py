"""The names of control protocol 1's methods, for who runs none of them.

What they do is the dispatcher's. Contract: control protocol 1.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CONTROL_METHODS"]

CONTROL_METHODS: Final = frozenset(
    {
        "agent/info",
        "actions/list",
        "actions/describe",
        "actions/execute",
        "actions/batch",
        "state/inspect",
        "tasks/get",
        "tasks/cancel",
        "resources/read",
        "view/render",
    }
)
