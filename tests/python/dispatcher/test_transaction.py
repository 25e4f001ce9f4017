"""Atomic batches: all of it, or nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.call_checks import ExternalCall
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.host import Unavailability
from bridge.dispatcher.task_table import Task
from tests.python.support.dispatchers import APP, HandRuntime, Notes, ask, settled


def notes(host: Notes | None = None) -> tuple[Dispatcher, Notes]:
    host = Notes() if host is None else host
    dispatcher = Dispatcher(host, app=APP)
    host.tasks = dispatcher.tasks.create
    dispatcher.set_enabled(True)
    return dispatcher, host


def write(action: str, text: str = "x", revision: int = 7) -> dict[str, Any]:
    return {"action": action, "input": {"text": text}, "expectedRevision": revision}


def plain(action: str, revision: int = 7) -> dict[str, Any]:
    return {"action": action, "expectedRevision": revision}


READ = {"action": "note.read"}


def batch(dispatcher: Dispatcher, *calls: dict[str, Any]) -> Any:
    return ask(dispatcher, "actions/batch", {"calls": calls, "atomic": True})


def test_every_call_refers_to_the_initial_revision_and_all_is_committed_once() -> None:
    dispatcher, host = notes()
    answer = batch(dispatcher, write("note.set", "x"), write("note.set", "y"), READ)
    assert answer["result"] == {
        "atomic": True,
        "committed": True,
        "results": [
            {"ok": True, "output": {"text": "x"}, "revision": 9},
            {"ok": True, "output": {"text": "y"}, "revision": 9},
            {"ok": True, "output": {"text": "y"}, "revision": 9},
        ],
        "revision": 9,
        "protocolVersion": "1",
    }
    assert host.log == ["begin note", "note.set", "note.set", "note.read", "commit note"]


def test_reads_need_no_domain_and_begin_nothing() -> None:
    dispatcher, host = notes()
    assert batch(dispatcher, READ, READ)["result"]["committed"] is True
    assert host.log == ["note.read", "note.read"]


@pytest.mark.parametrize(
    ("calls", "code", "index"),
    [
        ([write("note.set"), plain("nothing")], "UNKNOWN_ACTION", 1),
        ([write("note.set"), plain("locked")], "CAPABILITY_REQUIRED", 1),
        ([write("note.set"), {"action": "note.set", "input": 5}], "INVALID_INPUT", 1),
        ([write("note.set"), {**write("note.set"), "expectedRevision": 8}], "STALE_REVISION", 1),
        ([{"action": "note.set", "input": {"text": "x"}}], "REVISION_REQUIRED", 0),
        ([write("note.set"), plain("away")], "UNAVAILABLE", 1),
        ([write("note.set"), {"action": "beep"}], "TRANSACTION_UNSUPPORTED", 1),
        ([write("title.set")], "TRANSACTION_UNSUPPORTED", 0),
        ([READ, write("note.set"), write("title.set")], "TRANSACTION_DOMAIN", 2),
    ],
)
def test_a_preflight_failure_is_the_calls_own_error_and_nothing_began(
    calls: list[dict[str, Any]], code: str, index: int
) -> None:
    dispatcher, host = notes()
    error = batch(dispatcher, *calls)["error"]
    assert (error["data"]["code"], error["data"]["index"]) == (code, index)
    assert host.log == []


@pytest.mark.parametrize("failing", ["fails", "liar"])
def test_a_failure_after_the_beginning_puts_back_state_and_revision(failing: str) -> None:
    dispatcher, host = notes()
    error = batch(dispatcher, write("note.set", "gone"), plain(failing), READ)["error"]
    assert error["code"] == 1012
    assert error["data"]["code"] == "ROLLED_BACK"
    assert error["data"]["index"] == 1
    cause = "HOST_ERROR" if failing == "fails" else "INVALID_OUTPUT"
    assert error["data"]["cause"]["data"]["code"] == cause
    assert "secret" not in str(error)
    assert (host.text, host.number) == ("", 7)
    assert host.log == ["begin note", "note.set", failing, "rollback note"]
    assert dispatcher.enabled


@pytest.mark.parametrize("late", ["later", "task"])
def test_what_would_go_on_is_refused_and_rolled_back_and_does_not_go_on(late: str) -> None:
    dispatcher, host = notes()
    error = batch(dispatcher, write("note.set", "gone"), plain(late))["error"]
    assert error["data"]["cause"]["data"]["code"] == "DEFERRED_IN_TRANSACTION"
    assert (host.text, host.number) == ("", 7)
    assert host.log[-1] == "rollback note"
    if late == "task":
        assert dispatcher.tasks.get("task-1").cancel_requested


def test_what_asks_to_defer_and_answers_at_once_is_done() -> None:
    class Asking(Notes):
        def execute(self, action: str, input: Any, context: Any) -> object:  # noqa: A002
            context.defer("person", "Never mind.")
            return super().execute(action, input, context)

    dispatcher, _ = notes(Asking())
    assert batch(dispatcher, write("note.set"))["result"]["committed"] is True


class Uncommitted(Notes):
    def commit_transaction(self, domain: str) -> None:
        raise RuntimeError("secret")


class CommittedLater(Notes):
    async def commit_transaction(self, domain: str) -> None:  # type: ignore[override]
        self.log.append("committed later")


@pytest.mark.parametrize("uncommitted", [Uncommitted, CommittedLater])
def test_a_commit_that_fails_is_rolled_back(uncommitted: type[Notes]) -> None:
    dispatcher, host = notes(uncommitted())
    error = batch(dispatcher, write("note.set", "gone"))["error"]
    assert error["data"]["code"] == "ROLLED_BACK"
    assert error["data"]["cause"]["data"]["code"] == "HOST_ERROR"
    assert (host.text, host.number) == ("", 7)


class Unbegun(Notes):
    def begin_transaction(self, domain: str) -> None:
        raise RuntimeError("secret")


class BegunLater(Notes):
    async def begin_transaction(self, domain: str) -> None:  # type: ignore[override]
        self.log.append("begun later")


@pytest.mark.parametrize("unbegun", [Unbegun, BegunLater])
def test_a_beginning_that_fails_is_a_host_error_and_nothing_is_rolled_back(
    unbegun: type[Notes],
) -> None:
    dispatcher, host = notes(unbegun())
    assert batch(dispatcher, write("note.set"))["error"]["data"]["code"] == "HOST_ERROR"
    assert host.log == []
    assert dispatcher.enabled


class BadRollback(Notes):
    def rollback_transaction(self, domain: str) -> None:
        raise AppError("UNAVAILABLE", "secret")


class LyingRollback(Notes):
    """Puts the text back, and not the revision."""

    def rollback_transaction(self, domain: str) -> None:
        self.text = ""


class LateRollback(Notes):
    async def rollback_transaction(self, domain: str) -> None:  # type: ignore[override]
        self.text = ""


@pytest.mark.parametrize("host", [BadRollback, LyingRollback, LateRollback])
def test_a_rollback_that_fails_is_a_host_error_and_the_dispatcher_disables_itself(
    host: type[Notes],
) -> None:
    told: list[BaseException] = []
    dispatcher = Dispatcher(host(), app=APP, on_host_error=told.append)
    dispatcher.set_enabled(True)
    changes: list[bool] = []
    dispatcher.on_enabled_change(changes.append)
    answer = batch(dispatcher, write("note.set"), plain("fails"))
    assert answer["error"]["data"]["code"] == "HOST_ERROR"
    assert "secret" not in str(answer)
    assert changes == [False]
    assert "secret of the host" in str(told[0])
    assert ask(dispatcher, "actions/list")["error"]["data"]["code"] == "DISABLED"
    assert dispatcher.execute_local("note.read")["text"] is not None


def test_leaving_the_program_in_a_transaction_rolls_it_back() -> None:
    class Leaving(Notes):
        def execute(self, action: str, input: Any, context: Any) -> object:  # noqa: A002
            super().execute(action, input, context)
            raise SystemExit(3)

    dispatcher, host = notes(Leaving())
    call = ExternalCall("note.set", {"text": "gone"}, 7)
    with pytest.raises(SystemExit):
        dispatcher.batch([call], atomic=True)
    assert (host.text, host.number) == ("", 7)


def test_a_host_that_cancels_itself_within_a_batch_is_rolled_back_and_told_so() -> None:
    class Cancels(Notes):
        asked = 0

        def availability(self, action: str) -> Unavailability | None:
            self.asked += 1
            if self.asked > 3:
                raise asyncio.CancelledError
            return None

    dispatcher, host = notes(Cancels())
    codes: list[str | None] = []
    dispatcher.on_call(lambda event: codes.append(event.code) if event.phase == "end" else None)
    error = batch(dispatcher, write("note.set"), write("note.set", "y"))["error"]
    assert (error["data"]["code"], error["data"]["index"]) == ("ROLLED_BACK", 1)
    assert error["data"]["cause"]["data"] == {"code": "HOST_ERROR"}
    assert host.log == ["begin note", "note.set", "rollback note"]
    assert codes == ["ROLLED_BACK", "ROLLED_BACK"]


def test_who_watches_hears_of_calls_that_were_left_with_the_program() -> None:
    class Leaves(Notes):
        def execute(self, action: str, input: Any, context: Any) -> object:  # noqa: A002
            raise KeyboardInterrupt

    dispatcher, _ = notes(Leaves())
    codes: list[str | None] = []
    dispatcher.on_call(lambda event: codes.append(event.code) if event.phase == "end" else None)
    with pytest.raises(KeyboardInterrupt):
        batch(dispatcher, write("note.set"))
    assert codes == ["HOST_ERROR"]


def test_who_watches_hears_of_calls_that_were_rolled_back_as_failed() -> None:
    dispatcher, _ = notes()
    events: list[Any] = []
    dispatcher.on_call(events.append)
    batch(dispatcher, write("note.set"), plain("fails"))
    batch(dispatcher, write("note.set"), READ)
    assert [(event.action, event.phase, event.code) for event in events] == [
        ("note.set", "begin", None),
        ("fails", "begin", None),
        ("note.set", "end", "ROLLED_BACK"),
        ("fails", "end", "ROLLED_BACK"),
        ("note.set", "begin", None),
        ("note.read", "begin", None),
        ("note.set", "end", None),
        ("note.read", "end", None),
    ]


async def test_an_atomic_batch_waits_for_its_turn_and_has_one_for_all_of_it() -> None:
    gate = asyncio.Event()

    class Waiting(Notes):
        async def _later(self) -> dict[str, Any]:
            await gate.wait()
            return {}

    host = Waiting()
    dispatcher = Dispatcher(host, app=APP, runtime=HandRuntime())
    dispatcher.set_enabled(True)
    first: Any = dispatcher.execute(ExternalCall("later", expected_revision=7))
    calls = [ExternalCall("note.set", {"text": text}, 7) for text in "xy"]
    atomic: Any = dispatcher.batch(calls, atomic=True)
    last: Any = dispatcher.execute(ExternalCall("note.read"))
    await settled()
    assert host.log == ["later"]
    gate.set()
    await first
    assert (await atomic).committed
    await last
    assert host.log[1:] == ["begin note", "note.set", "note.set", "commit note", "note.read"]


def test_a_task_given_in_a_transaction_does_not_stay_unfinished_business_of_the_batch() -> None:
    dispatcher, _ = notes()
    batch(dispatcher, plain("task"))
    task: Task = dispatcher.tasks.get("task-1")
    assert task.checkpoint()


def test_what_an_earlier_call_made_unavailable_is_not_run() -> None:
    class Closing(Notes):
        def availability(self, action: str) -> Unavailability | None:
            return Unavailability("CLOSED", "Closed.") if self.text == "closed" else None

    dispatcher, host = notes(Closing())
    error = batch(dispatcher, write("note.set", "closed"), write("note.set", "x"))["error"]
    assert error["data"]["cause"]["data"]["availability"]["code"] == "CLOSED"
    assert host.log == ["begin note", "note.set", "rollback note"]


def test_a_dispatcher_that_is_disabled_within_a_batch_undoes_it() -> None:
    class Shutting(Notes):
        def execute(self, action: str, input: Any, context: Any) -> object:  # noqa: A002
            dispatcher.set_enabled(False)
            return super().execute(action, input, context)

    dispatcher, host = notes(Shutting())
    error = batch(dispatcher, write("note.set"), write("note.set"))["error"]
    assert error["data"]["cause"]["data"]["code"] == "DISABLED"
    assert (host.text, host.number) == ("", 7)


def test_a_host_that_takes_its_time_to_say_what_it_supports_is_a_host_error() -> None:
    class Unsure(Notes):
        async def supports_transaction(self, domain: str) -> bool:  # type: ignore[override]
            return True

    dispatcher, host = notes(Unsure())
    error = batch(dispatcher, write("note.set"))["error"]
    assert error["data"] == {"index": 0, "code": "HOST_ERROR"}
    assert host.log == []


def test_what_a_handler_left_behind_hears_that_its_batch_has_failed() -> None:
    contexts: list[Any] = []

    class Keeping(Notes):
        def execute(self, action: str, input: Any, context: Any) -> object:  # noqa: A002
            contexts.append(context)
            return super().execute(action, input, context)

    dispatcher, _ = notes(Keeping())
    batch(dispatcher, write("note.set"))
    assert not contexts[0].cancel_requested()
    batch(dispatcher, write("note.set", "y", 8), plain("fails", 8))
    assert [context.cancel_requested() for context in contexts] == [False, True, True]
