"""An MCP client's lines in, and what the app and the client get of them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bridge.cli.gateways.mcp_failures import failed_request
from bridge.cli.gateways.mcp_gateway import McpGateway
from bridge.cli.gateways.mcp_openings import McpOpenings
from bridge.cli.gateways.mcp_output import LineOutput
from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import Outcome
from bridge.contract.limits import JSON_LIMITS
from bridge.dispatcher.mcp_front import Answered, AppRequest, McpFront, ServerInfo
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.mcp_requests import call, cancelled, discover, initialize, legacy, modern

GONE = BridgeFailure(
    "NOT_ATTACHED", "No page is attached.", hint="Attach one.", outcome=Outcome.NOT_DELIVERED
)


class App:
    """What is behind the gateway: each request waits until the test answers it."""

    def __init__(self, *, at_once: bool = False) -> None:
        self.at_once = at_once
        self.faulty = False
        self.asked: list[bytes] = []
        self.openings: list[bytes | None] = []
        self.notified: list[bytes] = []
        self.telling: list[asyncio.Future[None]] = []
        """Of each notification, where the test holds them up."""
        self.holds_notifications = False
        self.hung_up = 0
        self.answers: asyncio.Queue[bytes | BridgeFailure] = asyncio.Queue()
        self.waiting: dict[Any, asyncio.Future[bytes]] = {}
        self.changed = asyncio.Event()

    async def respond(self, request: bytes, opening: bytes | None = None) -> bytes:
        self._fail_if_faulty()
        self.asked.append(request)
        self.openings.append(opening)
        request_id = json.loads(request)["id"]
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.waiting[request_id] = answer
        self.changed.set()
        try:
            return await answer
        except asyncio.CancelledError:
            self.hung_up += 1
            raise

    def _fail_if_faulty(self) -> None:
        if self.faulty:
            raise ZeroDivisionError("secret")

    def begin(self, request: bytes, ended: Any, opening: bytes | None = None) -> Any:
        """Do what `respond` does without a task, where the test wants that."""
        if not self.at_once:
            return None
        self._fail_if_faulty()
        self.asked.append(request)
        self.openings.append(opening)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.waiting[json.loads(request)["id"]] = answer
        self.changed.set()

        def done(answer: asyncio.Future[bytes]) -> None:
            if not answer.cancelled():
                ended(answer.exception() or answer.result())

        def hang_up() -> None:
            self.hung_up += 1
            answer.cancel()

        answer.add_done_callback(done)
        return hang_up

    def notify(self, message: bytes) -> asyncio.Future[None] | None:
        self.notified.append(message)
        if not self.holds_notifications:
            return None
        self.telling.append(asyncio.get_running_loop().create_future())
        return self.telling[-1]

    async def answer(self, request_id: Any, answer: bytes | BridgeFailure | None = None) -> None:
        """Answer a request as soon as it is asked."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while request_id not in self.waiting:
                self.changed.clear()
                await self.changed.wait()
        waiting = self.waiting.pop(request_id)
        if isinstance(answer, BridgeFailure):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer or result(request_id))


class Conversation:
    """A gateway, and what its client reads."""

    def __init__(self, *, at_once: bool = False, **options: Any) -> None:
        self.app = App(at_once=at_once)
        self._reading, self._writing = os.pipe()
        self.gone = asyncio.Event()
        self.output = LineOutput(self._writing, self.gone.set)
        front = McpFront(ServerInfo("bascule", "1", "Bascule"), **options)
        self.gateway = McpGateway(front, self.app, self.output, McpOpenings())
        self._reader = asyncio.StreamReader(limit=4 * JSON_LIMITS.max_encoded_bytes)

    async def open(self) -> None:
        stream = os.fdopen(self._reading, "rb", 0)
        protocol = asyncio.StreamReaderProtocol(self._reader)
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: protocol, stream
        )

    def send(self, *lines: bytes | None) -> None:
        for line in lines:
            self.gateway.take(line)

    async def read(self) -> Any:
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = await self._reader.readline()
        assert line.endswith(b"\n")
        return json.loads(line)

    async def nothing_more(self) -> None:
        """Check that nothing else was written than what was read, by what comes next."""
        self.send(modern("last", "tools/list"))
        assert (await self.read())["id"] == "last"

    def close(self) -> None:
        self.gateway.stop()
        self.output.close()
        os.close(self._writing)
        self._transport.close()


