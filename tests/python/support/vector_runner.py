"""Runs the vectors of the control protocol on the Python twin, without any event loop.

`tests/vectors/README.md` says what a step is.
"""

from __future__ import annotations

from collections.abc import Awaitable
from inspect import isawaitable
from pathlib import Path
from typing import Any, Final

from bridge.contract.json_numbers import NumberToken, number_token
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.strict_json import loads
from bridge.dispatcher.agent_endpoint import AgentEndpoint
from bridge.dispatcher.app_error import contract_code
from bridge.dispatcher.params import ABSENT
from bridge.dispatcher.rpc_session import RpcSession
from bridge.dispatcher.task_table import Task
from tests.python.support.fixture_host import SECRET, Fixture
from tests.python.support.manual_runtime import ManualRuntime, Pending

__all__ = ["VectorError", "assert_matches", "read_vectors", "run_vector"]

FILE_LIMITS: Final = JSON_LIMITS._replace(
    max_encoded_bytes=1 << 24, max_depth=64, max_values=1 << 20
)
"""Files of vectors are larger than messages."""
CATALOG: Final = Path(__file__).parents[2] / "vectors" / "mcp_catalog.json"
ELSEWHERE: Final = "is in structuredContent."
"""How a text ends that stands for what is too long to be told twice."""


class VectorError(AssertionError):
    """A vector that does not hold."""


def read_vectors(text: bytes) -> list[dict[str, Any]]:
    """Read a file of vectors, with numbers as they are written."""
    document: Any = loads(text, FILE_LIMITS)
    catalog: Any = loads(CATALOG.read_bytes(), FILE_LIMITS)
    cases: list[dict[str, Any]] = filled_in(document["cases"], catalog)
    return cases


def filled_in(value: Any, catalog: Any) -> Any:
    """Put in place what a file of vectors only names: built texts, and parts of the catalog."""
    if isinstance(value, list):
        return [filled_in(member, catalog) for member in value]
    if not isinstance(value, dict):
        return value
    if "$build" in value:
        return built(value["$build"])
    if "$catalog" in value:
        return catalog[value["$catalog"]]
    return {name: filled_in(member, catalog) for name, member in value.items()}


def built(parts: list[Any]) -> str:
    """Put texts and `[text, times]` together."""
    return "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)


def is_number(value: object) -> bool:
    return isinstance(value, int | float | NumberToken) and not isinstance(value, bool)


def assert_matches(actual: Any, expected: Any, at: str = "") -> None:
    """Hold a value against what is expected.

    `"*"` is anything, and numbers are the same by their tokens. The order of members has no
    meaning.
    """
    wrong = f"{at or '/'}: {str(actual)[:400]} where {str(expected)[:400]} is expected"
    if isinstance(expected, str) and expected == "*":
        return
    if is_number(expected):
        hold(is_number(actual) and number_token(actual) == number_token(expected), wrong)
    elif isinstance(expected, dict):
        hold(isinstance(actual, dict) and sorted(actual) == sorted(expected), wrong)
        for name, member in expected.items():
            assert_matches(actual[name], member, f"{at}/{name}")
    elif isinstance(expected, list):
        hold(isinstance(actual, list | tuple) and len(actual) == len(expected), wrong)
        for index, member in enumerate(expected):
            assert_matches(actual[index], member, f"{at}/{index}")
    else:
        hold(type(actual) is type(expected) and actual == expected, wrong)


def hold(holds: bool, what: str) -> None:
    if not holds:
        raise VectorError(what)


def assert_told_twice(answer: str) -> None:
    """Hold the text of a tool's answer against its structured content, which says the same.

    Models are shown the one or the other.
    """
    message: Any = loads(answer.encode())
    result = message.get("result")
    if not isinstance(result, dict) or "structuredContent" not in result:
        return
    text = "".join(block["text"] for block in result["content"] if block["type"] == "text")
    if result.get("isError"):
        error = result["structuredContent"]["error"]
        said, _, text = text.rpartition("\n")
        told_first = f"{said}\n".startswith(f"{error['message']}\n")
        told_first = told_first and said.endswith(error["data"].get("hint", ""))
        named = f"{error['data']['code']}: "[: len(said.removesuffix("…"))]
        told_first = told_first or (text.endswith(ELSEWHERE) and said.startswith(named))
        hold(told_first, f"the text is {said[:400]}")
    if not text.endswith(ELSEWHERE):
        hold(f'"structuredContent":{text}' in answer, f"the text is another: {text[:400]}")


