"""What a card in a frame of its own is sent of a call: five members, within a tight budget.

Every text that was cut says so, and `truncated` lists what was cut of lists and objects. The full
result stays with whoever keeps the conversation. Draws nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from bridge.tools.json_cost import FitLimits
from bridge.tools.json_fit import fit
from bridge.tools.result_limits import CARD_LIMITS, CardLimits
from bridge.tools.tool_result import ToolResult

__all__ = ["CardStatus", "card_payload"]

CardStatus = Literal["running", "success", "error"]

_NOTE_BYTES: Final = 16_384
"""Of the budget, kept for saying what was cut."""


def card_payload(
    tool: str,
    arguments: Mapping[str, Any],
    status: CardStatus,
    result: ToolResult | None = None,
    limits: CardLimits = CARD_LIMITS,
) -> dict[str, Any]:
    """Return `name`, `input`, `status`, `result` (its content) and `structuredContent`.

    The last two are null while the tool runs. Never `_meta`. The same call gives the same
    payload. Raises `NotJsonError` for what JSON cannot tell. Contract: package tools, cards.
    """
    payload = {
        "name": tool,
        "status": status,
        "structuredContent": None if result is None else result.structured_content,
        "input": arguments,
        "result": None if result is None else list(result.content),
    }
    whole = FitLimits(
        limits.max_bytes - _NOTE_BYTES,
        limits.max_string_chars,
        limits.max_members,
        limits.max_depth + 1,
    )
    fitted = fit(payload, whole)
    sent: dict[str, Any] = fitted.value
    if fitted.cuts:
        note = fit(
            [each._asdict() for each in fitted.cuts],
            whole._replace(max_bytes=_NOTE_BYTES - len('"truncated":,')),
        )
        sent["truncated"] = note.value
    return sent