@pytest.fixture(params=[False, True], ids=["by a task", "at once"])
async def client(request: pytest.FixtureRequest) -> AsyncIterator[Conversation]:
    """Give a conversation whose calls are waited for, and one whose calls are not."""
    conversation = Conversation(at_once=request.param)
    await conversation.open()
    yield conversation
    conversation.close()


def result(request_id: Any, **more: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "result": more}).encode()


def task(request_id: Any, state: str, **more: Any) -> bytes:
    return result(request_id, structuredContent={"task": {"id": "t", "state": state, **more}})


async def test_what_a_server_is_needs_no_app(client: Conversation) -> None:
    client.send(discover(0), initialize(1), modern(2, "tools/list"), legacy(3, "ping"))
    answers = [await client.read() for _ in range(4)]
    assert [answer["id"] for answer in answers] == [0, 1, 2, 3]
    assert all("result" in answer for answer in answers)
    assert answers[1]["result"]["serverInfo"]["name"] == "bascule"
    assert client.app.asked == []


async def test_a_request_goes_as_it_is_and_its_answer_comes_as_it_is(client: Conversation) -> None:
    line = call(1).replace(b'"arguments": {', b'"arguments":\t{ ')
    client.send(line)
    answer = b'{"id":1 , "jsonrpc":"2.0","result":{"n":1.50}}'
    await client.app.answer(1, answer)
    assert await client._reader.readline() == answer + b"\n"
    assert client.app.asked == [line]


async def test_calls_run_beside_each_other_and_are_answered_as_their_answers_come(
    client: Conversation,
) -> None:
    client.send(*(call(number) for number in range(8)))
    for number in reversed(range(8)):
        await client.app.answer(number)
        assert (await client.read())["id"] == number
    assert len(client.app.asked) == 8


async def test_lines_stay_whole_where_many_long_ones_are_written_at_once(
    client: Conversation,
) -> None:
    text = "x" * 300_000
    client.send(*(call(number) for number in range(8)))
    for number in range(8):
        await client.app.answer(number, result(number, text=text))
    answers = [await client.read() for _ in range(8)]
    assert sorted(answer["id"] for answer in answers) == list(range(8))
    assert {answer["result"]["text"] for answer in answers} == {text}


async def test_a_second_request_with_an_id_in_flight_is_refused(client: Conversation) -> None:
    client.send(call(1), call(1))
    refused = await client.read()
    assert (refused["id"], refused["error"]["code"]) == (1, -32600)
    await client.app.answer(1)
    assert "result" in await client.read()
    # An id may be used again once it was answered.
    client.send(call(1))
    await client.app.answer(1)
    assert "result" in await client.read()


async def test_ids_of_different_types_are_different(client: Conversation) -> None:
    client.send(call(1), call("1"), call(0))
    for number in (1, "1", 0):
        await client.app.answer(number)
        assert (await client.read())["id"] == number


async def test_a_cancelled_call_is_hung_up_told_on_and_never_answered(client: Conversation) -> None:
    client.send(call(1), call(2))
    await client.app.answer(2)
    assert (await client.read())["id"] == 2
    client.send(cancelled(1))
    await client.nothing_more()
    assert client.app.hung_up == 1
    assert client.app.notified == [cancelled(1)]


async def test_an_answer_that_has_come_when_its_call_is_cancelled_is_not_written(
    client: Conversation,
) -> None:
    client.send(call(1))
    await client.app.answer(1)
    # The answer is there, and the gateway has not run since.
    client.send(cancelled(1))
    await client.nothing_more()


async def test_the_id_of_a_cancelled_call_may_be_used_again_at_once(client: Conversation) -> None:
    client.send(call(1))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await client.app.changed.wait()
    client.app.waiting.clear()
    client.send(cancelled(1), call(1))
    await client.app.answer(1, result(1, second=True))
    assert (await client.read())["result"] == {"second": True}


async def test_a_request_does_not_overtake_the_cancellation_that_its_id_had(
    client: Conversation,
) -> None:
    client.app.holds_notifications = True
    client.send(call(1))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await client.app.changed.wait()
    client.app.waiting.clear()
    # The second of them is cancelled too, before the app has heard anything of it.
    client.send(cancelled(1), call(1), cancelled(1), call(1))
    # Another id, and the same one of another type, have nothing to wait for.
    client.send(call(2), call("1"))
    for request_id in (2, "1"):
        await client.app.answer(request_id)
        assert (await client.read())["id"] == request_id
    assert [json.loads(asked)["id"] for asked in client.app.asked] == [1, 2, "1"]
    assert client.app.notified == [cancelled(1)]
    (telling,) = client.app.telling
    await client.nothing_more()
    assert 1 not in client.app.waiting
    telling.set_result(None)
    await client.app.answer(1, result(1, last=True))
    assert (await client.read())["result"] == {"last": True}
    # What was on its way has arrived, and holds up nothing any more.
    client.send(call(1))
    await client.app.answer(1)
    assert (await client.read())["id"] == 1
    await client.nothing_more()


