"""Whether a caller sees a tool: one predicate for every listing and every call.

A tool that is not seen is to be treated as one that does not exist. `escalations` gate nothing.
Contract: package tools, features.
"""

from __future__ import annotations

from typing import Protocol

from bridge.tools.session_context import EVERY_FEATURE, SessionContext

__all__ = ["Gated", "is_visible"]


class Gated(Protocol):
    """What asks for features."""

    @property
    def required_features(self) -> frozenset[str]:
        """All of them are needed."""


def is_visible(tool: Gated, session: SessionContext) -> bool:
    """Say whether the session's grants satisfy every feature that the tool requires."""
    granted = session.granted_features
    return tool.required_features <= granted or EVERY_FEATURE in granted
