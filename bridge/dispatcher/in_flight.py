"""The requests of one session that are not answered yet, by id, so that they can be cancelled.

Contract: MCP.
"""

from __future__ import annotations

from collections.abc import Callable

from bridge.contract.strict_json import number_token
from bridge.dispatcher.observers import Observers

__all__ = ["CallMark", "InFlight", "id_key"]


class CallMark:
    """One request: whether it is still wanted."""

    def __init__(self) -> None:
        self.cancelled = False
        self._observers: Observers[None] = Observers()

    def on_cancel(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Watch for its cancellation; the result ends that."""
        return self._observers.add(lambda _event: observer())

    def cancel(self) -> None:
        """Say that it is not wanted any more."""
        self.cancelled = True
        self._observers.notify(None)


class InFlight:
    """The requests that are being handled.

    Ids are the same by their tokens. Two requests may have one id where many clients share a
    session: they are cancelled together.
    """

    def __init__(self) -> None:
        self._marks: dict[str, list[CallMark]] = {}

    def begin(self, request_id: str | int) -> CallMark:
        """Add a request."""
        mark = CallMark()
        self._marks.setdefault(id_key(request_id), []).append(mark)
        return mark

    def end(self, request_id: str | int, mark: CallMark) -> None:
        """Take a request out: it is answered."""
        key = id_key(request_id)
        marks = self._marks[key]
        marks.remove(mark)
        if not marks:
            del self._marks[key]

    def cancel(self, request_id: str | int) -> None:
        """Say that a request is not wanted any more. One that is not known is nothing."""
        for mark in self._marks.get(id_key(request_id), ()):
            mark.cancel()


def id_key(request_id: str | int) -> str:
    """Return what tells ids apart: 1, 1.0 and "1" are three."""
    # No number begins with a quote.
    return f'"{request_id}' if isinstance(request_id, str) else number_token(request_id)