@pytest.mark.parametrize("request_id", [7, "1", 1.0, None, [], True])
async def test_a_cancellation_of_nothing_is_nothing(client: Conversation, request_id: Any) -> None:
    client.send(call(1), cancelled(request_id))
    await client.app.answer(1)
    assert (await client.read())["id"] == 1
    assert client.app.notified == []


async def test_notifications_and_responses_are_answered_with_nothing(client: Conversation) -> None:
    client.send(
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/unheard","params":[]}',
        b'{"jsonrpc":"2.0","method":"tools/call"}',
        b'{"jsonrpc":"2.0","id":5,"result":{}}',
        b'{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":""}}',
    )
    await client.nothing_more()
    assert client.app.asked == client.app.notified == []


async def test_an_unknown_method_is_told_so(client: Conversation) -> None:
    client.send(modern(1, "prompts/list"), legacy(2, "prompts/list"), legacy(3, "agent/info"))
    assert [(await client.read())["error"]["code"] for _ in range(3)] == [-32601] * 3
    assert client.app.asked == []


async def test_what_is_no_message_is_an_error_without_an_id_and_the_next_line_works(
    client: Conversation,
) -> None:
    for line in (b"{", b"[]", b"\xff", b"1", b'{"jsonrpc":"2.0","id":null,"method":"m"}', None):
        client.send(line, legacy(1, "ping"))
        wrong = await client.read()
        assert "id" not in wrong
        assert wrong["error"]["code"] in {-32700, -32600, 1015}
        assert (await client.read())["id"] == 1


@pytest.mark.parametrize("line", [b"", b" ", b"\t\r"])
async def test_a_blank_line_is_nothing(client: Conversation, line: bytes) -> None:
    client.send(line)
    await client.nothing_more()


async def test_a_legacy_request_has_the_client_s_own_initialize_before_it(
    client: Conversation,
) -> None:
    client.send(initialize("first"), legacy(1, "tools/call", name="actions_search"), call(2))
    await client.read()
    await client.app.answer(1)
    await client.app.answer(2)
    assert client.app.openings == [initialize("first"), None]


async def test_without_an_initialize_one_is_made_up(client: Conversation) -> None:
    client.send(legacy(1, "resources/list"))
    await client.app.answer(1)
    opening = client.app.openings[0]
    assert opening is not None
    message = json.loads(opening)
    assert message["method"] == "initialize"
    assert message["params"]["protocolVersion"] == "2025-11-25"
    assert message["params"]["clientInfo"]["name"] == "bascule"
    # The app's own front takes it.
    taken = McpFront(ServerInfo("a", "1")).take(opening)
    assert isinstance(taken, Answered)
    assert "result" in json.loads(taken.line)


async def test_an_initialize_that_was_refused_or_is_long_opens_nothing(
    client: Conversation,
) -> None:
    long = initialize(2).replace(b'"tests"', b'"' + b"t" * 3_000 + b'"')
    for line, kind in ((legacy(1, "initialize"), "error"), (long, "result")):
        client.send(line)
        assert kind in await client.read()
        client.send(legacy(3, "resources/list"))
        await client.app.answer(3)
        await client.read()
        opening = client.app.openings.pop()
        assert opening is not None
        assert json.loads(opening)["id"] == "bascule-opening"


async def test_what_a_client_offered_is_answered_as_offered_only_where_that_was_asked_for() -> None:
    for accepted, version in ((False, "2025-11-25"), (True, "2025-06-18")):
        client = Conversation(accept_older=accepted)
        await client.open()
        client.send(initialize(1, "2025-06-18"))
        assert (await client.read())["result"]["protocolVersion"] == version
        client.close()


