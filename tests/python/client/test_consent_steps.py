"""What a call gives for which the page asks its owner first: one suite for both clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bridge.client import (
    ActionError,
    AppClient,
    BasculeError,
    CallResult,
    DeadlineExceeded,
    Outcome,
    connect,
)
from bridge.client.consent_steps import call_with_consent
from bridge.client.control_calls import Pause
from tests.python.support.app_callers import FakeApp, both_clients
from tests.python.support.fake_bridge import PATIENCE_SECONDS, FakeBridge, error, fake_bridge

ASKS = {"reason": "consent", "message": "The owner is asked."}
RUNS = {"reason": "running", "message": "The owner said yes."}
DEFERRED = {"status": "deferred", "task": {"id": "t1", "state": "running", "progress": ASKS}}


@pytest.fixture
def bridge() -> Iterator[FakeBridge]:
    with fake_bridge() as running:
        yield running


def to(bridge: FakeBridge) -> AppClient:
    return connect(bridge.url, token=bridge.token)


def asking(bridge: FakeBridge, *tasks: dict[str, Any]) -> FakeApp:
    """Have the app ask for the call; the task is as given, and at last stays so."""
    left = list(tasks)

    def get(_: Any) -> Any:
        told = left.pop(0) if len(left) > 1 else left[0]
        return {"task": {"id": "t1", "action": "a.b", "state": "running"} | told, "revision": 8}

    return FakeApp(bridge, actions_execute=DEFERRED, tasks_get=get)


@both_clients
async def test_a_call_waits_for_the_owner_s_yes_and_gives_what_it_gave(
    using: Any, bridge: FakeBridge
) -> None:
    done = {"state": "completed", "output": {"n": 2}}
    app = asking(bridge, {"progress": ASKS}, {"progress": RUNS}, done)
    async with using(to(bridge)) as client:
        given = await client.call("a.b", timeout=PATIENCE_SECONDS)
    assert given == CallResult("completed", {"n": 2}, None, 8)
    assert [method for method, _ in app.sent] == ["actions/execute", *["tasks/get"] * 3]


@both_clients
async def test_a_no_of_the_owner_is_the_call_s_error(using: Any, bridge: FakeBridge) -> None:
    data = {
        "code": "UNAVAILABLE",
        "availability": {"code": "OWNER_REQUIRED", "reason": "The owner said no."},
        "retryAfterMs": 10_000,
    }
    wire = {"code": 1006, "message": "The owner said no.", "data": data}
    asking(bridge, {"progress": ASKS}, {"state": "failed", "error": wire})
    async with using(to(bridge)) as client:
        with pytest.raises(ActionError, match="OWNER_REQUIRED") as refused:
            await client.call("a.b", timeout=PATIENCE_SECONDS)
    assert (refused.value.code, refused.value.outcome) == ("UNAVAILABLE", None)
    assert refused.value.data["retryAfterMs"] == 10_000


@both_clients
async def test_who_does_not_want_to_wait_gets_the_task_with_the_question(
    using: Any, bridge: FakeBridge
) -> None:
    app = asking(bridge, {"progress": ASKS})
    async with using(to(bridge)) as client:
        given = await client.call("a.b", wait_for_consent=False)
    assert given.status == "deferred"
    assert given.task is not None
    assert given.task.progress == ASKS
    assert [method for method, _ in app.sent] == ["actions/execute"]


@both_clients
async def test_an_owner_who_does_not_answer_in_time_may_still_say_yes(
    using: Any, bridge: FakeBridge
) -> None:
    app = asking(bridge, {"progress": ASKS})
    async with using(to(bridge)) as client:
        with pytest.raises(DeadlineExceeded, match=r"cancel_task\('t1'\)") as late:
            await client.call("a.b", timeout=0.2)
    assert late.value.outcome is Outcome.UNKNOWN
    assert "tasks/cancel" not in [method for method, _ in app.sent]


@both_clients
async def test_a_page_that_goes_away_while_it_asks_leaves_the_outcome_unknown(
    using: Any, bridge: FakeBridge
) -> None:
    app = asking(bridge, {"progress": ASKS})
    app.methods["tasks_get"] = lambda _: error("NOT_ATTACHED")
    async with using(to(bridge)) as client:
        with pytest.raises(BasculeError) as failed:
            await client.call("a.b", timeout=PATIENCE_SECONDS)
    assert (failed.value.code, failed.value.outcome) == ("NOT_ATTACHED", Outcome.UNKNOWN)


@both_clients
async def test_a_question_that_somebody_took_back_gives_the_cancelled_task(
    using: Any, bridge: FakeBridge
) -> None:
    asking(bridge, {"progress": ASKS}, {"state": "cancelled"})
    async with using(to(bridge)) as client:
        given = await client.call("a.b", timeout=PATIENCE_SECONDS)
    assert given.status == "deferred"
    assert given.task is not None
    assert given.task.state == "cancelled"


def test_a_call_that_goes_on_long_after_the_yes_comes_back_with_its_task() -> None:
    steps = call_with_consent("a.b", None, None, wait=True)
    next(steps)
    step = steps.send(told(DEFERRED))
    paused = 0.0
    for progress in [ASKS] * 100 + [RUNS] * 100:
        task = {"id": "t1", "state": "running", "progress": progress}
        try:
            step = steps.send(told({"task": task}))
        except StopIteration as end:
            given = end.value
            break
        assert isinstance(step, Pause)
        paused += step.seconds if progress is RUNS else 0.0
        step = steps.send(b"")
    assert (given.status, given.task.progress) == ("deferred", RUNS)
    assert 5.0 <= paused < 6.5


def told(result: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()
