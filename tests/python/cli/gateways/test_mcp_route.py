"""The way to the app: chosen late, found again, never in the way of another call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from bridge.cli.gateways.mcp_route import AppRoute
from bridge.cli.gateways.stdio_service import AppChoice
from bridge.cli.usage_error import SeveralFitError, UsageError
from bridge.client.bridge_failure import BridgeFailure
from bridge.client.connection_failures import NotSentWhole
from bridge.contract.error_codes import Outcome
from tests.python.support.fake_bridge import PATIENCE_SECONDS


def failure(code: str, outcome: Outcome = Outcome.NOT_DELIVERED) -> BridgeFailure:
    return BridgeFailure(code, f"This is {code}.", outcome=outcome)


class App:
    """A choice, and its own connection."""

    def __init__(self, name: str, *fails: BridgeFailure | None) -> None:
        self.name = name
        self.fails = list(fails)
        """How its first exchanges fail, if they do."""
        self.asked: list[tuple[str, bytes, float | None, bytes | None]] = []
        self.begins: list[Any] = []
        """How its calls end that nobody waits for."""
        self.notified: list[bytes] = []
        self.kept: list[str] = []
        self.released: list[str] = []
        self.changed = asyncio.Event()
        self.closed = False

    def async_connection(self, *, channel: bool) -> App:
        assert channel
        return self

    def begin(self, session: str, request: bytes, *rest: Any, opening: bytes | None) -> Any:
        seconds, deadline, done = rest
        assert deadline > asyncio.get_running_loop().time()
        if not self.begins:
            return None
        self.asked.append((session, request, seconds, opening))
        asyncio.get_running_loop().call_soon(done, self.begins.pop(0))
        return lambda: None

    async def respond(
        self,
        session: str,
        request: bytes,
        seconds: float | None,
        deadline: float,
        *,
        opening: bytes | None = None,
    ) -> bytes:
        assert deadline > asyncio.get_running_loop().time()
        self.asked.append((session, request, seconds, opening))
        fails = self.fails.pop(0) if self.fails else None
        if fails is not None:
            raise fails
        return self.name.encode()

    async def notify(self, session: str, message: bytes, *_: Any) -> None:
        self.notified.append(message)
        self.changed.set()
        raise failure("TIMEOUT")

    async def keep_session(self, session: str, _deadline: float) -> bool:
        self.kept.append(session)
        self.changed.set()
        if len(self.kept) == 1:
            raise failure("UNREACHABLE")
        return False

    async def close_session(self, session: str, _deadline: float) -> None:
        self.released.append(session)
        raise failure("UNREACHABLE")

    def close(self) -> None:
        self.closed = True


class Choices:
    """What is chosen, one after another; the last one again and again."""

    def __init__(self, *given: App | Exception) -> None:
        self.given = list(given)
        self.count = 0

    def __call__(self) -> Any:
        self.count += 1
        chosen = self.given[0] if len(self.given) == 1 else self.given.pop(0)
        if isinstance(chosen, Exception):
            raise chosen
        return chosen


def route_of(choose: Callable[[], Any], **options: Any) -> AppRoute:
    return AppRoute(AppChoice(cast("Any", choose), "mine", None), **options)


async def test_nothing_is_chosen_before_the_first_request() -> None:
    choose = Choices(App("a"))
    route = route_of(choose)
    route.notify(b"n")
    await route.close(1.0)
    assert choose.count == 0


async def test_all_requests_go_to_one_app_in_one_session_with_their_opening() -> None:
    app = App("a")
    choose = Choices(app)
    route = route_of(choose)
    answers = await asyncio.gather(route.respond(b"1", b"o"), route.respond(b"2"))
    assert set(answers) == {b"a"}
    assert await route.respond(b"3") == b"a"
    assert app.asked == [
        ("mine", b"1", None, b"o"),
        ("mine", b"2", None, None),
        ("mine", b"3", None, None),
    ]
    assert choose.count == 1
    await route.close(1.0)
    assert (app.released, app.closed) == (["mine"], True)


async def test_a_choice_that_takes_its_time_holds_up_nothing_else() -> None:
    app, go_on = App("a"), threading.Event()

    def choose() -> Any:
        assert go_on.wait(PATIENCE_SECONDS)
        return app

    route = route_of(choose)
    first = asyncio.create_task(route.respond(b"1"))
    second = asyncio.create_task(route.respond(b"2"))
    for _ in range(10):
        # The loop goes on.
        await asyncio.sleep(0)
    first.cancel()
    go_on.set()
    assert await second == b"a"
    assert first.cancelled()
    await route.close(1.0)


@pytest.mark.parametrize("code", ["NO_BRIDGE", "UNREACHABLE", "NOT_ATTACHED", "CLOSING"])
async def test_where_nothing_was_done_another_app_is_looked_for(code: str) -> None:
    first, second = App("a", None, failure(code)), App("b")
    route = route_of(Choices(first, second))
    assert await route.respond(b"1") == b"a"
    assert await route.respond(b"2") == b"b"
    assert first.closed
    assert await route.respond(b"3") == b"b"
    assert [request for _, request, *_ in second.asked] == [b"2", b"3"]
    await route.close(1.0)


async def test_a_call_that_may_have_run_is_not_sent_again() -> None:
    for code in ("CONNECTION_LOST", "BROWSER_GONE", "TIMEOUT"):
        first, second = App("a", None, failure(code, Outcome.UNKNOWN)), App("b")
        route = route_of(Choices(first, second))
        await route.respond(b"1")
        with pytest.raises(BridgeFailure, match=code):
            await route.respond(b"2")
        assert second.asked == []
        await route.close(1.0)


async def test_the_same_app_is_not_asked_twice_and_stays_the_one() -> None:
    app = App("a", None, failure("NOT_ATTACHED"))
    route = route_of(Choices(app))
    await route.respond(b"1")
    with pytest.raises(BridgeFailure, match="NOT_ATTACHED"):
        await route.respond(b"2")
    assert len(app.asked) == 2
    assert not app.closed
    # A page is attached now.
    assert await route.respond(b"3") == b"a"
    await route.close(1.0)


async def test_what_says_best_what_to_do_is_told() -> None:
    cases = [("NOT_ATTACHED", "NOT_ATTACHED"), ("UNREACHABLE", "NO_BRIDGE")]
    for code, told in cases:
        route = route_of(Choices(App("a", None, failure(code)), failure("NO_BRIDGE")))
        await route.respond(b"1")
        with pytest.raises(BridgeFailure, match=told):
            await route.respond(b"2")
        await route.close(1.0)


async def test_where_the_way_is_known_a_request_is_begun_without_waiting() -> None:
    app, ends = App("a"), asyncio.Queue[Any]()
    route = route_of(Choices(app))
    assert route.begin(b"1", ends.put_nowait) is None
    assert await route.respond(b"1") == b"a"
    busy = failure("QUEUE_FULL")
    app.begins = [b"x", busy, NotSentWhole(), failure("NOT_ATTACHED"), None]
    for number in range(4):
        assert route.begin(b"%d" % number, ends.put_nowait, b"o") is not None
    assert app.asked[1:] == [("mine", b"%d" % number, None, b"o") for number in range(4)]
    # None stands for what `respond` may try anew.
    assert [await ends.get() for _ in range(4)] == [b"x", busy, None, None]
    assert route.begin(b"5", ends.put_nowait) is not None
    unasked = await ends.get()
    assert (unasked.code, unasked.outcome) == ("NOT_A_BRIDGE", Outcome.UNKNOWN)
    assert route.begin(b"6", ends.put_nowait) is None
    await route.close(1.0)


async def test_no_app_is_an_error_of_each_call_and_it_is_looked_for_at_the_next() -> None:
    app = App("a")
    route = route_of(Choices(failure("NO_BRIDGE"), UsageError("several: b, c"), app))
    with pytest.raises(BridgeFailure, match="NO_BRIDGE"):
        await route.respond(b"1")
    with pytest.raises(BridgeFailure, match="Several: b, c") as caught:
        await route.respond(b"2")
    assert caught.value.outcome is Outcome.NOT_DELIVERED
    assert await route.respond(b"3") == b"a"
    await route.close(1.0)


async def test_several_apps_are_told_to_a_person_who_started_no_command() -> None:
    several = SeveralFitError("choose by --app:", ("One  http://a", "Two  http://b"))
    assert str(several) == "choose by --app:\n  One  http://a\n  Two  http://b"
    app = App("a")
    route = route_of(Choices(several, app))
    with pytest.raises(BridgeFailure) as caught:
        await route.respond(b"1")
    told = caught.value
    assert (told.code, told.outcome) == ("SEVERAL_BRIDGES", Outcome.NOT_DELIVERED)
    assert told.message == (
        "Several apps are open, and nothing says which is meant: One, http://a; Two, http://b."
    )
    assert "`bascule mcp-config CLIENT APP`" in (told.hint or "")
    assert "--" not in f"{told.message} {told.hint}"
    assert await route.respond(b"2") == b"a"
    await route.close(1.0)


async def test_a_session_that_is_used_is_kept_again_and_again_whatever_comes_of_it() -> None:
    app = App("a")
    route = route_of(Choices(app), keep_seconds=0.001)
    await route.respond(b"1")
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(app.kept) < 3:
            app.changed.clear()
            await app.changed.wait()
    assert set(app.kept) == {"mine"}
    await route.close(1.0)


async def test_a_notification_goes_to_the_app_and_nobody_hears_that_it_failed() -> None:
    app = App("a")
    route = route_of(Choices(app))
    # Nobody has been asked anything.
    assert route.notify(b"0") is None
    await route.respond(b"1")
    told = route.notify(b"n")
    assert told is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        await told
    assert app.notified == [b"n"]
    await route.close(1.0)