async def test_a_call_that_fails_on_the_way_is_a_tool_s_error_with_all_that_is_known(
    client: Conversation,
) -> None:
    client.send(call(1))
    await client.app.answer(1, GONE)
    failed = (await client.read())["result"]
    assert failed["isError"] is True
    assert failed["resultType"] == "complete"
    assert failed["structuredContent"]["error"] == {
        "code": -32000,
        "message": "No page is attached.",
        "data": {"code": "NOT_ATTACHED", "outcome": "not_delivered", "hint": "Attach one."},
    }
    text = failed["content"][0]["text"]
    first, hint, rest = text.split("\n", 2)
    assert (first, hint) == ("No page is attached.", "Attach one.")
    assert json.loads(rest) == failed["structuredContent"]
    for outcome, told in ((Outcome.UNKNOWN, "state_inspect"), (Outcome.NOT_DELIVERED, "try it")):
        client.send(call(2))
        await client.app.answer(2, BridgeFailure("TIMEOUT", "Slow.", outcome=outcome))
        failed = (await client.read())["result"]["structuredContent"]["error"]
        assert told in failed["data"]["hint"]


@pytest.mark.parametrize("code", ["NOT_ATTACHED", "NO_BRIDGE", "UNREACHABLE"])
@pytest.mark.parametrize(
    ("method", "member"),
    [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")],
)
async def test_with_nobody_there_the_lists_of_resources_are_empty(
    client: Conversation, code: str, method: str, member: str
) -> None:
    client.send(modern(1, method), legacy(2, method))
    for number in (1, 2):
        await client.app.answer(number, BridgeFailure(code, "Nobody.", outcome=None))
    new, old = await client.read(), await client.read()
    assert new["result"][member] == []
    assert (new["result"]["ttlMs"], new["result"]["cacheScope"]) == (0, "private")
    assert old["result"] == {member: []}


async def test_a_resource_that_cannot_be_asked_for_is_an_error_and_so_is_a_list_that_failed(
    client: Conversation,
) -> None:
    client.send(modern(1, "resources/read", uri="a"), modern(2, "resources/list"))
    await client.app.answer(1, GONE)
    read = (await client.read())["error"]
    assert (read["code"], read["data"]["code"]) == (-32603, "NOT_ATTACHED")
    await client.app.answer(2, BridgeFailure("TIMEOUT", "Slow.", outcome=Outcome.UNKNOWN))
    listed = (await client.read())["error"]
    assert (listed["code"], listed["data"]) == (-32603, {"code": "TIMEOUT", "outcome": "unknown"})


async def test_a_fault_of_the_gateway_s_own_leaves_no_client_waiting(client: Conversation) -> None:
    client.app.faulty = True
    client.send(call(1))
    answer = await client.read()
    assert answer["error"]["code"] == -32603
    assert "secret" not in json.dumps(answer)


async def test_a_wait_for_a_task_asks_again_and_tells_of_progress_by_the_call_s_own_token(
    client: Conversation,
) -> None:
    client.send(call(1, "task_status", token="mine", id="t", waitMs=20_000))
    for done in (1, 1, 2):
        await client.app.answer(1, task(1, "running", progress={"message": f"{done} of 3"}))
    await client.app.answer(1, task(1, "completed", output=7))
    *told, last = [await client.read() for _ in range(3)]
    assert all(line["method"] == "notifications/progress" for line in told)
    assert [line["params"]["progressToken"] for line in told] == ["mine", "mine"]
    assert [line["params"]["progress"] for line in told] == [1, 2]
    assert [line["params"]["message"] for line in told] == ["1 of 3", "2 of 3"]
    assert last["result"]["structuredContent"]["task"]["output"] == 7
    await client.nothing_more()
    arguments = [json.loads(line)["params"]["arguments"] for line in client.app.asked]
    assert arguments == [{"id": "t"}] * 4


async def test_without_a_token_a_wait_says_nothing_in_between(client: Conversation) -> None:
    client.send(call(1, "task_status", id="t", waitMs=20_000))
    await client.app.answer(1, task(1, "queued"))
    await client.app.answer(1, task(1, "running"))
    await client.app.answer(1, task(1, "failed"))
    assert (await client.read())["result"]["structuredContent"]["task"]["state"] == "failed"


async def test_a_cancelled_wait_asks_no_more(client: Conversation) -> None:
    client.send(call(1, "task_status", token=1, id="t", waitMs=20_000))
    await client.app.answer(1, task(1, "running"))
    assert (await client.read())["params"] == {
        "progressToken": 1,
        "progress": 1,
        "message": "running",
    }
    client.send(cancelled(1))
    await client.nothing_more()
    assert len(client.app.asked) == 1


async def test_no_more_is_asked_for_or_read_while_nobody_reads_the_answers() -> None:
    client = Conversation()
    # The pipe's reading end is not read yet.
    number = 0
    while not client.gateway.is_full:
        client.send(call(number))
        await client.app.answer(number, result(number, text="x" * 1_000_000))
        # Let it be written, or kept.
        for _ in range(3):
            await asyncio.sleep(0)
        number += 1
        assert number < 20
    asked = len(client.app.asked)
    client.send(call("late"))
    for _ in range(10):
        await asyncio.sleep(0)
    assert len(client.app.asked) == asked
    room = asyncio.create_task(client.gateway.room())
    await client.open()
    for expected in range(number):
        assert (await client.read())["id"] == expected
    async with asyncio.timeout(PATIENCE_SECONDS):
        await room
    await client.app.answer("late")
    assert (await client.read())["id"] == "late"
    client.close()


@pytest.mark.parametrize("at_once", [False, True], ids=["by a task", "at once"])
async def test_of_many_calls_written_at_once_few_are_asked_while_nobody_reads_the_answers(
    *, at_once: bool
) -> None:
    client = Conversation(at_once=at_once)
    text = "x" * 240_000
    client.send(*(call(number) for number in range(300)))
    client.send(cancelled(299))
    # Each that is asked is answered, until no more are: the pipe's reading end is not read yet.
    idle = 0
    while idle < 20:
        idle += 1
        await asyncio.sleep(0)
        for number in list(client.app.waiting):
            idle = 0
            await client.app.answer(number, result(number, text=text))
    asked = len(client.app.asked)
    assert 4_194_304 // len(text) < asked <= 4_194_304 // len(text) + 32
    assert client.output.waiting_bytes < 4_194_304 + 32 * 240_100
    # One that waits and is cancelled is never asked, and the others keep their order.
    client.send(cancelled(200))
    assert client.app.notified == [], "it has heard of neither"
    await client.open()
    for number in range(299):
        if number != 200:
            if number >= asked:
                await client.app.answer(number)
            assert (await client.read())["id"] == number
    told = [json.loads(line)["id"] for line in client.app.asked]
    assert told == [number for number in range(299) if number != 200]
    await client.nothing_more()
    client.close()


async def test_a_wait_for_a_task_takes_a_place_at_the_app_only_while_it_asks() -> None:
    client = Conversation()
    await client.open()
    ids = range(40)
    client.send(*(call(each, "task_status", id="t", waitMs=20_000) for each in ids))
    for number in ids:
        await client.app.answer(number, task(number, "running"))
    client.send(call("other"))
    await client.app.answer("other")
    assert (await client.read())["id"] == "other"
    client.close()


async def test_so_many_calls_in_flight_that_they_fill_the_memory_stop_the_reading(
    client: Conversation,
) -> None:
    number = 0
    while not client.gateway.is_full:
        client.send(call(number, query="x" * 200_000))
        number += 1
        assert number < 100
    room = asyncio.create_task(client.gateway.room())
    await client.app.answer(0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await room
    assert not client.gateway.is_full


async def test_a_call_on_which_nobody_acted_is_asked_again_by_a_task_and_can_be_cancelled() -> None:
    client = Conversation(at_once=True)
    await client.open()
    ended: list[Any] = []
    begun: list[bytes] = []

    def begin(request: bytes, done: Any, opening: bytes | None = None) -> Any:
        del opening
        begun.append(request)
        ended.append(done)
        return lambda: None

    client.app.begin = begin  # type: ignore[method-assign,assignment]
    client.send(call("a"), call("b"))
    assert (len(begun), client.app.asked) == (2, [])
    for done in ended:
        done(None)
    await client.app.answer("a")
    assert (await client.read())["id"] == "a"
    client.send(cancelled("b"))
    await client.nothing_more()
    assert (client.app.hung_up, client.app.asked) == (1, begun)
    client.close()


async def test_all_calls_are_waited_for_however_they_were_begun(client: Conversation) -> None:
    client.send(call(1), call(2))
    finished = asyncio.create_task(client.gateway.finished())
    await client.app.answer(1)
    assert (await client.read())["id"] == 1
    assert not finished.done()
    await client.app.answer(2)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await finished
    assert (await client.read())["id"] == 2


def test_an_older_app_s_failure_in_a_legacy_session_has_no_modern_member() -> None:
    front = McpFront(ServerInfo("bascule", "1"))
    request = front.take(legacy(1, "tools/call", name="actions_search"))
    assert isinstance(request, AppRequest)
    answer = json.loads(failed_request(front, request, GONE))
    assert answer["result"].keys() == {"content", "structuredContent", "isError"}
