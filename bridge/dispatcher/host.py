"""What an app puts behind a dispatcher: its own handlers, and what it says of its state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError

__all__ = ["CallContext", "Host", "Resource", "Unavailability"]


class Unavailability(NamedTuple):
    """Why an action cannot run now."""

    code: str
    """For programs: `NO_SELECTION`, say."""
    reason: str
    """For people."""


class Resource(NamedTuple):
    """A part of something that the app has too much of for one answer."""

    mime_type: str
    size: int
    """Bytes of the whole resource."""
    data: bytes
    """From the offset that was asked for, at most as many bytes as were asked for."""


class CallContext(NamedTuple):
    """What a handler is told besides its input."""

    session: str | None
    """The agent session that calls; None for a local call."""
    cancel_requested: Callable[[], bool]
    """True once somebody asked to cancel this call."""
    defer: Callable[[str, str], None]
    """Says by a reason (for programs) and a message (for people) that the call waits for a person,
    or will take long. A caller outside is answered with a task at once, and the turn goes to the
    next call; what the handler gives in the end completes the task. Said again, it changes the
    task's progress. A handler that answers at once is not deferred."""


class Host(ABC):
    """An app's side of a dispatcher. Four methods are required, the others have defaults.

    All are called on the thread that calls the dispatcher, one call at a time. What a method
    raises is told as `HOST_ERROR` without its text, save an `AppError`, which is told as it is.
    """

    concurrent: ClassVar[bool] = False
    """True where calls may overlap; without it they run one at a time, in order of arrival."""

    @abstractmethod
    def actions(self) -> Sequence[ActionSpec] | Awaitable[Sequence[ActionSpec]]:
        """Return all actions, in the app's own order.

        Names and command ids are unique. May be discovered anew at each call; the same tuple
        again costs least.
        """

    @abstractmethod
    def revision(self, action: str | None = None) -> int | None:
        """Return the state number of the app, or of the domain of one action.

        None where there is none. It moves only with a change of state.
        """

    @abstractmethod
    def capabilities(self) -> int:
        """Return the bits that are held now."""

    @abstractmethod
    def execute(self, action: str, input: Any, context: CallContext) -> object:  # noqa: A002, ANN401
        """Do it.

        `input` is plain data that matches the action's schema: `dict`, `list`, `str`, `bool`,
        `None`, `int` for every integral number, `float`, and a `NumberToken` for what neither
        can hold. Return the output, an awaitable of it, or a `Task` of the dispatcher's table for
        work that goes on. None is `{}`, unless the action's schema takes null for an answer.
        """

    def availability(self, action: str) -> Unavailability | None:  # noqa: ARG002
        """Say why an action cannot run now."""
        return None

    def modal(self) -> Unavailability | None:
        """Say why no action can run now: a dialog is open, say."""
        return None

    def inspect(
        self,
        query: dict[str, Any],  # noqa: ARG002
    ) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]]:
        """Return a bounded view of the app's state; what `query` means is the app's own."""
        reason = "The app offers no inspection of its state."
        raise AppError(
            AppErrorCode.UNAVAILABLE,
            reason,
            {"availability": {"code": "NO_INSPECTION", "reason": reason}},
        )

    def supports_transaction(self, domain: str) -> bool:  # noqa: ARG002
        """Say whether a domain can be put back to what it was, its revision included.

        Only then may an atomic batch write in it.
        """
        return False

    def begin_transaction(self, domain: str) -> None:
        """Remember the state of a domain, its revision, selection and undo history included."""
        raise NotImplementedError(domain)

    def commit_transaction(self, domain: str) -> None:
        """Keep what was done since the beginning, as one step of undo."""
        raise NotImplementedError(domain)

    def rollback_transaction(self, domain: str) -> None:
        """Put the domain back to what it was at the beginning, its revision included."""
        raise NotImplementedError(domain)

    def read_resource(
        self,
        uri: str,  # noqa: ARG002
        offset: int,  # noqa: ARG002
        limit: int,  # noqa: ARG002
    ) -> Resource | Awaitable[Resource | None] | None:
        """Return at most `limit` bytes from `offset` of something that an action named.

        None for what there is not. A `uri` is the app's own name for it, never a path of a file.
        """
        return None

    def resources(
        self,
    ) -> Sequence[Mapping[str, Any]] | Awaitable[Sequence[Mapping[str, Any]]]:
        """List what `read_resource` can read now, for clients that look through resources.

        Each has `uri` and `name`, and may have `title`, `description`, `mimeType`, and `size` in
        bytes. What is not listed can be read all the same.
        """
        return []

    def resource_templates(
        self,
    ) -> Sequence[Mapping[str, Any]] | Awaitable[Sequence[Mapping[str, Any]]]:
        """List how resources are named of which there are too many to list.

        Each has `uriTemplate` (RFC 6570) and `name`, and may have `title`, `description` and
        `mimeType`.
        """
        return []
