"""One question to an endpoint, and whether its answer keeps a rule.

A probe is a function that talks to a `ProbePeer` and returns, or raises `Broken` with what is wrong
or `NotAsked` with why it cannot be asked here. Contract: control protocol 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from bridge.cli.output.json_text import JsonTextError, NumberText, compact, read
from bridge.client.bridge_failure import BasculeError
from bridge.contract.limits import PROTOCOL_LIMITS

__all__ = [
    "Broken",
    "NotAsked",
    "Probe",
    "ProbePeer",
    "Verdict",
    "check",
    "error_of",
    "expect",
    "is_number",
    "is_text",
    "objects",
]

_MAX_SHOWN: Final = 200
_MAX_PAGES: Final = 100
Send = Callable[[bytes], bytes | None]


class Broken(Exception):  # noqa: N818 - it is the rule that is broken
    """The endpoint breaks the rule. The message says how, and may hold what it answered."""


class NotAsked(Exception):  # noqa: N818 - nothing is wrong
    """The question does not arise here. The message says why."""


class ProbePeer:
    """The endpoint, message by message. `raw` says whether any bytes reach it as they are."""

    def __init__(self, send: Send, *, raw: bool) -> None:
        self._send = send
        self.raw = raw
        self._next_id = 0
        self._actions: list[dict[str, Any]] | None = None

    def line(self, line: bytes) -> Any:  # noqa: ANN401 - a JSON value
        """Send a line that only an endpoint without a bridge between can be sent."""
        if not self.raw:
            raise NotAsked("a bridge is between, which passes on valid messages only")
        return self._read(self._send(line))

    def notify(self, method: str) -> None:
        """Send a message that nothing may answer."""
        answer = self._send(compact({"jsonrpc": "2.0", "method": method}).encode())
        if answer is not None:
            raise Broken(f"a notification was answered: {_shown(answer)}")

    def ask(self, method: str, params: object = None, **more: object) -> dict[str, Any]:
        """Send a request and return its response, which has the request's id."""
        self._next_id += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": NumberText(self._next_id), **more}
        if params is not None:
            message["params"] = params
        response = self._read(self._send(compact({**message, "method": method}).encode()))
        wanted = message["id"]
        if not isinstance(response, dict) or response.get("jsonrpc") != "2.0":
            raise Broken(f"{method} was answered with no JSON-RPC response: {_shown(response)}")
        got = response.get("id")
        if type(got) is not type(wanted) or got != wanted:
            raise Broken(f"the id {compact(wanted)} came back as {_shown(got)}")
        if ("result" in response) == ("error" in response):
            raise Broken("a response has either a result or an error")
        return response

    def result(self, method: str, params: object = None) -> dict[str, Any]:
        """Return the result of a request that has to succeed."""
        response = self.ask(method, params)
        result = response.get("result")
        if not isinstance(result, dict):
            raise Broken(f"{method} answered {_shown(response.get('error', result))}")
        version = result.get("protocolVersion")
        expect(is_text(version) and version == "1", 'a result carries "protocolVersion": "1"')
        revision = result.get("revision", NumberText(0))
        expect(_is_integer(revision), "a revision is an integer of at least 0")
        return result

    def refusal(
        self, number: int, code: str | None, method: str, params: object = None
    ) -> dict[str, Any]:
        """Return the error of a request that has to be refused with a number and a code."""
        return error_of(self.ask(method, params), number, code)

    def actions(self) -> list[dict[str, Any]]:
        """Return all actions as they are listed."""
        if self._actions is None:
            found: list[dict[str, Any]] = []
            params: dict[str, Any] = {"limit": NumberText(PROTOCOL_LIMITS.max_list_limit)}
            for _ in range(_MAX_PAGES):
                result = self.result("actions/list", params)
                found += objects(result, "actions")
                if "nextCursor" not in result:
                    break
                params["cursor"] = result["nextCursor"]
            else:
                raise Broken("the list of actions has no end")
            self._actions = found
        return self._actions

    def _read(self, answer: bytes | None) -> Any:  # noqa: ANN401 - a JSON value
        if answer is None:
            raise Broken("nothing was answered")
        try:
            return read(answer)
        except JsonTextError as error:
            raise Broken(f"the answer is no JSON ({error}): {_shown(answer)}") from None


class Probe(NamedTuple):
    """A rule, and how to find out."""

    id: str
    rule: str
    """What an endpoint has to do, as one sentence."""
    run: Callable[[ProbePeer], None]


class Verdict(NamedTuple):
    """What became of a probe."""

    probe: Probe
    outcome: str
    """pass, fail or skip."""
    detail: str


def check(probe: Probe, peer: ProbePeer) -> Verdict:
    """Run a probe. Raises `BasculeError` only where the endpoint cannot be reached any more."""
    try:
        probe.run(peer)
    except NotAsked as why:
        return Verdict(probe, "skip", str(why))
    except Broken as how:
        return Verdict(probe, "fail", str(how))
    except BasculeError as failure:
        if failure.code in {"NO_BRIDGE", "UNREACHABLE", "NOT_ATTACHED"}:
            raise
        return Verdict(probe, "fail", f"no answer: {failure.message} [{failure.code}]")
    return Verdict(probe, "pass", "")


def expect(condition: bool, what: str) -> None:
    """Raise `Broken` where something is not as it has to be."""
    if not condition:
        raise Broken(what)


def error_of(response: Mapping[str, Any], number: int, code: str | None) -> dict[str, Any]:
    """Return a response's error, which has to have a number, and a code where there is one."""
    wanted = str(number) if code is None else f"{number} {code}"
    error = response.get("error")
    if not isinstance(error, dict):
        raise Broken(f"{wanted} was due, not {_shown(response.get('result'))}")
    data = error.get("data")
    held = data if isinstance(data, dict) else {}
    if not is_number(error.get("code"), number) or (code is not None and held.get("code") != code):
        raise Broken(f"{wanted} was due, not {_shown(error)}")
    expect(is_text(error.get("message")), "an error has a message of text")
    return held


def objects(result: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return a member that has to be a list of objects."""
    items = result.get(name)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise Broken(f"{name} is a list of objects")
    return items


def is_text(value: object) -> bool:
    """Say whether a value is a string, which a number's characters are not."""
    return type(value) is str


def is_number(value: object, number: int) -> bool:
    """Say whether a value is this very number."""
    return isinstance(value, NumberText) and value == str(number)


def _is_integer(value: object) -> bool:
    return isinstance(value, NumberText) and value.isdecimal()


def _shown(value: object) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else compact(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
