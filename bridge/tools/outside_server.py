"""A running MCP server of somebody else's, started by a command and called by the official client.

It is started once. When it ends, its tools answer with an error until this program is started
anew: a server that died in the middle of a call may have done part of it, and starting it again
would hide that. Its tools stay what they were when it was started. Needs the extra `mcp`, which is
imported when the first server is started.
Contract: package tools, importing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.contract.strict_json import StrictJsonError, dumps
from bridge.tools.handler import CallRefused
from bridge.tools.imported_tools import MAX_TOOLS, ImportedTools, import_tools
from bridge.tools.outside_lines import ENCODING
from bridge.tools.outside_list import OutsideList
from bridge.tools.outside_transport import as_listed, watched_program
from bridge.tools.package import Package
from bridge.tools.result_limits import TIER_CEILING_SECONDS

if TYPE_CHECKING:
    from mcp import Client

    from bridge.tools.handler import ToolCall
    from bridge.tools.session_context import SessionContext

__all__ = ["OutsideCommand", "OutsideServer", "OutsideServerError", "started_server"]

_START_SECONDS: Final = 30.0
"""For a server to start, say what it is and list its tools: some are fetched at their first run."""
_LIST_AGAIN_SECONDS: Final = 8.0
"""For a list that has changed to be read before a call: less than the call itself has."""
_LISTEN_SECONDS: Final = 5.0
"""For a server to agree to tell of changes; one that does not is imported all the same."""
_MAX_PAGES: Final = 64
_MAX_VERSION_CHARS: Final = 64
_MAX_TOLD_CHARS: Final = 2_000
_MAX_NUMBER_CHARS: Final = 40
_RAN_NOTHING: Final = frozenset({-32700, -32600})
"""Errors of JSON-RPC by which a request was refused as it was read: no JSON, no request. Any other
may come of the work: kits for servers say "wrong params" of a result that breaks a promise too."""
_PARTLY: Final = "it may have done its work, or part of it"


class OutsideCommand(NamedTuple):
    """How a server is started. No shell reads it."""

    name: str
    """What the user calls it."""
    words: tuple[str, ...]
    """The program and its arguments."""
    environment: Mapping[str, str] = {}
    """Added to the few variables that the official client passes on: PATH, HOME and the like."""
    directory: str | None = None
    """Where it is started; where this program runs, without."""


class OutsideServerError(Exception):
    """A server cannot be imported from. The message is for whoever asked for it."""


class OutsideServer:
    """A server that was started; what `started_server` gives."""

    def __init__(
        self, name: str, client: Client, listed: ImportedTools, life: _Life, now: OutsideList
    ) -> None:
        self.name = name
        version = getattr(client.server_info, "version", None) or "0"
        self.version = version[:_MAX_VERSION_CHARS] if version.isprintable() else "0"
        """What it says of itself. For display only."""
        self.imported = listed
        self._client = client
        self._life = life
        self._now = now

    def package(self) -> Package:
        """Return its tools as a package that lies nowhere."""
        return Package(
            name=self.name,
            version=self.version,
            tier="project",
            directory=Path(),
            cards=(),
            tools={each.definition.name: each.definition for each in self.imported.tools},
        )

    def handlers(self) -> dict[str, OutsideHandler]:
        """Return the handlers of the imported tools, by the names under which they are offered."""
        return {
            each.definition.name: OutsideHandler(self, each.name_there)
            for each in self.imported.tools
        }

    def ended(self) -> str | None:
        """Return that it has ended, in words for callers; None as long as it runs."""
        if not self._life.ended:
            return None
        return f"The server {self.name} has ended. It is not started again by itself."

    async def call(
        self, name: str, arguments: Mapping[str, Any], sending: Callable[[], object] = lambda: None
    ) -> object:
        """Call a tool by the server's own name for it, and return the result as the wire has it.

        Raises `CallRefused` `UNAVAILABLE` where nothing was run: for one that the server has taken
        back or changed since it was imported, refuses as it is asked, or was asked too late.
        Whatever else goes wrong is a result that says so. `sending` is called before anything of
        the call itself is sent. Cancelled, it tells the server.
        """
        from mcp import MCPError, types  # noqa: PLC0415 - an extra

        refusal = self._gone() or await self._now.refusal(
            name, lambda: _listed(self._client, self.name, _LIST_AGAIN_SECONDS)
        )
        # It may have ended while it was asked for its list.
        refusal = refusal or self._gone()
        if refusal is not None:
            raise CallRefused("UNAVAILABLE", refusal)
        request = types.CallToolRequest(
            params=types.CallToolRequestParams(name=name, arguments=_plain(arguments))
        )
        sending()
        try:
            # Not by the client's own method, which checks results with a validator that a
            # stranger's schema can hold up: our own one checks them, and is bounded.
            result = await self._client.session.send_request(request, types.CallToolResult)
        except MCPError as error:
            if self._life.ended:
                return _failed(
                    f"The server {self.name} has ended. What was going on in it may have been done"
                    " in part; it is not started again by itself."
                )
            said = error.error.message[:_MAX_TOLD_CHARS]
            if error.error.code in _RAN_NOTHING:
                words = f"The server {self.name} refused the call; nothing was run: {said}"
                raise CallRefused("UNAVAILABLE", words) from None
            return _failed(f"The server {self.name} answered with an error; {_PARTLY}: {said}")
        except Exception as error:  # noqa: BLE001 - the stranger's answer, however it is broken
            return _failed(
                f"The server {self.name} did not answer as it has to; {_PARTLY}: {_kind(error)}."
            )
        wire: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        # What a stranger tells beside the result is for nobody here.
        for beside in ("_meta", "resultType"):
            wire.pop(beside, None)
        return wire

    def _gone(self) -> str | None:
        ended = self.ended()
        return None if ended is None else f"{ended} Nothing was run."


class _Life:
    """Whether a server runs."""

    def __init__(self, when_ended: Callable[[], None]) -> None:
        self.ended = False
        self.told = False
        """Whether its end is to be told: not while it starts, nor once it is stopped."""
        self._when_ended = when_ended

    def end(self) -> None:
        """Say that it has ended. A second time changes nothing."""
        if not self.ended:
            self.ended = True
            if self.told:
                self._when_ended()


class OutsideHandler:
    """Runs one imported tool. A handler like any other.

    What a server does not answer in `seconds` is given up, and the server told so: a call that
    waited for ever would take a place for ever.
    """

    stops_by_itself: Final = True

    def __init__(
        self,
        server: OutsideServer,
        name_there: str,
        seconds: float = TIER_CEILING_SECONDS["project"],
    ) -> None:
        self._server = server
        self._name = name_there
        self._seconds = seconds

    async def run(
        self, arguments: Mapping[str, Any], session: SessionContext, call: ToolCall
    ) -> object:
        """Call the server. Who calls is not told to it. Raises `CallRefused`."""
        del session, call
        sent: list[bool] = []
        try:
            async with asyncio.timeout(self._seconds):
                return await self._server.call(self._name, arguments, lambda: sent.append(True))
        except TimeoutError:
            words = (
                f"The server {self._server.name} did not answer within {self._seconds:g} seconds"
            )
            if not sent:
                raise CallRefused("UNAVAILABLE", f"{words}; nothing was run.") from None
            raise CallRefused("TIMED_OUT", f"{words}; {_PARTLY}.") from None


@asynccontextmanager
async def started_server(
    command: OutsideCommand,
    *,
    taken: Iterable[str] = (),
    when_ended: Callable[[str], None] = lambda _: None,
    when_changed: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[OutsideServer]:
    """Start a server and list its tools; it is ended with the context.

    `taken` are names that its tools cannot have. `when_ended` is told its name once it ends by
    itself, `when_changed` once it says that its list of tools is another one; they raise nothing.
    Raises `OutsideServerError` where the extra is missing, or the server does not start, answer in
    time or list its tools.
    """
    try:
        from mcp import Client, StdioServerParameters, types  # noqa: PLC0415 - an extra
    except ImportError:
        raise OutsideServerError(
            "importing needs the official client of MCP: pip install 'bascule[mcp]', or"
            " pip install -e '.[mcp]' in a checkout"
        ) from None
    program, *arguments = command.words
    parameters = StdioServerParameters(
        command=program,
        args=arguments,
        env=dict(command.environment),
        cwd=command.directory,
        encoding=ENCODING,
    )
    life = _Life(lambda: when_ended(command.name))
    now = OutsideList(command.name, lambda: when_changed(command.name))

    async def heard(message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            now.has_changed()

    client = Client(watched_program(parameters, life.end), cache=None, message_handler=heard)
    try:
        async with asyncio.timeout(_START_SECONDS):
            await client.__aenter__()
    except TimeoutError:
        raise OutsideServerError(
            f"{command.name} did not answer within {_START_SECONDS:g} seconds"
        ) from None
    except Exception as error:
        raise OutsideServerError(f"{command.name} does not start: {_kind(error)}") from error
    try:
        async with _telling_changes(client):
            now.begin()
            listed = await _listed(client, command.name)
            now.imported(listed)
            # In a thread: a stranger's schemas take their time, and a signal has to be heard.
            imported = await asyncio.to_thread(
                import_tools, listed, server=command.name, taken=frozenset(taken)
            )
            life.told = True
            if life.ended:
                when_ended(command.name)
            yield OutsideServer(command.name, client, imported, life, now)
    finally:
        life.told = False
        await client.__aexit__(None, None, None)


@asynccontextmanager
async def _telling_changes(client: Client) -> AsyncIterator[None]:
    """Have a server tell of its list. One of an older revision does so unasked, and refuses."""
    tools = client.server_capabilities.tools
    async with AsyncExitStack() as stack:
        if tools is not None and tools.list_changed:
            with suppress(Exception):
                async with asyncio.timeout(_LISTEN_SECONDS):
                    await stack.enter_async_context(client.listen(tools_list_changed=True))
        yield


async def _listed(client: Client, name: str, seconds: float = _START_SECONDS) -> list[object]:
    found: list[object] = []
    cursor: str | None = None
    try:
        async with asyncio.timeout(seconds):
            for _ in range(_MAX_PAGES):
                page = await client.list_tools(cursor=cursor)
                found += map(as_listed, page.tools)
                cursor = page.next_cursor
                if cursor is None or len(found) > MAX_TOOLS:
                    break
    except Exception as error:
        raise OutsideServerError(f"{name} does not list its tools: {_kind(error)}") from error
    return found


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with plain numbers: the client's models know no tokens.

    Raises `CallRefused` for a number that is too large for it, which it would send as null.
    """
    try:
        plain: dict[str, Any] = json.loads(dumps(arguments), parse_float=_finite)
    except StrictJsonError:
        # They were read strictly: this is a caller's own mistake, and the server may tell it.
        return dict(arguments)
    return plain


def _finite(token: str) -> float:
    number = float(token)
    if isinf(number):
        words = f"The number {token[:_MAX_NUMBER_CHARS]} is too large to be sent to the server"
        raise CallRefused("INVALID_INPUT", f"{words}; nothing was run.")
    return number


def _kind(error: Exception) -> str:
    """Say what happened, without a page of a validator's words."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200]


def _failed(text: str) -> dict[str, Any]:
    return {"content": text[:_MAX_TOLD_CHARS], "isError": True}
