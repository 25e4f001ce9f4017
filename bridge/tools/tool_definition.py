"""One tool as it was loaded: schemas, annotations, and what it asks of a caller.

Made by reading a package, or by whoever imports tools from elsewhere; checked by then, and not
changed any more. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from bridge.contract.schema import Validator
from bridge.tools.open_bags import Change

__all__ = [
    "CATEGORIES",
    "PRESENTATIONS",
    "Category",
    "Presentation",
    "ToolAnnotations",
    "ToolDefinition",
    "ToolUi",
]

Category = Literal[
    "read", "write", "execute", "network", "machine", "credential", "admin", "unknown"
]
"""What a tool may do at worst; approvals go by it."""
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

Presentation = Literal["inline", "explored", "card"]
"""How a result stands in a conversation: in a line, folded among what was looked at, or alone."""
PRESENTATIONS: Final[tuple[Presentation, ...]] = get_args(Presentation)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnnotations:
    """What a tool says of itself. A hint that it does not give is None.

    Contract: package tools, annotations.
    """

    category: Category
    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    estimated_duration_ms: int | None = None
    cancellable: bool = False
    """Whether the handler returns promptly once it is told to stop."""

    @property
    def is_read_only(self) -> bool:
        """MCP's default counts where nothing is said: a tool may change things."""
        return self.read_only is True

    @property
    def is_destructive(self) -> bool:
        """MCP's default counts where nothing is said: what changes things may destroy them."""
        return not self.is_read_only and self.destructive is not False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUi:
    """How a result wants to be shown. Contract: package tools, cards."""

    presentation: Presentation | None = None
    card_type: str | None = None
    icon: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """One tool. Its schemas must not be changed. Contract: package tools, definitions."""

    name: str
    description: str
    title: str
    """For people: the annotations' title, else the schema's, else the name."""
    input_schema: Mapping[str, Any]
    """Normalised, without the extension block, and with a `$schema` that says its dialect."""
    input: Validator
    output_schema: Mapping[str, Any] | None = None
    output: Validator | None = None
    annotations: ToolAnnotations
    ui: ToolUi = field(default_factory=ToolUi)
    family: str | None = None
    operation: str | None = None
    transport: str = "embedded"
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that a call which leaves them out is given before it is checked."""
    required_features: frozenset[str] = frozenset()
    """A caller who lacks one of them does not see the tool."""
    escalations: tuple[str, ...] = ()
    """Further features that a handler may ask for; they gate nothing."""
    ask_on_keys: tuple[str, ...] = ()
    """Arguments whose presence asks for approval, whatever their values."""
    changes: tuple[Change, ...] = ()
    """What loading has added to its schemas: pointers into the input's, and for the output's into
    the file."""

    @property
    def presentation(self) -> Presentation:
        """How a result is shown where the author's word, the card and the hint are put together."""
        if self.ui.presentation is not None:
            return self.ui.presentation
        if self.ui.card_type is not None:
            return "card"
        return "explored" if self.annotations.is_read_only else "inline"
