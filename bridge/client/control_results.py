"""What an app answers, as values: read once from the wire, and relied on from then on.

Numbers are native where that is exact, and otherwise keep the token that they were written with.
Contract: control protocol 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from bridge.client.action_error import ActionError
    from bridge.contract.strict_json import JsonValue

__all__ = [
    "ActionDescription",
    "ActionSummary",
    "AppInfo",
    "CallEvent",
    "CallEvents",
    "CallResult",
    "JsonObject",
    "Task",
    "Unavailability",
]

JsonObject: TypeAlias = "Mapping[str, JsonValue]"


@dataclass(frozen=True, slots=True)
class AppInfo:
    """What an app says of itself."""

    name: str
    version: str
    enabled: bool
    """Whether anything else is answered at all."""
    capabilities: int
    """The bits that the host holds."""
    limits: JsonObject
    methods: tuple[str, ...]
    revision: int | None
    """The host's state number; None where the host has none."""


@dataclass(frozen=True, slots=True)
class Unavailability:
    """Why an action cannot be called now."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class ActionSummary:
    """One action, as a list of them tells."""

    name: str
    description: str
    kind: Literal["read", "write"]
    available: bool
    unavailable: Unavailability | None


@dataclass(frozen=True, slots=True)
class ActionDescription:
    """All that is known of one action."""

    name: str
    description: str
    kind: Literal["read", "write"]
    available: bool
    unavailable: Unavailability | None
    input_schema: JsonValue
    output_schema: JsonValue
    capabilities: int
    """The bits that the host must hold for it."""
    undo: bool
    """Whether the app can undo it."""
    transaction: str | None
    """The domain whose atomic batches it can be part of."""
    command_id: int | None
    revision: int | None
    """The action's own state number; None where it has none: no revision need be sent then."""


@dataclass(frozen=True, slots=True)
class Task:
    """A call that goes on in the app after it was answered."""

    id: str
    state: str
    """queued, running, cancelling, cancelled, completed or failed."""
    action: str | None
    """Not told in the answer to the call itself."""
    progress: JsonValue
    output: JsonValue
    """Of a completed one; None for every other."""
    error: ActionError | None
    """Of a failed one."""

    @property
    def ended(self) -> bool:
        """Say whether it will not change any more."""
        return self.state in {"cancelled", "completed", "failed"}


@dataclass(frozen=True, slots=True)
class CallResult:
    """How the call of an action ended, or that it goes on."""

    status: Literal["completed", "deferred"]
    output: JsonValue
    """Of a completed call; None of a deferred one."""
    task: Task | None
    """Of a deferred call."""
    revision: int | None
    """The state number after it, to be sent with the next write; None where there is none."""


@dataclass(frozen=True, slots=True)
class CallEvent:
    """That somebody's call began or ended, as the bridge saw it."""

    seq: int
    phase: Literal["begin", "end"]
    call: str
    """Which call: both of its events have the same."""
    session: str
    method: str | None
    """None of a request that names none, or one that is too long to be told."""
    action: str | None
    at: int
    """Unix milliseconds."""
    ok: bool | None
    code: str | None
    """Why it failed: the app's `data.code`, or the bridge's."""
    duration_ms: float | None
    deferred: str | None = None
    """Why it goes on as a task, where it does: `consent` where the page's owner is asked first."""

    @property
    def what(self) -> str:
        """What was called, for people: the action, or the method where it runs none."""
        return self.action or self.method or "(no method)"


@dataclass(frozen=True, slots=True)
class CallEvents:
    """The events after one that was named."""

    now: int
    """The bridge's clock, in Unix milliseconds."""
    next: int
    """What to ask for next."""
    missed: int
    """How many events there were in between that the bridge no longer has."""
    events: tuple[CallEvent, ...]
