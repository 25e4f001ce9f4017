"""Which of the tools that were imported from a server are still what they were then.

A server may change its list while it runs. What is offered here stays as it was imported; a tool
that was taken back, or takes or gives something else now, is refused, since arguments are checked
by what was said of it then. Another description changes nothing. Connects to nothing itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

from bridge.tools.imported_tools import MAX_TOOLS

__all__ = ["OutsideList"]

_SCHEMAS: Final = ("inputSchema", "outputSchema")
_AGAIN: Final = "nothing was run. What it offers now is imported when this service is started again"

Listed = Iterable[object]
"""Tools as the wire has them, of whatever shape."""


class OutsideList:
    """A server's list as it was imported, and as it is now.

    `when_changed` is called the first time that the server says that its list has changed; it
    raises nothing.
    """

    def __init__(self, server: str, when_changed: Callable[[], None]) -> None:
        self._server = server
        self._when_changed = when_changed
        self._told = False
        self._then: Mapping[str, object] = {}
        self._now: Mapping[str, object] | None = None
        """None as long as it is not known to be another one."""
        self._stale = False
        self._listing = asyncio.Lock()

    def begin(self) -> None:
        """Say that the list is asked for: what was said of changes before does not count."""
        self._stale = False

    def imported(self, listed: Listed) -> None:
        """Say what was imported."""
        self._then = _by_name(listed)

    def has_changed(self) -> None:
        """Say that the server has said so. The list is asked for when a tool is called next."""
        self._stale = True
        if not self._told:
            self._told = True
            self._when_changed()

    async def refusal(self, name: str, list_now: Callable[[], Awaitable[Listed]]) -> str | None:
        """Return why a tool of the server's is not to be called, in words for callers.

        Calls `list_now` where the list has changed since it was read; where that raises an
        `Exception`, the server itself has to say whether it has the tool, and the next call asks
        again. May be cancelled.
        """
        async with self._listing:
            if self._stale:
                self._stale = False
                try:
                    self._now = _by_name(await list_now())
                except asyncio.CancelledError:
                    self._stale = True
                    raise
                except Exception:  # noqa: BLE001 - the call will fail in the same way, and tell
                    self._now, self._stale = None, True
        if self._now is None:
            return None
        if name in self._now:
            if self._now[name] == self._then.get(name):
                return None
            return f"The server {self._server} has changed what this tool takes or gives; {_AGAIN}."
        if len(self._now) >= MAX_TOOLS:
            # It may come after those that are read.
            return None
        return f"The server {self._server} has taken this tool from its list; {_AGAIN}."


def _by_name(listed: Listed) -> dict[str, object]:
    """Return what is compared of each tool. Of two of one name the first was imported."""
    found: dict[str, object] = {}
    for tool in listed:
        if not isinstance(tool, Mapping):
            continue
        found.setdefault(str(tool.get("name")), [tool.get(member) for member in _SCHEMAS])
    return found