class Run:
    """One run of one vector."""

    def __init__(self, vector: dict[str, Any]) -> None:
        self.vector = vector
        self.runtime = ManualRuntime()
        self.host = Fixture(self.runtime)
        self.dispatcher = self.host.dispatcher
        if vector.get("disabled"):
            self.dispatcher.set_enabled(False)
        self.endpoint = AgentEndpoint(self.dispatcher)
        self.notified: list[str] = []
        self.session = (
            RpcSession(self.dispatcher, protocol="mcp", notify=self.notified.append)
            if vector.get("mcp")
            else RpcSession(self.dispatcher)
        )
        self.pending: dict[str, Pending[str | None]] = {}
        self.answers: list[str] = []
        self.seen = 0

    def step(self, step: dict[str, Any]) -> None:
        self._change(step)
        self.runtime.settle()
        if "local" in step or "command" in step:
            self._local(step)
        if "line" in step or "line_build" in step:
            self._send(step)
        if "answer" in step:
            hold(step["answer"] in self.pending, f"nobody asked {step['answer']}")
            self._judge(step, self.pending[step["answer"]])
        if "notified" in step:
            assert_matches([loads(line.encode()) for line in self.notified], step["notified"])
            self.notified.clear()
        if "executed" in step:
            done = self.host.log[self.seen :]
            hold(done == step["executed"], f"the host was asked for {done}")
            self.seen = len(self.host.log)
        if "enabled" in step:
            enabled = self.dispatcher.enabled
            hold(enabled is step["enabled"], f"enabled is {str(enabled).lower()}")

    def _change(self, step: dict[str, Any]) -> None:
        """Do what a test does besides sending lines."""
        if "enable" in step:
            self.dispatcher.set_enabled(step["enable"])
        if "modal" in step:
            self.host.is_modal = step["modal"]
        if "capabilities" in step:
            self.host.held = step["capabilities"]
        if "revision" in step:
            self.host.number = step["revision"]
        if "resources" in step:
            self.host.listed = step["resources"]
        if "wordy" in step:
            self.host.wordy = step["wordy"]
        if "close_session" in step:
            self.endpoint.close_session(step["close_session"])
        if "advance" in step:
            self.runtime.passes(float(step["advance"]))
        if step.get("tick"):
            self.host.tick()

    def _send(self, step: dict[str, Any]) -> None:
        line = step["line"] if "line" in step else built(step["line_build"])
        answer = self.runtime.run(
            self.endpoint.request(line, session=step["session"])
            if "session" in step
            else self.session.receive(line)
        )
        if "pending" in step:
            hold(not answer.done, f"{step['pending']} is answered: {answer.value}")
            self.pending[step["pending"]] = answer
        else:
            self._judge(step, answer)

    def _judge(self, step: dict[str, Any], pending: Pending[str | None]) -> None:
        answer = pending.value
        if step.get("silent"):
            hold(pending.done and answer is None, f"there is an answer: {answer}")
            return
        if answer is None:
            raise VectorError("there is no answer")
        hold(len(answer.splitlines()) == 1, f"the answer has a line break: {answer}")
        self.answers.append(answer)
        assert_told_twice(answer)
        if "expect" in step:
            assert_matches(loads(answer.encode()), step["expect"])
        if "text" in step:
            hold(answer == step["text"], f"the answer is {answer}")
        if "id" in step:
            hold(f'"id":{step["id"]},' in answer, f"the id is another: {answer}")

    def _local(self, step: dict[str, Any]) -> None:
        """Make a call of the app's own interface."""
        try:
            given = (
                self.dispatcher.execute_local(step["local"], step.get("input", ABSENT))
                if "local" in step
                else self.dispatcher.execute_command(step["command"], step.get("input", ABSENT))
            )
            if isawaitable(given):
                given = self._awaited(given)
        except Exception as error:  # noqa: BLE001 - the step says what is right
            code = contract_code(error) or "HOST_ERROR"
            hold(code == step.get("raises"), f"it raises {code}")
            return
        hold("raises" not in step, f"it does not throw {step.get('raises')}")
        if isinstance(given, Task):
            hold(step["gives"] == "task", "it gives a task")
        else:
            assert_matches(given, step["gives"])

    def _awaited(self, given: Awaitable[Any]) -> Any:
        pending = self.runtime.run(given)
        hold(pending.done, "it is not done")
        return pending.value

    def end(self) -> None:
        text = "".join(self.answers)
        hold(SECRET not in text, "the host's words leaked")
        if "absent" in self.vector:
            hold(self.vector["absent"] not in text, f"there is {self.vector['absent']}")
        if "present" in self.vector:
            hold(self.vector["present"] in text, f"there is no {self.vector['present']}")


def run_vector(vector: dict[str, Any]) -> None:
    """Run a vector. Raises `VectorError` where it does not hold."""
    run = Run(vector)
    try:
        for index, step in enumerate(vector["steps"]):
            try:
                run.step(step)
            except VectorError as error:
                raise VectorError(f"step {index + 1}: {error}") from error
        run.end()
    finally:
        run.host.finish()
