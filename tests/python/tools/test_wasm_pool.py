"""The threads of entries: what each may have of them, and what becomes of cancelled work."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from bridge.tools.handler import CallRefused
from bridge.tools.result_limits import WASM_LIMITS
from bridge.tools.wasm_pool import WasmPool

PATIENCE_SECONDS = 30
LIMITS = WASM_LIMITS._replace(max_runs=3, max_waiting=4)
"""Of which one has two that run and two that wait."""


class Held:
    """Work that goes on until it is let go."""

    def __init__(self, pool: WasmPool, whose: str) -> None:
        self.begun = threading.Event()
        self._go_on = threading.Event()
        self.future: Future[object] = pool.submit(whose, self._work)

    def _work(self) -> str:
        self.begun.set()
        assert self._go_on.wait(PATIENCE_SECONDS)
        return "held"

    def begins(self) -> bool:
        return self.begun.wait(PATIENCE_SECONDS)

    def let_go(self) -> object:
        self._go_on.set()
        return self.future.result(PATIENCE_SECONDS)


def refused(submit: Callable[[], object]) -> bool:
    try:
        submit()
    except CallRefused as error:
        return error.code == "BUSY" and "nothing was run" in error.message
    return False


def test_one_has_all_threads_but_one_and_half_of_the_places_to_wait() -> None:
    pool = WasmPool(LIMITS)
    mine = [Held(pool, "mine") for _ in range(4)]
    assert mine[0].begins()
    assert mine[1].begins()
    assert refused(lambda: Held(pool, "mine"))
    assert pool.submit("other", lambda: 7).result(PATIENCE_SECONDS) == 7
    assert not mine[2].begun.is_set(), "a thread is kept for others"
    assert mine[0].let_go() == "held"
    assert mine[2].begins()
    for held in mine[1:]:
        assert held.let_go() == "held"
    assert Held(pool, "mine").let_go() == "held"


def test_all_together_have_no_more_than_there_is() -> None:
    pool = WasmPool(LIMITS)
    all_of_them = [Held(pool, whose) for whose in ("a", "a", "a", "a", "b", "b", "b")]
    assert refused(lambda: Held(pool, "c"))
    for held in all_of_them:
        assert held.let_go() == "held"
    assert not refused(lambda: Held(pool, "c").let_go())


def test_what_is_cancelled_before_its_turn_is_not_run_and_gives_its_place_back() -> None:
    pool = WasmPool(LIMITS)
    running = [Held(pool, "mine") for _ in range(2)]
    waiting = [Held(pool, "mine") for _ in range(2)]
    assert all(held.begins() for held in running)
    for _ in range(5):
        assert refused(lambda: Held(pool, "mine"))
        assert waiting.pop(0).future.cancel()
        waiting.append(Held(pool, "mine"))
    given_up = waiting.pop(0)
    assert given_up.future.cancel()
    for held in (*running, *waiting):
        assert held.let_go() == "held"
    assert Held(pool, "mine").let_go() == "held"
    assert not given_up.begun.is_set()


class Arguments:
    """What work holds: megabytes, it may be."""

    def size(self) -> int:
        return 0


def test_nothing_is_held_of_what_was_cancelled_or_is_done() -> None:
    pool = WasmPool(LIMITS._replace(max_runs=1))
    whose, arguments = Arguments(), Arguments()
    gone = weakref.ref(whose), weakref.ref(arguments)
    running = Held(pool, "mine")
    assert running.begins()
    waiting = pool.submit("mine", arguments.size)
    assert waiting.cancel()
    del arguments, waiting
    gc.collect()
    assert gone[1]() is None, "its turn has not come yet"
    assert running.let_go() == "held"
    assert pool.submit(whose, lambda: 1).result(PATIENCE_SECONDS) == 1
    # Another one after it in the same thread: by then the thread has let go of the first.
    assert pool.submit("mine", lambda: 2).result(PATIENCE_SECONDS) == 2
    del whose
    gc.collect()
    assert gone[0]() is None


def test_what_fails_tells_so_and_leaves_its_thread_to_the_next() -> None:
    pool = WasmPool(LIMITS._replace(max_runs=1))

    def fails() -> object:
        raise CallRefused("HANDLER_FAILED", "no")

    for _ in range(3):
        with pytest.raises(CallRefused, match="no"):
            pool.submit("mine", fails).result(PATIENCE_SECONDS)
    assert pool.submit("mine", lambda: 1).result(PATIENCE_SECONDS) == 1
